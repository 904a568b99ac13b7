"""Runs every program of a file on the emulator, under schedules of its own choice.

usage: schedules.py PROGRAMS.mlir WORKFILE EXTENT,EXTENT,... PART SCHEDULE...

Every kernel of the file gets the schedule, `strategy = row, threads = 64, items = 4`
or so. Numbers are compared with the reference interpreter's. Seeds, the order of
blocks and how many of them run side by side differ from run to run. PART is 1, or N
for a sample: one program and schedule of so many, another one each day, with all extents.
"""

import re
import sys

import sampling
import scan_tools

program, work, extents, part = sys.argv[1:5]
extents = extents.split(",")
text = open(program).read()
cases = re.findall(r"^// run: (.*)\nfunc\.func @(\w+)", text, re.M)
bad = runs = 0
pairs = -1
for schedule in sys.argv[5:]:
    attribute = f"schedule = #scan.schedule<{schedule}>"
    with open(work, "w") as file:
        # Kernels have a dictionary of attributes already, or none before `load`.
        scheduled = re.sub(r"attributes {", f"attributes {{{attribute}, ", text)
        scheduled = re.sub(r"\)>\]\n( *)load", rf")>]\n\1attributes {{{attribute}}}\n\1load",
                           scheduled)
        assert scheduled.count(attribute) == text.count("scan.kernel")
        file.write(scheduled)
    for inputs, name in cases:
        pairs += 1
        if not sampling.is_of_today(pairs, int(part)):
            continue
        for number, extent in enumerate(extents, pairs * len(extents)):
            runs += 1
            order = ("random", "in-order", "adversarial")[number % 3]
            command = ["scan-run", work, f"--entry={name}", "--target=emulator",
                       "--compare=reference", "--tolerance=1e-5", f"--seed={number}",
                       f"--schedule={order}", f"--resident-blocks={number % 4 + 1}"]
            command += [f"--input={i}" for i in inputs.replace("N", extent).split()]
            done = scan_tools.run(command)
            if done.returncode:
                bad += 1
                print(f"{name}, extent {extent}, {schedule}:\n{done.stdout}{done.stderr}")
print(f"{len(cases)} programs, {runs} runs, {bad} fail")
sys.exit(bad > 0)
