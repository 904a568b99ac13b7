"""Runs every section of a file before and after its transform script.

usage: tiled.py FILE.mlir WORKDIR [PASS...] [-- PASS...]

A section is a function under a line `// run: INPUT...` and a module with the
script. `N` and `B` in the inputs are replaced by extents. The untiled program is
run by the interpreter, the tiled one as machine code and, unless it has a loop
that the interpreter does not know (scf.forall), by the interpreter as well: all
results are to be equal bit by bit. The passes run ahead of the script, those after
`--` behind it.
"""

import os
import re
import subprocess
import sys

import numpy as np

import scan_tools

# Extent of the scan dimension, extent of the others: fewer than a tile, tiles
# that do not divide, nothing at all.
EXTENTS = [(5, 7), (1, 1), (0, 3), (6, 0), (3, 4)]


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def results(program, target, inputs, count, prefix):
    files = [f"{prefix}{i}.npy" for i in range(count)]
    outputs = [f"--output={f}" for f in files]
    scan_tools.check(["scan-run", program, f"--target={target}", *inputs, *outputs])
    return [np.load(f) for f in files]


def main():
    source, work, *passes = sys.argv[1:]
    passes, after = (
        (passes[: passes.index("--")], passes[passes.index("--") + 1 :])
        if "--" in passes
        else (passes, [])
    )
    os.makedirs(work, exist_ok=True)
    sections = [s for s in open(source).read().split("// -----\n") if "// run:" in s]
    programs = runs = bad = 0
    for section in sections:
        name = re.search(r"func\.func @(\w+)", section)[1]
        at = section.index("module attributes {transform.with_named_sequence}")
        payload, script, tiled, plain = (
            os.path.join(work, f"{name}.{kind}.mlir")
            for kind in ("payload", "script", "tiled", "plain")
        )
        open(payload, "w").write(section[:at])
        open(script, "w").write(section[at:])
        # The script does what it is there for, or fails.
        run(
            "scan-ir-test" if after else "scan-opt",
            payload,
            *passes,
            f"--transform-preload-library=transform-library-paths={script}",
            "--transform-interpreter",
            *after,
            "-o",
            tiled,
        )
        text = open(tiled).read()
        if "scf.for" not in text:
            sys.exit(f"{name}: no loop after the script\n{text}")
        candidates = [("cpu", tiled)]
        if "scf.forall" not in text:
            run("scan-opt", tiled, "--lower-affine", "-o", plain)
            candidates.append(("reference", plain))
        count = re.search(r"^  return .* : (.*)", section, re.M)[1].count("tensor<")
        inputs = re.search(r"// run: (.*)", section)[1]
        programs += 1
        for n, b in EXTENTS if re.search("[NB]", inputs) else [(0, 0)]:
            given = [
                f"--input={i.replace('N', str(n)).replace('B', str(b))}"
                for i in inputs.split()
            ]
            prefix = os.path.join(work, name)
            want = results(payload, "reference", given, count, prefix + ".want")
            for target, program in candidates:
                got = results(program, target, given, count, prefix + ".got")
                runs += 1
                for i, (old, new) in enumerate(zip(want, got)):
                    same = old.shape == new.shape and old.dtype == new.dtype
                    if not (same and old.tobytes() == new.tobytes()):
                        bad += 1
                        print(
                            f"{name} on {target}, extents {n} and {b}: "
                            f"result {i} is\n{new}\nand should be\n{old}"
                        )
    print(f"{programs} programs, {runs} runs, {bad} results differ")
    sys.exit(bad > 0)


main()
