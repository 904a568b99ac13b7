"""Launches each program by its older manifest and by that of version 4, and compares what the
driver is asked for.

usage: versions.py FOLDER LAUNCH...

LAUNCH is a command that takes PTX, manifest, function and arguments.
"""

import os
import subprocess
import sys

CALLS = [
    ("programs", 1, "cumsum 3x1000"), ("programs", 1, "twice 5x70 =-3"), ("programs", 1, "twice 0x7 =1"),
    ("programs", 1, "same 4"), ("workspace", 2, "shared 3x100000"), ("workspace", 2, "shared 0x9"),
    ("conditions", 3, "rows 3x100"), ("conditions", 3, "rows 3x100000"),
    ("conditions", 3, "rows 1000x4000"), ("cleared", 3, "sums 40x33"),
]


def launch(command, folder, name, version, call):
    path = os.path.join(folder, name)
    done = subprocess.run([*command, path + ".ptx", f"{path}-{version}.json", *call.split()],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        sys.exit(f"{name}-{version} {call}: {done.stderr}")
    return done.stdout + done.stderr


def main():
    folder, *command = sys.argv[1:]
    for name, version, call in CALLS:
        old, new = (launch(command, folder, name, which, call) for which in (version, 4))
        count = sum(line.startswith("launch ") for line in new.splitlines())
        same = "the same" if old == new else f"and others:\n{old}\nand\n{new}"
        print(f"{name}-{version} {call}: {count} launches, {same}")


if __name__ == "__main__":
    main()
