"""Arrays for packed-arithmetic.mlir, and comparisons of its results.

usage: packed_arithmetic.py PREFIX          writes PREFIX.a.npy to PREFIX.d.npy
       packed_arithmetic.py --same ONE TWO  fails where a bit differs
       packed_arithmetic.py --near ONE TWO  fails where more than roundings differ
"""

import sys

import numpy as np

if sys.argv[1] == "--same":
    one, two = map(np.load, sys.argv[2:])
    assert one.view(np.uint32).tolist() == two.view(np.uint32).tolist(), (one, two)
elif sys.argv[1] == "--near":
    # Eight steps of two roundings each.
    np.testing.assert_allclose(*map(np.load, sys.argv[2:]), rtol=0, atol=16 * 2.0**-24 * 32)
else:
    numbers = np.random.default_rng(1)
    for name, shape in (("a", (6, 3, 4)), ("b", (6, 3, 4)), ("c", 8), ("d", (8, 5, 2))):
        np.save(f"{sys.argv[1]}.{name}.npy", numbers.standard_normal(shape, np.float32))
