"""Assembles a program's kernels for a sample of the chips and looks for spills.

usage: chips_of_the_day.py SOURCE COUNT SEED PROGRAM.mlir

SOURCE is the folder of the project, whose table names the chips; COUNT of them are drawn.
"""

import random
import re
import subprocess
import sys

source, count, seed, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with open(f"{source}/lib/Target/Chips.cpp") as file:
    chips = re.findall(r'^\s*\{"(sm_\d+)"', file.read(), re.MULTILINE)
assert len(chips) >= 7, chips
kernels = spills = 0
for chip in random.Random(seed).sample(chips, min(count, len(chips))):
    done = subprocess.run(["scan-translate", "--scan-to-ptx", "--ptxas", f"--chip={chip}", program, "-o", "/dev/null"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{chip}: {done.stderr}")
    # kernel, registers, spill bytes, stack bytes, shared bytes
    for name, spilled, stack in re.findall(r"^(\S+) +\d+ +(\d+) +(\d+) +\d+$", done.stdout + done.stderr, re.MULTILINE):
        kernels += 1
        if int(spilled) or int(stack):
            spills += 1
            print(f"{chip}: {name}: {spilled} bytes of spills, {stack} of stack")
print(f"{kernels} kernels, {spills} spill")
sys.exit(spills > 0 or kernels == 0)
