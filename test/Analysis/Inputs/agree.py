"""Prints bytes as the analysis and as the emulator count them.

usage: agree.py FILE ENTRY FOLDER TYPE:SHAPE...

"read T F D, written T F D": total and floor of the fused program by
--scan-print-traffic, and what the emulator counts as distinct bytes.
"""

import json
import os
import subprocess
import sys

path, entry, folder, *specs = sys.argv[1:]
extents, inputs = [], []
for i, spec in enumerate(specs):
    shape = spec.split(":")[1].split("x")
    extents += [f"arg{i}_d{d}={extent}" for d, extent in enumerate(shape)]
    inputs.append(f"--input=random:{spec}:{i + 1}")


def run(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


report = run("scan-opt", path, "--scan-normalize", "--scan-fuse-elementwise",
             f"--scan-print-traffic=format=json extents={','.join(extents)}", "-o", os.devnull)
function, = [f for f in report["functions"] if f["name"] == entry]
stats = run("scan-run", path, f"--entry={entry}", "--target=emulator", "--stats", "--json",
            *inputs, f"--output={folder}/0.npy",
            *([f"--output={folder}/1.npy"] if entry == "rglru" else []))["statistics"]
print(", ".join(
    f"{what} {function['total'][key]} {function['floor'][key]} {stats[of]['floor_bytes']}"
    for what, key, of in (("read", "read_bytes", "global_reads"),
                          ("written", "written_bytes", "global_writes"))))
