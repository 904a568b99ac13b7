"""A test format of lit that measures the processor time of each test.

Times go to the file named by SCAN_TEST_TIMES, which run_tests.py sets: a line of seconds
and name for each test. Other work on the machine makes the wall time longer, not these.
"""

import os
import resource

import lit.formats


def children_seconds():
    """Processor time of all processes that this one has started and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class MeasuredTest(lit.formats.ShTest):
    """lit runs one test at a time in each of its processes."""

    def execute(self, test, litConfig):
        before = children_seconds()
        result = super().execute(test, litConfig)
        path = os.environ.get("SCAN_TEST_TIMES")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{children_seconds() - before:.3f} {test.getFullName()}\n")
        return result
