#!/usr/bin/env python3
"""Times the compiler: from .mlir text to PTX, as whole processes.

usage: compile_time.py [--build FOLDER] [--runs N] [--json] [--scans N ...]

Each module has a number of functions with one scan each, float32 linear
recurrences with different static extents, half of them along a contiguous
dimension and half along a strided one, so that nothing is the same twice. A run
is the process `scan-translate --scan-to-ptx`, from its start to its end, with
the loading of the shared libraries. Printed is the median of the runs, and the
processor time of one, which says more than the clock on a busy machine.

Targets: a single scan in at most 100 ms, and time linear in the number of scans:
no more per scan in the largest module than in the smallest, start-up included.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET_MS = 100.0


def write_module(scans):
    functions = []
    for i in range(scans):
        shape = f"?x{128 + i}x64" if i % 2 else f"?x64x{128 + i}"
        tensor = f"tensor<{shape}xf32>"
        functions.append(
            f"func.func @f{i}(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
            f"  %h = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor}) "
            f"dim = {1 if i % 2 else 2} -> {tensor}\n"
            f"  return %h : {tensor}\n"
            "}\n"
        )
    return "\n".join(functions)


def measure(tool, scans, runs, folder):
    """The seconds of each run, the warm-up left out, and processor seconds of a run."""
    source = os.path.join(folder, f"{scans}.mlir")
    with open(source, "w") as file:
        file.write(write_module(scans))
    command = [tool, "--scan-to-ptx", source, "--chip=sm_90", "-o", source + ".ptx"]
    subprocess.run(command, check=True)
    seconds = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor / runs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder")
    parser.add_argument("--runs", type=int, default=11, help="runs per module (default 11)")
    parser.add_argument("--scans", type=int, nargs="+", default=[1, 10, 100], help="module sizes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    tool = os.path.join(options.build, "bin", "scan-translate")
    if not os.access(tool, os.X_OK):
        sys.exit(f"compile_time.py: no {tool}: run make build, or give --build")
    if options.runs < 1 or min(options.scans) < 1:
        sys.exit("compile_time.py: expected at least one run and one scan")

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for scans in options.scans:
            try:
                seconds, processor = measure(tool, scans, options.runs, folder)
            except subprocess.CalledProcessError as error:
                sys.exit(f"compile_time.py: {error}")
            median = statistics.median(seconds) * 1e3
            rows.append(
                {
                    "scans": scans,
                    "runs": options.runs,
                    "median_ms": round(median, 2),
                    "min_ms": round(min(seconds) * 1e3, 2),
                    "max_ms": round(max(seconds) * 1e3, 2),
                    "processor_ms": round(processor * 1e3, 2),
                    "ms_per_scan": round(median / scans, 2),
                }
            )
    result = {"benchmark": "compile_time", "chip": "sm_90", "modules": rows}
    smallest, largest = rows[0], rows[-1]
    if smallest["scans"] == 1:
        result["target_ms"] = TARGET_MS
        result["target_met"] = smallest["median_ms"] <= TARGET_MS
    if largest["scans"] > smallest["scans"]:
        result["linear"] = largest["ms_per_scan"] <= smallest["ms_per_scan"]
    if options.json:
        print(json.dumps(result, indent=2))
        return
    print(".mlir text to PTX for sm_90, whole process, median of", options.runs, "runs")
    print(f"{'scans':>6} {'median ms':>10} {'min ms':>8} {'max ms':>8} {'ms/scan':>8} {'processor ms':>13}")
    for row in rows:
        print(
            f"{row['scans']:>6} {row['median_ms']:>10.1f} {row['min_ms']:>8.1f} "
            f"{row['max_ms']:>8.1f} {row['ms_per_scan']:>8.2f} "
            f"{row['processor_ms']:>13.1f}"
        )
    if "target_met" in result:
        verdict = "met" if result["target_met"] else "missed"
        print(f"target: one scan in at most {TARGET_MS:.0f} ms: {verdict}")
    if "linear" in result:
        print("growth:", "linear or less" if result["linear"] else "more than linear")


if __name__ == "__main__":
    main()
