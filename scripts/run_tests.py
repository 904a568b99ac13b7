#!/usr/bin/env python3
"""Runs the lit tests of a build and ends with `N passed, N failed, N skipped`.

Each skipped test is named with its reason: the feature that lit found missing,
or the line `SKIP: reason` that the test printed. Lines `COUNT: ...` that a test printed are
repeated: how many cases there were in it. Before them stand the processor time of all
tests together and the tests that took most of it. The exit status is 1 if a test
failed or if none ran, and with --every also if one was skipped.
"""

import argparse
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}
# lit's own shell prints the output of a command behind "# | ".
SKIP_LINE = re.compile(r"^(?:# \| )?SKIP: (.*\S)", re.MULTILINE)
COUNT_LINE = re.compile(r"^(?:# \| )?COUNT: (.*\S)", re.MULTILINE)
LIT = "/usr/lib/llvm-22/bin/lit"


def classify(test):
    """Returns ("passed" | "failed" | "skipped", the reason for a skip)."""
    code, output = test["code"], test["output"]
    if code in SKIPPED:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return "skipped", lines[-1] if lines else "no reason given"
    if code in PASSED:
        reasons = SKIP_LINE.findall(output)
        return ("skipped", "; ".join(reasons)) if reasons else ("passed", "")
    return "failed", ""


def print_times(path, slowest):
    """The processor time of all tests, and of those that took most of it."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time: {(usage.ru_utime + usage.ru_stime) / 60:.1f} minutes "
          f"({usage.ru_utime:.0f} s user, {usage.ru_stime:.0f} s system)")
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        times = [line.rstrip("\n").split(" ", 1) for line in file]
    for seconds, name in sorted(times, key=lambda row: -float(row[0]))[:slowest]:
        print(f"{float(seconds):8.1f} s {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", help="run only tests whose path matches this regex")
    parser.add_argument("--every", action="store_true", help="fail if a test was skipped")
    parser.add_argument("--all", action="store_true",
                        help="run all cases of tests that usually run a sample of them")
    parser.add_argument("--slowest", type=int, default=10, metavar="N",
                        help="list the N tests with the most processor time")
    parser.add_argument("--timeout", type=int, metavar="SECONDS",
                        help="end a test that takes longer (900, with --all 3600)")
    arguments = parser.parse_args()
    # Far above what any test needs: it ends a test that hangs.
    timeout = arguments.timeout or (3600 if arguments.all else 900)

    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "lit.json")
        command = [sys.executable, LIT, "-v", f"-j{arguments.jobs}", "--output", report]
        command += ["--timeout", str(timeout)]
        if arguments.all:
            command += ["--param", "all=1"]
        if arguments.filter:
            command += ["--filter", arguments.filter]
        command.append(os.path.join(arguments.build, "test"))
        times = os.path.join(folder, "times")
        status = subprocess.call(command, stdin=subprocess.DEVNULL,
                                 env=dict(os.environ, SCAN_TEST_TIMES=times))
        print()
        print_times(times, arguments.slowest)
        try:
            with open(report, encoding="utf-8") as file:
                tests = json.load(file)["tests"]
        except (OSError, ValueError) as error:
            # lit itself stopped: a broken configuration, no tests, an interrupt.
            print(f"run_tests.py: lit gave no report: {error}", file=sys.stderr)
            tests = []

    counts = collections.Counter()
    failures, skips, notes = [], [], []
    for test in tests:
        if test["code"] == "EXCLUDED":
            continue
        verdict, reason = classify(test)
        counts[verdict] += 1
        notes += [f"{test['name']}: {line}" for line in COUNT_LINE.findall(test["output"])]
        if verdict == "failed":
            failures.append(f"FAILED: {test['name']} ({test['code']})")
        elif verdict == "skipped":
            skips.append(f"SKIPPED: {test['name']}: {reason}")

    for line in sorted(notes) + sorted(skips) + sorted(failures):
        print(line)
    sys.stdout.flush()
    ran = counts["passed"] + counts["failed"]
    if not ran:
        print("run_tests.py: no test ran", file=sys.stderr)
    elif status and not counts["failed"]:
        print(f"run_tests.py: lit ended with status {status}", file=sys.stderr)
    left_out = arguments.every and counts["skipped"]
    if left_out:
        print("run_tests.py: expected every test to run, found skipped ones", file=sys.stderr)
    print(
        f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped",
        flush=True,
    )
    return 1 if status or counts["failed"] or not ran or left_out else 0


if __name__ == "__main__":
    sys.exit(main())
