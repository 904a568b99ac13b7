#!/usr/bin/env python3
"""Times the emulator: GPU threads that it runs per second.

usage: emulator.py [--build FOLDER] [--runs N] [--json]

Each case is a prefix sum over f32, run with --target=emulator, random order and
four resident blocks, once with every access to memory checked and once without.
A thread-run is one GPU thread from its start to its end. The time is processor
time, which a busy machine does not change much: that of the process, less that
of the same program over almost nothing, which is what compiling and starting
take. Printed is the best of the runs.

Target: 0.5 million thread-runs per second with checks, in each case.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = 0.5e6

# name, schedule, extents, dimension of the scan, the same over almost nothing
CASES = [
    ("row, 1 item", "row, threads = 128, items = 1", (4096, 128), 1, (1, 128)),
    ("row, 8 items", "row, threads = 128, items = 8", (4096, 1024), 1, (1, 1024)),
    ("sequential, 16 steps", "sequential, threads = 128", (16, 524288), 0, (16, 1)),
]


def write_module(schedule, dim):
    return (
        "func.func @sum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
        f"  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = {dim}\n"
        f"      attributes {{schedule = #scan.schedule<strategy = {schedule}>}} {{\n"
        "  ^bb0(%acc: f32, %new: f32):\n"
        "    %s = arith.addf %acc, %new : f32\n"
        "    scan.yield %s : f32\n"
        "  } -> tensor<?x?xf32>\n"
        "  return %y : tensor<?x?xf32>\n"
        "}\n"
    )


def run(tool, source, extents, *options):
    """What the run prints, and its processor seconds."""
    shape = "x".join(map(str, extents))
    command = [tool, source, "--target=emulator", f"--input=zeros:f32:{shape}", "--json", *options]
    before = os.times()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    seconds = sum(after[2:4]) - sum(before[2:4])
    return json.loads(output), seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder")
    parser.add_argument("--runs", type=int, default=3, help="runs per case (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    tool = os.path.join(options.build, "bin", "scan-run")
    if not os.access(tool, os.X_OK):
        sys.exit(f"emulator.py: no {tool}: run make build, or give --build")
    if options.runs < 1:
        sys.exit("emulator.py: expected at least one run")

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "sum.mlir")
        for name, schedule, extents, dim, small in CASES:
            with open(source, "w") as file:
                file.write(write_module(schedule, dim))
            try:
                counted, _ = run(tool, source, small, "--stats")
                threads = counted["statistics"]["threads"]
                blocks = extents[1 - dim] if dim == 1 else -(-extents[1] // 128)
                threads = threads * blocks
                row = {"case": name, "threads": threads}
                for races in ("on", "off"):
                    check = f"--races={races}"
                    start = min(run(tool, source, small, check)[1] for _ in range(options.runs))
                    whole = min(run(tool, source, extents, check)[1] for _ in range(options.runs))
                    row[f"per_second_races_{races}"] = round(threads / max(whole - start, 1e-6))
                rows.append(row)
            except subprocess.CalledProcessError as error:
                sys.exit(f"emulator.py: {error}\n{error.stderr}")
    met = all(row["per_second_races_on"] >= TARGET for row in rows)
    if options.json:
        print(json.dumps({"benchmark": "emulator", "target_per_second": TARGET,
                          "target_met": met, "cases": rows}, indent=2))
        return
    print("emulated thread-runs per second of one core, in millions, best of", options.runs)
    print(f"{'case':<22} {'threads':>8} {'checked':>8} {'unchecked':>10}")
    for row in rows:
        print(f"{row['case']:<22} {row['threads']:>8} {row['per_second_races_on'] / 1e6:>8.2f} "
              f"{row['per_second_races_off'] / 1e6:>10.2f}")
    print(f"target: {TARGET / 1e6} with checks in each case: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
