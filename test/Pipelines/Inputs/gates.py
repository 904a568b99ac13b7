"""Compares what gates.mlir gives on two targets: gates.py STEM reads STEM.TARGET.NUMBER.npy."""

import sys

import numpy as np

x = np.load(sys.argv[1] + ".npy").astype(np.float64)
with np.errstate(over="ignore"):
    exact = [1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))]
for target in ("reference", "emulator"):
    for number, expected in enumerate(exact):
        found = np.load(f"{sys.argv[1]}.{target}.{number}.npy")
        assert (np.isnan(found) == np.isnan(expected)).all(), target
        there = ~np.isnan(expected)
        # Both divide by infinity where a sigmoid is below 2^-126.
        error = abs(found[there] - expected[there]) - 2.0**-126
        bound = 4 * np.spacing(expected[there].astype(np.float32)).astype(np.float64)
        assert (error <= bound).all(), (target, number, x[there][error > bound])
