"""A plugin of pytest: of tests with many parameters, a sample runs.

Of a function with at least MANY sets of parameters, one of PART sets runs, others each day
(sampling.is_of_today); all of them with make check-all. What is left out is counted by pytest
as deselected.

usage: pytest -p parameter_sample --parameter-part=PART
"""

import collections

import sampling

MANY = 4


def pytest_addoption(parser):
    parser.addoption("--parameter-part", type=int, default=1, metavar="PART",
                     help="run one of so many sets of parameters, others each day")


def pytest_collection_modifyitems(config, items):
    part = config.getoption("--parameter-part")
    of_function = collections.defaultdict(list)
    for item in items:
        of_function[item.nodeid.partition("[")[0]].append(item)
    left_out = {item for same in of_function.values() if len(same) >= MANY
                for place, item in enumerate(same) if not sampling.is_of_today(place, part)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
