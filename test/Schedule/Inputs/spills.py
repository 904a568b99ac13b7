"""No kernel that is chosen without being asked for spills registers.

usage: spills.py FOLDER SOURCE [--every=N] [--seed=N] [--only=TEXT]

The programs of the benchmark's workloads `dynamic` and `h` and those of `CHOSEN`, with the variants of
programs that are compiled beforehand, with those of programs that compile kernels on demand,
and, of the workload, with the extents of each of its points; for each of CHIPS. Prints a line
per kernel that spills. With --every=N one of so many runs, others for another seed; with --only=TEXT
those whose "PROGRAM on CHIP" contains TEXT.
"""

import argparse
import os
import re
import subprocess
import sys

CHIPS = ("sm_80", "sm_90")
# What VARIANTS of kernels.py is.
MOST_VARIANTS = 12
# Programs with states of many words, or of many leaves, and the element types that they have.
CHOSEN = {
    "examples/mamba": ("f32", "bf16"),
    "examples/s5_layer": ("f32",),
    "examples/mingru": ("bf16",),
    "test/Models/Inputs/programs/mingru": ("f32",),
    "test/Models/Inputs/programs/welford": ("f32", "bf16"),
    "examples/combiners/welford": ("f32", "bf16"),
    "examples/combiners/matrix_2": ("f64", "f32", "bf16"),
    "examples/combiners/matrix_3": ("f32", "bf16"),
    "examples/combiners/matrix_4": ("f32", "bf16"),
    "test/Schedule/Inputs/states_before_time": ("f32", "bf16"),
    "test/Target/time-major": ("bf16",),
}


def read_chosen(source):
    for path, types in CHOSEN.items():
        with open(os.path.join(source, path + ".mlir"), encoding="utf-8") as file:
            text = file.read()
        own = re.search(r"tensor<[^>]*x(f64|f32|bf16|complex<f32)", text)[1].removeprefix("complex<")
        for element in types:
            yield f"{path} {element}", text.replace(own, element)


def list_programs(source):
    """(name, text, options of scan-translate)"""
    sys.path.insert(0, os.path.join(source, "benchmark", "gpu"))
    import programs  # pylint: disable=import-outside-toplevel
    import workloads  # pylint: disable=import-outside-toplevel

    found, static = dict(read_chosen(source)), {}
    for case in workloads.dynamic_cases():
        text, _ = programs.write(case)
        if text not in found.values():
            found[f"{case.series} dim {case.dim}"] = text
        static[case.key] = programs.write(case, is_static=True)[0]
    for case in workloads.model_cases():
        text, passes = programs.write(case)
        if passes:
            text = subprocess.run(["scan-opt", "-", *passes], input=text, capture_output=True, text=True, check=True).stdout
        found[case.series] = text
    for name, text in found.items():
        yield name, text, []
        yield f"{name} on demand", text, [f"--max-variants={MOST_VARIANTS}"]
    for name, text in static.items():
        yield f"{name} static", text, []


def assembled(text, options, chip, folder):
    """{entry: bytes that it spills}"""
    base = os.path.join(folder, "program")
    done = subprocess.run(["scan-translate", "--scan-to-ptx", "-", f"--chip={chip}", "--ptxas", "-o", base + ".ptx",
                           f"--manifest={base}.json", *options], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    return {entry: int(spilled) for entry, _, spilled, *_ in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("source")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    kernels = problems = number = 0
    for name, text, arguments in list_programs(options.source):
        for chip in CHIPS:
            number += 1
            if (number + options.seed) % options.every or options.only not in f"{name} on {chip}":
                continue
            found = assembled(text, arguments, chip, options.folder)
            kernels += len(found)
            for entry, spilled in found.items():
                if spilled:
                    problems += 1
                    print(f"{name} on {chip}: {entry} spills {spilled} bytes, expected none")
    print(f"seed {options.seed}: {kernels} kernels, {problems} problems")
    sys.exit(problems > 0)


if __name__ == "__main__":
    main()
