#!/usr/bin/env python3
"""Measures what a prepared launch takes of the caller's time, in C++ and from Python.

usage: launch.py [--build FOLDER] [--device fake|cuda] [--launches N] [--parts ...] [--json FILE]

On this machine's GPU (cuda), or with a driver that takes notes instead of launching
(fake; no GPU is needed, and what the real driver takes is left out). Parts:

    cpp        Call::launch
    runtime    mlir_scan.runtime: a prepared call with results in given memory, and a function
               that is called like any other, over PyTorch's tensors and over arrays with
               __cuda_array_interface__
    core       mlir_scan.Program: a prepared call with addresses, and a function that is called with
               PyTorch's tensors
    torch      functions of mlir_scan.torch
    prepare    a call for extents that were not there before, by mlir_scan.runtime

Printed are medians: until the driver was called for the last kernel (of the fake one, which
says when that was), until the call returned, and what is aimed at for the former, or else the
latter. The last line is the same as JSON. The machine should have nothing else to do.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
PARTS = ("cpp", "runtime", "core", "torch", "prepare")
# Microseconds, by part.
AIMS = {"cpp": 5, "runtime": 12, "core": 12, "torch": 12}
# Arguments as scan-launch takes them.
CASES = {
    "rows": ["3x1000"],
    "variants": ["3x100000"],
    "recurrence": ["2x9x3", "2x9x3", "2x3"],
    "twice": ["5x70", "=-3"],
}


def run(command, environment):
    """The last line that the command prints, as JSON."""
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True,
                            check=False)
    if result.returncode:
        raise SystemExit(f"launch.py: {command[0]} failed")
    return json.loads(result.stdout.splitlines()[-1])


def measure(options, ptx, manifest, environment):
    """A row for each measurement."""
    times = []
    if "cpp" in options.parts:
        tool = [os.path.join(options.build, "bin", "scan-launch"), f"--time={options.launches}"]
        times = [("cpp", name, run([*tool, ptx, manifest, name, *arguments], environment))
                 for name, arguments in CASES.items()]
    parts = [part for part in options.parts if part != "cpp"]
    if parts:
        request = {"build": options.build, "device": options.device, "launches": options.launches,
                   "ptx": ptx, "manifest": manifest, "parts": parts, "cases": CASES}
        times += run([sys.executable, os.path.join(FOLDER, "worker.py"), json.dumps(request)],
                     environment)
    return [{"part": part, "case": case, "aim_us": AIMS.get(part),
             **{key.replace("_ns", "_us"): value / 1e3 for key, value in medians.items()}}
            for part, case, medians in times]


def show(rows):
    print(f"{'part':8} {'case':44} {'to driver us':>13} {'returned us':>12} {'aim':>6}")
    for row in rows:
        reached = f"{row['reached_us']:.2f}" if "reached_us" in row else "-"
        aim = f"<= {row['aim_us']}" if row["aim_us"] else "-"
        print(f"{row['part']:8} {row['case']:44} {reached:>13} {row['returned_us']:>12.2f} "
              f"{aim:>6}")
    missed = [row for row in rows if row["aim_us"]
              and row.get("reached_us", row["returned_us"]) > row["aim_us"]]
    print(f"COUNT: {len(rows)} measurements, {len(missed)} above what is aimed at")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="of the project")
    parser.add_argument("--package", help="the folder with mlir_scan (default: python of the build, "
                        "or of the checkout)")
    parser.add_argument("--device", choices=("fake", "cuda"), default="fake")
    parser.add_argument("--launches", type=int, default=20000, help="per measurement")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--ptx", help="of programs.mlir, where there is no compiler")
    parser.add_argument("--manifest", help="that belongs to it")
    parser.add_argument("--json", help="a file for the results")
    options = parser.parse_args()
    if options.launches < 1:
        parser.error(f"expected one launch or more, found {options.launches}")
    if bool(options.ptx) != bool(options.manifest):
        parser.error("--ptx and --manifest belong together")
    options.build = os.path.abspath(options.build)
    # Without the extension, which is in the build folder, mlir_scan.runtime is there.
    package = options.package or os.path.join(options.build, "python")
    package = package if os.path.isdir(package) else os.path.join(ROOT, "python")
    environment = {**os.environ, "PYTHONPATH": package}
    if options.device == "fake":
        environment["SCAN_FAKE_CUDA_QUIET"] = "1"
        environment["LD_LIBRARY_PATH"] = os.path.join(options.build, "test", "fake-cuda")
    with tempfile.TemporaryDirectory() as folder:
        ptx, manifest = options.ptx, options.manifest
        if not ptx:
            ptx, manifest = (os.path.join(folder, name) for name in ("k.ptx", "k.json"))
            subprocess.run([os.path.join(options.build, "bin", "scan-translate"), "--scan-to-ptx",
                            "--dispatch", os.path.join(FOLDER, "programs.mlir"), "-o", ptx,
                            f"--manifest={manifest}"], check=True)
        rows = measure(options, ptx, manifest, environment)
    show(rows)
    results = {"benchmark": "launch", "device": options.device, "launches": options.launches,
               "rows": rows}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
