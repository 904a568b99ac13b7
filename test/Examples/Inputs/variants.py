"""Runs the examples with each of their variants alone, in the emulator, against numpy.

usage: variants.py EXAMPLES WORKDIR [--every=N] [--seed=S]
"""

import argparse
import json
import os
import subprocess
import sys

import scan_tools

ENTRIES = {
    "cumsum": ["cumsum", "cumprod", "sum_of_the_rest"], "rglru": ["rglru"],
    "s5": ["s5", "s5_output"], "online_softmax": ["online_softmax"],
    "segmented_sum": ["segmented_sum"], "mingru": ["mingru"], "s5_layer": ["s5_layer"],
    "griffin": ["griffin"], "mamba": ["mamba"], "packed": ["rnn", "largest", "returns"]}
PASSES = ["--scan-normalize", "--scan-fuse-elementwise"]

parser = argparse.ArgumentParser()
parser.add_argument("examples")
parser.add_argument("work")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)


def count_variants(program):
    """{function: the most schedules that one of its kernels has}."""
    fused = os.path.join(options.work, "fused.mlir")
    done = scan_tools.run(["scan-opt", program, *PASSES, "-o", fused])
    done = done if done.returncode else scan_tools.run(
        ["scan-opt", fused, "--scan-explain=format=json", "-o", os.devnull])
    if done.returncode:
        sys.exit(done.stderr)
    counts = {}
    for kernel in json.loads(done.stdout):
        number = len(kernel.get("variants", [0]))
        counts[kernel["function"]] = max(number, counts.get(kernel["function"], 1))
    return counts


cases = []
for name, entries in ENTRIES.items():
    path = os.path.join(options.examples, name + ".mlir")
    counts = count_variants(path)
    cases += [(path, entry, number + 1) for entry in entries for number in range(counts[entry])]
here = os.path.dirname(os.path.abspath(__file__))
chosen = cases[options.seed % options.every::options.every]
problems = 0
for path, entry, number in chosen:
    done = subprocess.run(
        [sys.executable, os.path.join(here, "examples.py"), path, entry, options.work, "emulator",
         "--passes", *PASSES, f"--scan-assign-schedule=variant={number}"],
        capture_output=True, text=True, check=False)
    if done.returncode:
        problems += 1
        print(f"{entry}, variant {number}: {done.stdout}{done.stderr}")
print(f"{len(chosen)} variants of {sum(map(len, ENTRIES.values()))} examples, {problems} problems")
