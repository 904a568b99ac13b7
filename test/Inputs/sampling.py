"""Samples of test cases that are products of factors.

A sample is drawn by a seed (of lit.cfg.py: another one each day, SCAN_TEST_SEED=N brings
one back). In each sample every value of a factor occurs, and every pair of values of two
factors that occurs among all cases.

Where a few values are tried one after the other, each day takes others of them (`of_today`,
`is_of_today`): all of them occur on any so many days in a row.
"""

import itertools
import os
import random
import time

# Of so many cases, the one with the most pairs that are still missing comes next.
CANDIDATES = 200


def _day():
    """Of lit.cfg.py, which counts days; by hand the same."""
    return int(os.environ.get("SCAN_TEST_SEED") or time.time() // 86400)


def _is_all():
    return os.environ.get("SCAN_TEST_ALL") == "1"


def of_today(values, number=0, count=1):
    """So many of the values, all of them with make check-all.

    Cases with different numbers have different values on the same day.
    """
    if _is_all():
        return list(values)
    start = _day() + number
    return [values[(start + i) % len(values)] for i in range(min(count, len(values)))]


def is_of_today(number, part):
    """Whether the case with that number is in today's sample of one of `part`.

    One in each `part` cases that follow each other is, which of them is drawn: neighbours
    often differ in one factor, whose values all occur.
    """
    if _is_all() or part <= 1:
        return True
    group, place = divmod(number, part)
    order = random.Random(group).sample(range(part), part)
    return order[_day() % part] == place


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
