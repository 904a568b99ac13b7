"""Arguments for sides.mlir, and what becomes of them: sides.py input|check STEM."""

import sys

import numpy as np

what, stem = sys.argv[1:]
if what == "input":
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, -1e-45, 1e-20, -1e-20]
    numbers = [np.linspace(-110, 110, 1501), np.linspace(-1, 1, 2001), edges]
    np.save(stem + ".npy", np.concatenate(numbers).astype(np.float32))
    sys.exit()
x = np.load(stem + ".npy").astype(np.float64)
with np.errstate(all="ignore"):
    exact = [np.exp(x), np.sqrt(-np.expm1(2 * x)), 2 / (1 + np.exp(-2 * x)),
             2 / (1 + np.exp(2 * x)), 0.5 / np.sqrt(x), np.log1p(np.exp(-abs(x))),
             np.expm1(-abs(x))]
    # A tanh near -1 in f32 has lost what is left of the sum: the exact one counts.
    for number, expected in enumerate(exact):
        found = np.load(f"{stem}.{number}.npy")
        rounded = expected.astype(np.float32)
        assert (np.isnan(found) == np.isnan(expected)).all(), number
        assert (np.isinf(found) == np.isinf(rounded)).all(), number
        there = np.isfinite(rounded)
        # A sigmoid that is below 2^-126 is the reciprocal of infinity.
        least = 2.0**-125 if number in (2, 3) else 0
        error = abs(found[there] - expected[there]) - least
        bound = 4 * np.spacing(abs(rounded[there])).astype(np.float64)
        assert (error <= bound).all(), (number, x[there][error > bound])
        # Zeros keep their signs.
        zero = there & (rounded == 0)
        assert (np.signbit(found[zero]) == np.signbit(rounded[zero])).all(), number
