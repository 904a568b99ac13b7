"""Runs a scan over a matrix with extents that lead to each of its variants.

usage: dispatch.py PROGRAM.mlir ENTRY

The scan is the only one of the function, and its arguments are equal matrices of i32 that
it is along dimension 0 or 1 of.
"""

import json
import re
import subprocess
import sys

program, entry = sys.argv[1:]
# The emulator takes its time.
MOST_ELEMENTS = 1100000
problems = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


text = open(program, encoding="utf-8").read()
dimension = int(re.search(r"\bdim = (\d)", text)[1])
arguments = text.split("->")[0].count(": tensor<")
kernel, = json.loads(run("scan-opt", program, "--scan-explain=format=json dispatch=true", "-o", "/dev/null"))
variants = kernel["variants"]


def choose(extents):
    """The number of the variant for these steps and points."""
    for number, variant in enumerate(variants):
        if "when" not in variant:
            return number
        name, comparison, limit = variant["when"].split()
        if (extents[name] < int(limit)) == (comparison == "<"):
            return number
    raise AssertionError("no variant is left for the rest")


# Both sides of each limit, and the smallest extents.
values = {"steps": {1, 7}, "batch": {1, 3}}
for variant in variants[:-1]:
    name, _, limit = variant["when"].split()
    values[name] |= {int(limit) - 1, int(limit)}
shapes = {}
for steps in sorted(values["steps"]):
    for points in sorted(values["batch"]):
        if steps * points <= MOST_ELEMENTS:
            shapes.setdefault(choose({"steps": steps, "batch": points}), []).append((steps, points))
for number, variant in enumerate(variants):
    if number not in shapes:
        problems.append(f"variant {number}, {variant}, was not reached")
count = 0
for number, all_of_variant in shapes.items():
    # The smallest and the largest.
    for steps, points in {all_of_variant[0], max(all_of_variant, key=lambda pair: pair[0] * pair[1])}:
        shape = f"{points}x{steps}" if dimension else f"{steps}x{points}"
        inputs = [f"--input=random:i32:{shape}:{i + 1}:-3:3" for i in range(arguments)]
        found = json.loads(run("scan-run", program, f"--entry={entry}", "--target=emulator", "--dispatch=on", "--seed=3",
                               "--compare=reference", "--tolerance=0", "--json", "--stats", *inputs))
        count += 1
        launches = found["statistics"]["launches"]
        if launches != 1:
            problems.append(f"{shape}: {launches} launches")
print("\n".join(problems) + ("\n" if problems else "") +
      f"{entry}: {len(variants)} variants, {count} shapes, {len(problems)} problems")
