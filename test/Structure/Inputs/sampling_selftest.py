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

# Each case, and each value of each case, on one of so many days; with check-all on each day.
wrong = 0
os.environ["SCAN_TEST_ALL"] = ""
for first, part in itertools.product((0, 20783), (2, 3, 5)):
    cases, values = [], []
    for day in range(first, first + part):
        os.environ["SCAN_TEST_SEED"] = str(day)
        today = [number for number in range(10 * part) if sampling.is_of_today(number, part)]
        wrong += [number // part for number in today] != list(range(10))
        cases += today
        values += [(number, value) for number in range(10)
                   for value in sampling.of_today(range(part), number)]
    wrong += sorted(cases) != list(range(10 * part))
    wrong += sorted(values) != list(itertools.product(range(10), range(part)))
wrong += len({tuple(sampling.of_today("abc", number)) for number in range(3)}) != 3
wrong += sampling.of_today("abc", 1, 5) == list("abc") or sorted(sampling.of_today("abc", 1, 5)) != list("abc")
os.environ["SCAN_TEST_ALL"] = "1"
wrong += sampling.of_today("abc", 1) != list("abc")
wrong += not all(sampling.is_of_today(number, 3) for number in range(9))
print(f"{wrong} days with other cases than those of their turn")
