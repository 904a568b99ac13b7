#!/usr/bin/env python3
"""Measures this project's scans on the CPU beside others, on one core or on several.

Everything runs in this process: who is measured takes turns, so that whatever else the
machine does meets all alike. Times on one thread are those of the processor, spent in this
process: others that run meanwhile take bandwidth, but no time. On several threads, which
only large cases are measured on, they are those of the clock. What counts are ratios of
one round, of which medians are taken: to memcpy of as many bytes, and to each of the others.

examples:
  PYTHONPATH=build/python benchmark/cpu/run.py --quick
  PYTHONPATH=build/python benchmark/cpu/run.py --threads 1 --threads 2 --rounds 5 \\
      --seconds 5 --out results.json --plot results.png
  PYTHONPATH=build/python benchmark/cpu/run.py --case 'recurrence' --against 'C'
  benchmark/cpu/run.py --show results.json
"""

import argparse
import json
import os
import platform
import sys
import time

import report


#: Bytes from which on several threads are measured.
LARGE = 8 << 20


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", metavar="TEXT", default="",
                        help="only cases whose names contain TEXT")
    parser.add_argument("--against", metavar="NAME", action="append", default=[],
                        help="only these besides ours and memcpy: numpy, C, 'C -ffast-math', "
                             "torch, 'torch generic', jax, 'jax scan'")
    parser.add_argument("--threads", metavar="N", type=int, action="append", default=[],
                        help="how many threads; may be given several times (default: 1)")
    parser.add_argument("--limit", metavar="N", type=int, default=1 << 27,
                        help="the most elements of an array (default: %(default)s)")
    parser.add_argument("--quick", action="store_true",
                        help="arrays of at most 2^20 elements, 3 rounds, without what compiles "
                             "for long (torch generic and jax), unless --against says so")
    parser.add_argument("--rounds", metavar="N", type=int, default=9,
                        help="how often each takes its turn (default: %(default)s)")
    parser.add_argument("--seconds", metavar="S", type=float, default=20,
                        help="the most time for a case, but for three rounds (default: %(default)s)")
    parser.add_argument("--compiler", metavar="CC", default="clang-22",
                        help="for the loops in C (default: %(default)s)")
    parser.add_argument("--out", metavar="FILE.json", help="write what was measured")
    parser.add_argument("--plot", metavar="FILE.png", help="draw it")
    parser.add_argument("--show", metavar="FILE.json", help="print what was measured before")
    parser.add_argument("--list", action="store_true", help="print the cases")
    options = parser.parse_args()
    if options.rounds < 3:
        parser.error(f"expected three rounds or more, for medians, found {options.rounds}")
    if options.quick:
        options.limit, options.rounds = min(options.limit, 1 << 20), 3
        options.against = options.against or ["numpy", "C", "C -ffast-math", "torch"]
    options.threads = options.threads or [1]
    if min(options.threads) < 1:
        parser.error(f"expected one thread or more, found {min(options.threads)}")
    return options


def processor():
    """The name of the processor, as the system has it."""
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def measure_call(function, seconds=2e-3, clock=time.process_time):
    """Seconds of one call: the mean of as many as last at least `seconds`."""
    count = 1
    while True:
        start = clock()
        for _ in range(count):
            function()
        elapsed = clock() - start
        if elapsed >= seconds or count >= 1 << 16:
            return elapsed / count
        count *= max(2, min(16, int(1.2 * seconds / max(elapsed, 1e-9))))


def check(case, functions):
    """Stops where ours is not what the loops in C or numpy compute, up to rounding."""
    import numpy
    for name in ("C", "numpy"):
        if name not in functions:
            continue
        ours, other = numpy.asarray(functions["ours"]()[0]), functions[name]()
        error = numpy.abs(ours - other).max() / max(numpy.abs(other).max(), 1)
        if not error < 1e-3:
            sys.exit(f"run.py: {case.key}: expected the numbers of {name}, found a difference of "
                     f"{error:.2g} of the largest one")


def measure(case, makers, options, threads):
    """The record of a case: seconds of each round by name, and the time to compile."""
    clock = time.process_time if threads == 1 else time.perf_counter
    functions, record = {}, {
        "case": case.key + (f", {threads} threads" if threads > 1 else ""), "threads": threads,
        "nbytes": case.nbytes, "bar": case.bar if threads == 1 else 0.0,
        "bar_gbs": case.bar_gbs if threads == 1 else 0.0, "seconds": {}}
    for name, make in makers.items():
        start = time.process_time()
        try:
            function = make(case)
            if not function:
                continue
            if name == "ours":
                record["compile_seconds"] = time.process_time() - start
            function()
        except (ImportError, MemoryError, RuntimeError, NotImplementedError) as error:
            print(f"run.py: {name} does not run {case.key}: {error}", file=sys.stderr)
            continue
        functions[name] = function
    check(case, functions)
    # A slow one keeps the others from having many rounds: it has its own limit.
    begin, skipped = time.process_time(), set()
    for number in range(options.rounds):
        for name, function in functions.items():
            if name in skipped:
                continue
            seconds = measure_call(function, clock=clock)
            record["seconds"].setdefault(name, []).append(seconds)
            if number >= 2 and seconds * options.rounds * len(functions) > options.seconds:
                skipped.add(name)
        if number >= 2 and time.process_time() - begin > options.seconds:
            break
    return record


def main():
    options = parse()
    if options.show:
        with open(options.show) as file:
            results = json.load(file)
        report.show(results)
        if options.plot:
            report.draw(results, options.plot)
        return 0
    import contenders
    import programs
    cases = [case for case in programs.make_cases(options.limit) if options.case in case.key]
    if not cases:
        sys.exit("run.py: no case is selected: see --list")
    if options.list:
        for case in cases:
            print(f"{case.key}  {case.nbytes} bytes")
        return 0
    makers = contenders.make_all(options.compiler, options.against)
    results = {"processor": processor(), "cores": os.cpu_count(), "records": []}
    begin = time.monotonic()
    # Threads that wait for work take time of the processor for a while: those of a case on
    # several would count for the next one on one.
    turns = [(threads, case) for threads in sorted(set(options.threads)) for case in cases
             if threads == 1 or case.nbytes >= LARGE]
    for number, (threads, case) in enumerate(turns):
        on = "" if threads == 1 else f" on {threads} threads"
        print(f"[{number + 1}/{len(turns)}, {time.monotonic() - begin:.0f} s] {case.key}{on}",
              file=sys.stderr, flush=True)
        contenders.set_threads(threads)
        case.load()
        record = measure(case, makers, options, threads)
        # Arrays of later cases need the memory.
        case.release()
        record["load"] = os.getloadavg()[0]
        results["records"].append(record)
        if options.out:
            with open(options.out, "w") as file:
                json.dump(results, file, indent=1)
                file.write("\n")
    report.show(results)
    if options.plot:
        report.draw(results, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
