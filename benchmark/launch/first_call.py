#!/usr/bin/env python3
"""Measures the first calls of programs whose kernels are compiled when they are needed.

usage: first_call.py [--build FOLDER] [--package FOLDER] [--device fake|cuda] [--runs N]
                     [--json FILE]

The extents of each program are dynamic. In a process of its own it is compiled and called
with few elements, then with many. Once all kernels are compiled before the first call
(mlir_scan.ptx, mlir_scan.Program), and once each when it is needed (mlir_scan.load); once
with an empty cache on disk, and once with what the process before has left there. Printed
are medians:

    first       until the first call has returned, from the program's text on
    other       until the first call with many elements has returned, for which another
                kernel is meant
    best        until that kernel is there
    processor   processor time up to the first call, and of all

The fake device is a driver that takes notes: what a real one takes to assemble PTX comes
on top, for each kernel that is loaded. The last line is the same as JSON. The machine
should have nothing else to do; processor times bear it best.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
KEYS = ("first", "other", "best", "processor_first", "processor_all")


def write_sum(shape, dim):
    tensor = f"tensor<{shape}xf32>"
    return (f"func.func @f(%x: {tensor}) -> {tensor} {{\n"
            f"  %y = scan.associative ins(%x : {tensor}) dim = {dim} {{\n"
            "  ^bb0(%acc: f32, %new: f32):\n"
            "    %s = arith.addf %acc, %new : f32\n"
            "    scan.yield %s : f32\n"
            f"  }} -> {tensor}\n  return %y : {tensor}\n}}\n")


def write_recurrence(shape, dim, element):
    tensor = f"tensor<{shape}x{element}>"
    return (f"func.func @f(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
            f"  %h = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor}) "
            f"dim = {dim} -> {tensor}\n"
            f"  return %h : {tensor}\n}}\n")


# Programs, and the shapes of few and of many elements.
CASES = {
    "sum ?": (write_sum("?", 0), (1000,), (4_000_000,)),
    "sum ?x? along 1": (write_sum("?x?", 1), (4000, 100), (8, 100_000)),
    "recurrence ?x?x?xf32 along 1": (write_recurrence("?x?x?", 1, "f32"), (64, 128, 1024),
                                     (1, 65_536, 64)),
    "recurrence ?x?x?xbf16 along 1": (write_recurrence("?x?x?", 1, "bf16"), (64, 128, 1024),
                                      (1, 65_536, 64)),
}


def work(request):
    """What one process measures, in milliseconds."""
    import torch

    import mlir_scan
    from mlir_scan import compiler

    if request["device"] == "fake":
        from worker import fake_cuda
        fake_cuda(request["build"])
    place = "cpu" if request["device"] == "fake" else "cuda"
    text, *shapes = CASES[request["case"]]
    dtype = torch.bfloat16 if "bf16" in text else torch.float32
    count = 2 if "recurrence" in text else 1
    few, many = ([torch.zeros(shape, dtype=dtype, device=place)] * count for shape in shapes)
    device = mlir_scan.Device()
    # What a process does once whatever the program.
    mlir_scan.ptx("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }",
                  cache=False)
    start, processor = time.perf_counter(), time.process_time()
    if request["lazy"]:
        program = mlir_scan.load(text, device)
    else:
        chip = compiler.choose_chip(device.compute_capability)
        program = mlir_scan.Program(device, *mlir_scan.ptx(text, chip))
    function = program["f"]
    function(*few)
    first, processor_first = time.perf_counter(), time.process_time()
    function(*many)
    other = time.perf_counter()
    if request["lazy"]:
        mlir_scan.wait_for_kernels()
    best = time.perf_counter()
    processor_all = time.process_time()
    is_best = function.prepare(*many).is_best
    assert is_best
    times = (first - start, other - first, best - first, processor_first - processor,
             processor_all - processor)
    return dict(zip(KEYS, (round(seconds * 1e3, 2) for seconds in times)))


def measure(options, case, is_lazy, environment):
    """Rows for a case: with an empty cache and with a full one."""
    request = {"build": options.build, "device": options.device, "case": case, "lazy": is_lazy}
    runs = {False: [], True: []}
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            for is_cached in (False, True):
                done = subprocess.run(
                    [sys.executable, os.path.abspath(__file__), "--work", json.dumps(request)],
                    env={**environment, "MLIR_SCAN_CACHE_DIR": folder}, stdout=subprocess.PIPE,
                    text=True, check=False)
                if done.returncode:
                    raise SystemExit(f"first_call.py: measuring '{case}' failed")
                runs[is_cached].append(json.loads(done.stdout.splitlines()[-1]))
    return [{"case": case, "kernels": "when needed" if is_lazy else "all first",
             "cached": is_cached,
             **{f"{key}_ms": statistics.median(run[key] for run in runs[is_cached])
                for key in KEYS}} for is_cached in runs]


def show(rows):
    print(f"{'case':30} {'kernels':12} {'cache':6}" + "".join(f"{key + ' ms':>20}" for key in KEYS))
    for row in rows:
        print(f"{row['case']:30} {row['kernels']:12} {'full' if row['cached'] else 'empty':6}"
              + "".join(f"{row[key + '_ms']:20.1f}" for key in KEYS))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="of the project")
    parser.add_argument("--package",
                        help="the folder with mlir_scan (default: python of the build)")
    parser.add_argument("--device", choices=("fake", "cuda"), default="fake")
    parser.add_argument("--runs", type=int, default=5, help="processes per measurement")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--json", help="a file for the results")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        print(json.dumps(work(json.loads(options.work))))
        return
    if options.runs < 1:
        parser.error(f"expected one run or more, found {options.runs}")
    options.build = os.path.abspath(options.build)
    package = options.package or os.path.join(options.build, "python")
    environment = {**os.environ, "PYTHONPATH": package}
    if options.device == "fake":
        environment["SCAN_FAKE_CUDA_QUIET"] = "1"
        environment["LD_LIBRARY_PATH"] = os.path.join(options.build, "test", "fake-cuda")
    rows = [row for case in options.cases for is_lazy in (False, True)
            for row in measure(options, case, is_lazy, environment)]
    show(rows)
    results = {"benchmark": "first_call", "device": options.device, "runs": options.runs,
               "rows": rows}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
