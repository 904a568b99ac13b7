"""No grid has a workspace for more than 2^20 blocks, whatever the extents are.

usage: workspace.py FOLDER SOURCE [--every=N] [--seed=N] [--most=N]

The programs of the benchmark's workload `dynamic` and examples/mamba, in f32 and bf16, with
the variants that are compiled beforehand and on demand; for each of CHIPS. The kernels that
are launched are those whose conditions hold (docs/manifest.md), for extents that are powers of
two and one more than that. With --every=N one of so many runs, others for another seed.
--most=N takes another limit, to see that it is noticed.

Left out is what the model does not rate: launches that move more than MOST_BYTES.
"""

import argparse
import itertools
import json
import math
import os
import sys

import scan_tools

CHIPS = ("sm_80", "sm_90", "sm_100")
MOST_ELEMENTS = 2**33
MOST_TILES = 2**20
# What kMostBytes is in lib/Schedule/Variants.cpp, and the bytes of a workspace beside descriptors.
MOST_BYTES = 2**35
HEADER_BYTES = 128
# What MOST_VARIANTS of spills.py is.
OPTIONS = ([], ["--max-variants=12"])


def import_from(source, *folders):
    sys.path[:0] = [os.path.join(source, *folder.split("/")) for folder in folders]
    import manifest  # pylint: disable=import-outside-toplevel
    import programs  # pylint: disable=import-outside-toplevel
    import workloads  # pylint: disable=import-outside-toplevel
    return manifest, programs, workloads


def list_programs(source, programs, workloads):
    """{name: text}"""
    found = {}
    for case in workloads.dynamic_cases():
        text, _ = programs.write(case)
        elements = ("f32", "bf16") if case.element == "f32" and case.operator in ("cumsum", "recurrence") else ("",)
        for element in elements:
            name = f"{case.operator} of rank {len(case.shape)} along {case.dim} {element or case.element}"
            found[name] = text.replace("f32", element or "f32")
    with open(os.path.join(source, "examples", "mamba.mlir"), encoding="utf-8") as file:
        mamba = file.read()
    return found | {f"mamba {element}": mamba.replace("f32", element) for element in ("f32", "bf16")}


def list_extents(rank):
    """Shapes of `rank` dimensions."""
    powers = [2**exponent for exponent in range(0, 34, rank)]
    for shape in itertools.product(powers, repeat=rank):
        if math.prod(shape) <= MOST_ELEMENTS:
            yield shape
            yield tuple(extent + 1 for extent in shape)


def name_extents(function, shape):
    """What the names of a function are, where its argument of the highest rank has this shape.

    Extents of others that have to be the same are in `requires`.
    """
    first = max(function["arguments"], key=lambda argument: len(argument["shape"]))
    names = {name: extent for name, extent in zip(first["shape"], shape) if isinstance(name, str)}
    known = 0
    while known != len(names):
        known = len(names)
        for relation, *sides in function.get("requires", []):
            for name, other in (sides, sides[::-1]):
                if relation == "==" and isinstance(other, str) and name in names:
                    names.setdefault(other, names[name])
    return names


def count_bytes(function, names, manifest):
    return sum(manifest.count(array["shape"], names) * manifest.TYPES[array["element"]][1]
               for array in function["arguments"] + function["results"])


def count_tiles(kernel, names, evaluate):
    """Blocks whose tiles the workspace of a kernel has descriptors for."""
    if kernel["workspace"]["bytes"] == 0:
        return 0
    sizes = {argument["name"]: evaluate(argument["value"], names)
             for argument in kernel["arguments"] if argument["kind"] == "size"}
    return (evaluate(kernel["workspace"]["bytes"], sizes) - HEADER_BYTES) // kernel["plan"]["descriptor_bytes"]


def find_most(function, manifest):
    """(how many launches there were, the most tiles of one, what that is)"""
    rank = max(len(argument["shape"]) for argument in function["arguments"])
    launches, worst = 0, (0, "")
    for shape in list_extents(rank):
        names = name_extents(function, shape)
        if count_bytes(function, names, manifest) > MOST_BYTES:
            continue
        for kernel in function["kernels"]:
            if all(manifest.evaluate(condition, names) for condition in kernel.get("when", [])):
                launches += 1
                tiles = count_tiles(kernel, names, manifest.evaluate)
                worst = max(worst, (tiles, f"extents {shape}, {kernel['entry']}, {kernel['schedule']}"))
    return launches, *worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("source")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=MOST_TILES)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    manifest, programs, workloads = import_from(options.source, "benchmark/gpu", "test/Target/Inputs")
    base = os.path.join(options.folder, "program")
    number = launches = problems = 0
    for name, text in list_programs(options.source, programs, workloads).items():
        with open(base + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        for chip, arguments in itertools.product(CHIPS, OPTIONS):
            number += 1
            if (number + options.seed) % options.every:
                continue
            done = scan_tools.run(["scan-translate", "--scan-to-ptx", base + ".mlir", f"--chip={chip}", *arguments,
                                   "-o", base + ".ptx", f"--manifest={base}.json"])
            if done.returncode:
                sys.exit(done.stderr)
            with open(base + ".json", encoding="utf-8") as file:
                (function,) = json.load(file)["functions"]
            count, tiles, where = find_most(function, manifest)
            launches += count
            if tiles > options.most:
                problems += 1
                print(f"{name} on {chip} {' '.join(arguments)}: a workspace for {tiles} tiles, expected {options.most} "
                      f"at most; {where}")
    print(f"seed {options.seed}: {launches} launches, {problems} problems")
    sys.exit(problems > 0)


if __name__ == "__main__":
    main()
