"""Runs every function of a program on several numbers of threads.

usage: threads.py PROGRAM.mlir WORK THREADS...

The line in front of a function, "// 3x5 9x33 -> 2: random:f32:S:1", has the extents to
run it with, the number of its results, and its inputs, in which S stands for the extents
and S0, S1 ... for one of them. Results of more threads have to be those of one to the bit,
but for functions whose line begins with "// cut": these have to be the same on all numbers
of threads but one. All have to be near the interpreter's. WORK is the beginning of the
names of files.
"""

import os
import re
import sys

import scan_tools

# For all runs: the process that they go to is started with it.
os.environ["SCAN_THREAD_WORK"] = "0"
program, work, *counts = sys.argv[1:]
with open(program) as file:
    cases = re.findall(r"^// (cut )?(.*) -> (\d): (.*)\nfunc\.func @(\w+)", file.read(), re.M)
runs = bad = 0
for cut, shapes, results, inputs, name in cases:
    files = [f"{work}.{i}.npy" for i in range(int(results))]
    for shape in shapes.split():
        expected = None
        extents = shape.split("x")
        given = re.sub(r"S(\d)", lambda place: extents[int(place[1])], inputs).replace("S", shape).split()
        for count in counts:
            done = scan_tools.run(
                ["scan-run", program, f"--entry={name}", "--target=cpu",
                 f"--threads={count}", "--compare=reference", "--tolerance=1e-5",
                 "--check-memory", *[f"--output={file}" for file in files],
                 *[f"--input={i}" for i in given]])
            found = None
            if done.returncode == 0 and not done.stderr:
                found = [open(file, "rb").read() for file in files]
            if not (cut and count == "1"):
                expected = expected or found
            runs += 1
            if found is None or expected and found != expected:
                bad += 1
                print(f"{name}, {shape}, {count} threads:\n{done.stdout}{done.stderr}")
print(f"{runs} runs on {', '.join(counts)} threads: {bad} fail")
sys.exit(bad > 0)
