"""Runs a scan over a matrix with extents that lead to each of its variants.

usage: dispatch.py PROGRAM.mlir ENTRY

The scan is the only one of the function, and its arguments are equal matrices of i32 that
it is along dimension 0 or 1 of.
"""

import json
import re
import sys

import sampling
import scan_tools

program, entry = sys.argv[1:]
# The emulator takes its time.
MOST_ELEMENTS = 1100000
problems = []


def run(*command):
    done = scan_tools.run(command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


text = open(program, encoding="utf-8").read()
dimension = int(re.search(r"\bdim = (\d)", text)[1])
arguments = text.split("->")[0].count(": tensor<")
kernel, = json.loads(run("scan-opt", program, "--scan-explain=format=json", "-o", "/dev/null"))
variants = kernel["variants"]
conditions = [[condition.split() for condition in variant["when"].split(" and ")] for variant in variants]


def choose(extents):
    """The number of the variant for these steps and batch sizes: of one alone."""
    taken = [number for number, all_of_variant in enumerate(conditions)
             if all((extents[name] < int(limit)) == (comparison == "<")
                    for name, comparison, limit in all_of_variant)]
    number, = taken
    return number


# Both sides of each limit, and the smallest extents.
values = {"steps": {1, 7}, "batch": {1, 3}}
for all_of_variant in conditions:
    for name, _, limit in all_of_variant:
        values[name] |= {int(limit) - 1, int(limit)}
shapes = {}
for steps in sorted(values["steps"]):
    for points in sorted(values["batch"]):
        if steps * points <= MOST_ELEMENTS:
            shapes.setdefault(choose({"steps": steps, "batch": points}), []).append((steps, points))
for number, all_of_variant in enumerate(conditions):
    # What is for more elements than the emulator manages is tested with few (variants.test).
    least = {"steps": 1, "batch": 1}
    for name, comparison, limit in all_of_variant:
        if comparison == ">=":
            least[name] = int(limit)
    if number not in shapes and least["steps"] * least["batch"] <= MOST_ELEMENTS:
        problems.append(f"variant {number}, {variants[number]}, was not reached")
count = 0
for number, all_of_variant in shapes.items():
    # The smallest or the largest, in turn from variant to variant and from day to day.
    ends = sorted({all_of_variant[0], max(all_of_variant, key=lambda pair: pair[0] * pair[1])})
    for steps, points in sampling.of_today(ends, number):
        shape = f"{points}x{steps}" if dimension else f"{steps}x{points}"
        inputs = [f"--input=random:i32:{shape}:{i + 1}:-3:3" for i in range(arguments)]
        found = json.loads(run("scan-run", program, f"--entry={entry}", "--target=emulator", "--seed=3",
                               "--compare=reference", "--tolerance=0", "--json", "--stats", *inputs))
        count += 1
        launches = found["statistics"]["launches"]
        if launches != 1:
            problems.append(f"{shape}: {launches} launches")
print("\n".join(problems) + ("\n" if problems else "") +
      f"{entry}: {len(variants)} variants, {count} shapes, {len(problems)} problems")
