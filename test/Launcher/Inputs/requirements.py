"""Calls with extents that do not agree: every launcher says the same.

usage: requirements.py FILE.mlir PTX MANIFEST LAUNCH.py SCAN-LAUNCH SCAN-RUN PYTHON...

LAUNCH.py is run by PYTHON, the launcher in Python; SCAN-RUN also by the emulator.
"""

import subprocess
import sys

# A call, and what is wrong with it; "" where nothing is.
CALLS = [
    ("recurrence 10x8 10x8", ""),
    ("recurrence 0x8 0x8", ""),
    ("recurrence 10x8 11x8",
     "expected dimension 0 of arg0 and dimension 0 of arg1 to have the same extent, found 10 and 11"),
    ("recurrence 11x8 10x8",
     "expected dimension 0 of arg0 and dimension 0 of arg1 to have the same extent, found 11 and 10"),
    ("recurrence 0x8 1x8",
     "expected dimension 0 of arg0 and dimension 0 of arg1 to have the same extent, found 0 and 1"),
    ("fused 3x4 12", ""),
    ("fused 3x4 11",
     'expected extents with ["==",["*","arg0_d0","arg0_d1"],"arg1_d0"], found 12 and 11'),
    ("fused 4x3 12",
     'expected extents with ["==",["*","arg0_d0","arg0_d1"],["*","arg0_d0",4]], found 12 and 16'),
    ("scatter 2x3 4x5 2x3", ""),
    ("scatter 2x9 2x5 2x9", ""),
    ("scatter 2x3 4x5 2x4",
     "expected dimension 1 of arg0 and dimension 1 of arg2 to have the same extent, found 3 and 4"),
    ("scatter 5x3 4x5 5x3",
     "expected the extent of dimension 0 of arg2 to be at most that of dimension 0 of arg1, "
     "found 5 and 4"),
]


def emulated(function, arguments):
    kinds = ["i64" if function == "scatter" and i == 2 else "f32" for i in range(len(arguments))]
    return [f"--entry={function}", "--target=emulator",
            *(f"--input=zeros:{kind}:{shape}" for kind, shape in zip(kinds, arguments))]


def main():
    source, ptx, manifest, launch, scan_launch, scan_run, *python = sys.argv[1:]
    wrong = 0
    for call, what in CALLS:
        function, *arguments = call.split()
        for command in ([scan_launch, ptx, manifest, function, *arguments],
                        [*python, launch, ptx, manifest, function, *arguments],
                        [scan_run, source, *emulated(function, arguments)]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            lines = done.stderr.splitlines()
            errors = [line for line in lines if "error:" in line]
            if what:
                # scan-run says where the function is. The driver takes notes of launches.
                fits = (done.returncode == 1 and len(errors) == 1 and errors[0].endswith(
                    f"function '{function}': {what}")
                    and not any(line.startswith("launch ") for line in lines))
            else:
                fits = done.returncode == 0 and not errors
            if not fits:
                wrong += 1
                print(f"{call}: {command[0]}: {done.returncode}: {done.stderr}")
    print(f"{len(CALLS)} calls, {wrong} with another message")


if __name__ == "__main__":
    main()
