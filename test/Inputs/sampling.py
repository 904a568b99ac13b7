"""Samples of test cases that are products of factors.

A sample is drawn by a seed (of lit.cfg.py: another one each day, SCAN_TEST_SEED=N brings
one back). In each sample every value of a factor occurs, and every pair of values of two
factors that occurs among all cases.
"""

import itertools
import random

# Of so many cases, the one with the most pairs that are still missing comes next.
CANDIDATES = 200


def sample(cases, part, seed, factors):
    """One of `part` cases, or more if that many are needed for all pairs, in their order.

    `factors` gives the values of a case, each for the factor of its position.
    """
    cases = list(cases)
    if part <= 1:
        return cases
    draw = random.Random(seed)
    pairs = [set(itertools.combinations(enumerate(factors(case)), 2)) for case in cases]
    missing = set().union(*pairs)
    left = list(range(len(cases)))
    draw.shuffle(left)
    chosen = []
    while missing:
        # Cases that bring nothing new are put aside for the rest of the sample.
        candidates = []
        for place in range(len(left) - 1, -1, -1):
            if not pairs[left[place]].isdisjoint(missing):
                candidates.append(left[place])
                if len(candidates) == CANDIDATES:
                    break
        best = max(candidates, key=lambda case: len(pairs[case] & missing))
        left.remove(best)
        missing -= pairs[best]
        chosen.append(best)
    more = max(0, len(cases) // part - len(chosen))
    return [cases[i] for i in sorted(chosen + left[:more])]
