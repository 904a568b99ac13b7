"""Compares what is compiled of scan.head_flags with the interpreter, of all kinds of lists.

usage: head_flags_lists.py PROGRAM SEED

Lists that do not cover all steps, or have offsets where no steps are, are lists, too; SEED draws
some more of them.
"""

import random
import sys

import scan_tools

PROGRAM, SEED = sys.argv[1], int(sys.argv[2])
STEPS = 7
LISTS = [
    # Too short, beginning behind the first step, and both.
    [0, 5], [2, 7], [2, 4, 5],
    # Segments without steps: amid others, at the end, and in front.
    [0, 0, 3, 3, 7], [0, 5, 5], [3, 3, 3, 6],
    # No segment, and no offset.
    [4], [0], [7], [],
    # Offsets outside of the steps.
    [-3, 2, 9, 12], [9, 12], [-5, -2],
]
runs = differ = 0


def values(type, numbers):
    return f"--input=values:{type}:{len(numbers)}:{','.join(map(str, numbers))}"


def compare(entry, *inputs):
    global runs, differ
    for target in "cpu", "emulator":
        command = ["scan-run", PROGRAM, f"--entry={entry}", *inputs, f"--target={target}",
                   "--compare=reference", "--tolerance=0"]
        done = scan_tools.run(command)
        runs += 1
        if done.returncode:
            differ += 1
            print(" ".join(command), done.stdout + done.stderr, sep="\n")


def draw(generator, least, most, count):
    return sorted(generator.randint(least, most) for _ in range(count))


def main():
    generator = random.Random(SEED)
    drawn = [draw(generator, -2, STEPS + 2, generator.randint(1, 6)) for _ in range(8)]
    for offsets in LISTS + drawn:
        compare("each", values("i32", offsets), values("i64", offsets),
                f"--input=zeros:i8:{STEPS}")
    compare("static", values("i64", [1, 1, 6]), values("i32", [3]), values("i32", []))
    for steps in 700, 704, 9001:
        for offsets in ([-70, 131, 131, 192, 700, 1000000],
                        draw(generator, -9, steps + 9, generator.randint(1, 300))):
            compare("scans", f"--input=random:i32:{steps}:1", values("i32", offsets))
    for offsets in [2, 4, 4, 7], [0, 4, 7, 9], draw(generator, -2, 11, 4):
        for entry in "inits", "reverse":
            compare(entry, "--input=random:i32:9x5:1", "--input=random:i32:3x5:2",
                    values("i32", offsets), values("i32", [0, 2, 5, 9, 9]))
    compare("more", "--input=random:i32:9x5:1", values("i32", [0, 2, 2, 9]))
    print(f"{runs} runs, {differ} differ")


main()
