"""Compares two arrays.

usage: near.py EXPECTED.npy FOUND.npy TOLERANCE

TOLERANCE is relative to the largest magnitude that is expected.
"""

import sys

import numpy as np

expected, found = map(np.load, sys.argv[1:3])
bound = float(sys.argv[3]) * np.abs(expected).max()
assert expected.shape == found.shape, (expected.shape, found.shape)
error = np.abs(expected - found).max()
if not error <= bound:
    sys.exit(f"differ by {error:.2e}, allowed are {bound:.2e}")
print(f"{'x'.join(map(str, expected.shape))} numbers within {float(sys.argv[3])}")
