"""Prints bytes as the analysis and as the emulator count them.

usage: agree.py FILE ENTRY FOLDER TYPE:SHAPE...

"read T F D, written T F D": total and compulsory traffic of the program by
--scan-print-traffic, when scans are fused and merged, and what the emulator counts
as distinct bytes.
"""

import json
import os
import re
import subprocess
import sys

path, entry, folder, *specs = sys.argv[1:]
shapes, inputs = [], []
for i, spec in enumerate(specs):
    shape = spec.split(":")[1].split("x")
    shapes.append(shape)
    inputs.append(f"--input=random:{spec}:{i + 1}")

signature = re.search(rf"func\.func @{entry}\((?:.|\n)*?\)\s*-> (.*) {{$", open(path).read(), re.M)
results = signature[1].count("tensor<")
arguments = re.findall(r"tensor<([0-9?x]*)x", signature[0].split("->")[0])
extents = [f"arg{i}_d{d}={extent}" for i, (shape, known) in enumerate(zip(shapes, arguments))
           for d, (extent, is_known) in enumerate(zip(shape, known.split("x"))) if is_known == "?"]


def run(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


report = run("scan-opt", path, "--scan-normalize", "--scan-fuse-elementwise", "--scan-bidirectional",
             f"--scan-print-traffic=format=json extents={','.join(extents)}", "-o", os.devnull)
function, = [f for f in report["functions"] if f["name"] == entry]
stats = run("scan-run", path, f"--entry={entry}", "--target=emulator", "--stats", "--json",
            *inputs, *(f"--output={folder}/{i}.npy" for i in range(results)))["statistics"]
print(", ".join(
    f"{what} {function['total'][key]} {function['compulsory'][key]} {stats[of]['compulsory_bytes']}"
    for what, key, of in (("read", "read_bytes", "global_reads"),
                          ("written", "written_bytes", "global_writes"))))
