"""Checks samples of the matrix of test/Integration and of the scans of test/Target.

usage: sampling_selftest.py TEST-FOLDER
"""

import dataclasses
import itertools
import os
import sys

sys.path += [os.path.join(sys.argv[1], folder, "Inputs") for folder in ("Integration", "Target")]
import matrix
import programs
import sampling


def words(configuration):
    return configuration["name"].split()


def pairs(cases, factors):
    return {pair for case in cases
            for pair in itertools.combinations(enumerate(factors(case)), 2)}


missing = large = 0
samples = set()
for cases, factors in ((list(matrix.configurations("linear")), words),
                       (list(programs.all_cases()), dataclasses.astuple)):
    assert sampling.sample(cases, 1, 7, factors) == cases
    for seed, part in itertools.product(range(5), (4, 100000)):
        sample = sampling.sample(cases, part, seed, factors)
        missing += len(pairs(cases, factors) - pairs(sample, factors))
        large += len(sample) >= len(cases) // part
        samples.add(str(sample))
        assert sample == [case for case in cases if case in sample]
print(f"{missing} pairs missing in 20 samples, {len(samples)} of them different, {large} large enough")
