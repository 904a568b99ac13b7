"""Writes all pairs of special numbers, one in each column.

usage: pairs.py FILE.npy f4|f8
"""

import itertools
import sys

import numpy

file, dtype = sys.argv[1:]
numbers = [0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, -numpy.nan, 1e-40, -3e38]
pairs = numpy.array(list(itertools.product(numbers, repeat=2)), dtype)
numpy.save(file, numpy.ascontiguousarray(pairs.T))
