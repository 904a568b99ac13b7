"""Runs every program of a file before and after passes: before them by the
interpreter, after them by the interpreter or another target.

usage: agreement.py PROGRAMS.mlir WORKDIR EXTENT,EXTENT,... [--target=TARGET] -- PASS...

The line before a function says its inputs and how well the results agree: `run`,
bit for bit; `near`, up to 4 units in the last place; `roughly`, up to 1e-5 of the
largest number (for what is summed in another order). Targets other than the
interpreter bracket scans as they like, so that their floats agree roughly.
"""

import os
import re
import sys

import numpy as np

import scan_tools


def main():
    program, work, extents = sys.argv[1:4]
    split = sys.argv.index("--")
    passes = sys.argv[split + 1 :]
    target = "--target=reference"
    for option in sys.argv[4:split]:
        target = option
    os.makedirs(work, exist_ok=True)
    after = os.path.join(work, "after.mlir")
    scan_tools.check(["scan-opt", program, *passes, "-o", after])

    text = open(program).read()
    header = r"^// (run|near|roughly): (.*)\nfunc\.func @(\w+)\((?:.|\n)*?^  return .* : (.*)"
    cases = re.findall(header, text, re.M)
    if len(cases) != text.count("func.func"):
        sys.exit("not every function has a 'run', 'near' or 'roughly' line")
    bad = 0
    for kind, inputs, name, results in cases:
        results = results.count(", ") + 1
        for extent in extents.split(","):
            outputs = []
            for when, path in (("before", program), ("after", after)):
                files = [os.path.join(work, f"{when}{i}.npy") for i in range(results)]
                scan_tools.check(
                    ["scan-run", path, f"--entry={name}", target if when == "after" else "--target=reference"]
                    + [f"--input={i}" for i in inputs.replace("N", extent).split()]
                    + [f"--output={f}" for f in files]
                )
                outputs.append([np.load(f) for f in files])
            for i, (old, new) in enumerate(zip(*outputs)):
                assert old.shape == new.shape and old.dtype == new.dtype
                is_ordered = target == "--target=reference" or new.dtype.kind not in "fc"
                how = kind if is_ordered else "roughly"
                if how == "near":
                    same = np.allclose(old, new, rtol=4 * np.finfo(old.dtype).eps, atol=0)
                elif how == "roughly":
                    scale = np.max(np.abs(old), initial=0)
                    same = np.allclose(old, new, rtol=0, atol=1e-5 * scale, equal_nan=True)
                else:
                    same = old.tobytes() == new.tobytes()
                if not same:
                    bad += 1
                    print(f"{name}, extent {extent}: result {i} is\n{new}\nand was\n{old}")
    print(f"{len(cases)} programs, {bad} results differ")
    sys.exit(bad > 0)


main()
