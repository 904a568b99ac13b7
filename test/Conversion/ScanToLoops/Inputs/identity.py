"""Rows of numbers that an initial state could change: zeros of both signs, infinities, NaN first.

usage: identity.py FOLDER

Runs each function of identity.mlir for a CPU and by the reference interpreter; sums and products of
these numbers are exact, so that results must be the same, to the sign of zeros.
"""

import os
import subprocess
import sys

import numpy as np

PROGRAM = os.path.join(os.path.dirname(__file__), "identity.mlir")
INF, NAN = np.inf, np.nan
ROWS = {
    "negative zeros": lambda n: np.full(n, -0.0),
    "zeros of both signs": lambda n: np.where(np.arange(n) % 3 == 1, 0.0, -0.0),
    "a zero, then ones": lambda n: np.where(np.arange(n) == 0, -0.0, 1.0),
    "NaN first": lambda n: np.where(np.arange(n) == 0, NAN, 2.0),
    "NaN last": lambda n: np.where(np.arange(n) == n - 1, NAN, -1.0),
    "infinities first": lambda n: np.where(np.arange(n) < 2, -INF, 1.0),
    "all infinite": lambda n: np.full(n, INF),
}
FUNCTIONS = {"sum": 1, "product_reverse": 1, "extremes": 2, "both_directions": 2}
# One vector and less, tiles with what is left over, rows that are aligned first.
STEPS = (1, 5, 16, 71, 200, 3001)


def run(target, function, results, folder, environment=None):
    outputs = [os.path.join(folder, f"{target}{i}.npy") for i in range(results)]
    subprocess.run(["scan-run", PROGRAM, f"--entry={function}", f"--target={target}",
                    f"--input={folder}/x.npy", *[f"--output={path}" for path in outputs]],
                   check=True, env={**os.environ, **(environment or {})})
    return [np.load(path) for path in outputs]


def check(names, steps, folder):
    """How many rows are compared, and how many of these are wrong."""
    np.save(f"{folder}/x.npy", np.stack([ROWS[name](steps) for name in names]).astype(np.float32))
    checks, wrong = 0, 0
    for function, results in FUNCTIONS.items():
        expected = run("reference", function, results, folder)
        for threads in ("1", "3"):
            environment = {"SCAN_NUM_THREADS": threads, "SCAN_THREAD_WORK": "0"}
            for e, f in zip(expected, run("cpu", function, results, folder, environment)):
                same = (e == f) & (np.signbit(e) == np.signbit(f)) | (np.isnan(e) & np.isnan(f))
                checks += len(names)
                for name, row in zip(names, same):
                    if not row.all():
                        wrong += 1
                        print(f"WRONG {function}, {steps} steps, {name}, {threads} threads: "
                              f"step {int(np.argmin(row))}")
    return checks, wrong


def main(folder):
    os.makedirs(folder, exist_ok=True)
    counts = [check(list(ROWS), steps, folder) for steps in STEPS]
    # One row is cut into blocks for several threads.
    counts += [check([name], 9001, folder) for name in ("negative zeros", "NaN first")]
    checks, wrong = map(sum, zip(*counts))
    print(f"{checks} rows, {wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
