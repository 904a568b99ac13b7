"""Prints how long calls on tiny tensors take, in microseconds, beside PyTorch's addition.

usage: overhead.py [LIMIT]   exits with 1 where a call of ours takes longer than LIMIT

The smallest of many averages: what a call costs where nothing else disturbs it. Calls on
a GPU are not waited for.
"""

import os
import sys
import time

import torch

import mlir_scan.torch as scan


def affine(x, y):
    return y[0] * x[0], y[0] * x[1] + y[1]


def measure(function, device, calls=100, repetitions=50):
    for _ in range(calls):
        function()
    best = float("inf")
    for _ in range(repetitions):
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, time.perf_counter() - start)
    return best / calls * 1e6


def main(limit=float("inf")):
    device = torch.device(os.environ.get("MLIR_SCAN_TEST_DEVICE", "cpu"))
    torch.set_num_threads(1)
    a, b = torch.rand(2, 8, 4, device=device), torch.rand(2, 8, 4, device=device)
    h = torch.rand(2, 4, device=device)
    calls = {
        "torch.add": lambda: torch.add(a, b),
        "cumsum": lambda: scan.cumsum(a, 1),
        "linear_recurrence": lambda: scan.linear_recurrence(a, b),
        "linear_recurrence_step": lambda: scan.linear_recurrence_step(h, h, h),
        "associative_scan": lambda: scan.associative_scan(affine, (a, b), 1),
        "associative_scan_step": lambda: scan.associative_scan_step(affine, (h, h), (h, h)),
    }
    slowest = 0.0
    for name, function in calls.items():
        time_of_call = measure(function, device)
        print(f"{name}: {time_of_call:.1f} us", flush=True)
        if not name.startswith("torch"):
            slowest = max(slowest, time_of_call)
    return int(slowest > limit)


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
