"""Runs every program of a file before and after passes, by the interpreter.

usage: agreement.py PROGRAMS.mlir WORKDIR EXTENT,EXTENT,... -- PASS...
"""

import os
import re
import subprocess
import sys

import numpy as np


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def main():
    program, work, extents = sys.argv[1:4]
    passes = sys.argv[sys.argv.index("--") + 1 :]
    os.makedirs(work, exist_ok=True)
    after = os.path.join(work, "after.mlir")
    run(["scan-opt", program, *passes, "-o", after])

    text = open(program).read()
    header = r"^// (run|near): (.*)\nfunc\.func @(\w+)\((?:.|\n)*?^  return .* : (.*)"
    cases = re.findall(header, text, re.M)
    if len(cases) != text.count("func.func"):
        sys.exit("not every function has a 'run' or 'near' line")
    bad = 0
    for kind, inputs, name, results in cases:
        results = results.count("tensor<")
        for extent in extents.split(","):
            outputs = []
            for when, path in (("before", program), ("after", after)):
                files = [os.path.join(work, f"{when}{i}.npy") for i in range(results)]
                run(
                    ["scan-run", path, f"--entry={name}", "--target=reference"]
                    + [f"--input={i}" for i in inputs.replace("N", extent).split()]
                    + [f"--output={f}" for f in files]
                )
                outputs.append([np.load(f) for f in files])
            for i, (old, new) in enumerate(zip(*outputs)):
                assert old.shape == new.shape and old.dtype == new.dtype
                if kind == "near":
                    same = np.allclose(old, new, rtol=4 * np.finfo(old.dtype).eps, atol=0)
                else:
                    same = old.tobytes() == new.tobytes()
                if not same:
                    bad += 1
                    print(f"{name}, extent {extent}: result {i} is\n{new}\nand was\n{old}")
    print(f"{len(cases)} programs, {bad} results differ")
    sys.exit(bad > 0)


main()
