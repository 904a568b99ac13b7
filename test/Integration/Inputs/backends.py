"""Runs every program of a file on the CPU and in the emulator, by each of the
schedules, and compares with the interpreter.

usage: backends.py PROGRAMS.mlir WORKDIR EXTENT,... TARGET,... [PART]

Above each function stands a line `// run:` with its inputs, in which N is the
extent, and perhaps a line `// tolerance:`; without one all bits have to agree. With
PART, a sample: one program and schedule of so many, another one each day, with all
extents.
"""

import os
import re
import sys

import sampling
import scan_tools

SCHEDULES = {
    "cpu": [""],
    "emulator": [
        "#scan.schedule<strategy = sequential, threads = 32, items = 1>",
        "#scan.schedule<strategy = sequential, threads = 32, items = 4>",
        "#scan.schedule<strategy = row, threads = 32, items = 1>",
        "#scan.schedule<strategy = row, threads = 64, items = 5>",
        "#scan.schedule<strategy = column, threads = 64, items = 3, lanes = 4, vector = 2>",
        "#scan.schedule<strategy = column, threads = 32, items = 2, lanes = 16>",
        "#scan.schedule<strategy = row, threads = 64, items = 4, rows = 8>",
    ],
}


def scheduled(text, schedule):
    """The program with the schedule on every kernel."""
    if not schedule:
        return text
    attribute = f"schedule = {schedule}"

    def add(match):
        maps, attributes = match.groups()
        inner = f"{attribute}, {attributes}" if attributes else attribute
        return f"{maps} attributes {{{inner}}}\n"

    return re.sub(
        r"^( *maps \[.*?\])(?: attributes \{(.*)\})?\n", add, text, flags=re.M
    )


def main():
    program, work, extents, targets = sys.argv[1:5]
    part = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    os.makedirs(work, exist_ok=True)
    kernels = scan_tools.check(
        ["scan-opt", program, "--scan-normalize", "--scan-fuse-elementwise"]
    )
    header = r"^// run: (.*)\n(?:// tolerance: (.*)\n)?func\.func @(\w+)\("
    text = open(program).read()
    cases = re.findall(header, text, re.M)
    if len(cases) != text.count("func.func"):
        sys.exit("not every function has a 'run' line")
    pairs = runs = bad = 0
    for target in targets.split(","):
        for number, schedule in enumerate(SCHEDULES[target]):
            path = os.path.join(work, f"{target}{number}.mlir")
            with open(path, "w") as file:
                file.write(scheduled(kernels, schedule))
            for inputs, tolerance, name in cases:
                pairs += 1
                if not sampling.is_of_today(pairs, part):
                    continue
                for extent in extents.split(","):
                    seed = ["--seed=7"] if target == "emulator" else []
                    done = scan_tools.run(
                        ["scan-run", path, f"--entry={name}", f"--target={target}"]
                        + ["--compare=reference", f"--tolerance={tolerance or 0}"]
                        + seed
                        + [f"--input={i}" for i in inputs.replace("N", extent).split()]
                    )
                    runs += 1
                    if done.returncode:
                        bad += 1
                        print(f"{target}, {schedule or 'loops'}, {name}, extent {extent}: exit {done.returncode}\n"
                              f"{done.stdout}{done.stderr}")
    print(f"{len(cases)} programs, {runs} runs, {bad} differ")
    sys.exit(bad > 0)


main()
