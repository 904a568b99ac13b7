"""Runs every program of a file by a backend and compares with the interpreter.

usage: backends.py PROGRAMS.mlir TARGET EXTENT,EXTENT,... [-- WORKFILE PASS...]

TARGET may be followed by options of scan-run: "emulator --dispatch=off".

The backend normalises and fuses the program on its way; the interpreter runs it
as it is. They may differ by a few rounding errors per step. With passes, both run
what these make of the program.
"""

import re
import sys

import scan_tools

program, target, extents = sys.argv[1:4]
text = open(program).read()
if len(sys.argv) > 4:
    after, passes = sys.argv[5], sys.argv[6:]
    scan_tools.check(["scan-opt", program, *passes, "-o", after])
    program = after
cases = re.findall(r"^// (?:run|near): (.*)\nfunc\.func @(\w+)", text, re.M)
bad = 0
for inputs, name in cases:
    for extent in extents.split(","):
        command = ["scan-run", program, f"--entry={name}", *f"--target={target}".split()]
        command += ["--compare=reference", "--tolerance=1e-5"]
        command += [f"--input={i}" for i in inputs.replace("N", extent).split()]
        done = scan_tools.run(command)
        if done.returncode:
            bad += 1
            print(f"{name}, extent {extent}:\n{done.stdout}{done.stderr}")
print(f"{len(cases)} programs, {bad} runs fail")
sys.exit(bad > 0)
