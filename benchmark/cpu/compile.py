#!/usr/bin/env python3
"""Measures how long compiling one scan for the CPU takes.

Each program of run.py, whose extents are dynamic, is compiled several times in this process by
`mlir_scan.compile(program, cache=False)`, each time with another name of its function, so that
nothing is found that was compiled before. What counts is the time of the clock, and beside it is
the processor time of this process; of both the least is taken: other work of the machine only adds
to them. What a process does once, such as loading libraries, is done before. Code for several
threads is the same for any number, and is compiled by as many threads as there are processors.

examples:
  PYTHONPATH=build/python benchmark/cpu/compile.py
  PYTHONPATH=build/python benchmark/cpu/compile.py --case 'on a row' --threads 2
  PYTHONPATH=build/python benchmark/cpu/compile.py --programs 15 --out results.json
  benchmark/cpu/compile.py --show results.json
"""

import argparse
import json
import os
import re
import sys
import time

#: Milliseconds that one scan may take.
BAR = 60


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", metavar="TEXT", default="",
                        help="only cases whose names contain TEXT")
    parser.add_argument("--threads", metavar="N", type=int, action="append", default=[],
                        help="how many threads; may be given several times (default: 1 and 2)")
    parser.add_argument("--programs", metavar="N", type=int, default=7,
                        help="how many programs of each case (default: %(default)s)")
    parser.add_argument("--out", metavar="FILE.json", help="write what was measured")
    parser.add_argument("--show", metavar="FILE.json", help="print what was measured before")
    parser.add_argument("--list", action="store_true", help="print the cases")
    options = parser.parse_args()
    options.threads = sorted(set(options.threads or [1, 2]))
    if options.threads[0] < 1:
        parser.error(f"expected one thread or more, found {options.threads[0]}")
    if options.programs < 1:
        parser.error(f"expected one program or more, found {options.programs}")
    return options


def find_cases(text):
    """The cases of run.py by their name and element type: the program is the same for all sizes."""
    import programs
    cases = {}
    for case in programs.make_cases(1 << 24):
        name = f"{case.name} {case.size.split()[0]}"
        if text in name:
            cases.setdefault(name, case)
    return cases


def make_program(case):
    """The text of the program, and the name of its function."""
    import mlir_scan
    if not case.derivative:
        return case.program, case.function
    module = mlir_scan.parse(case.program)
    module.run(f"scan-differentiate{{function={case.function}}}")
    return str(module), f"{case.function}_vjp"


def measure(case, count):
    """Seconds to compile each of `count` programs: of the clock, and of processors."""
    import mlir_scan
    program, name = make_program(case)
    clock, processor = [], []
    for number in range(count):
        renamed = f"{name}_{number}"
        text = re.sub(rf"@{name}\b", f"@{renamed}", program)
        begin, begin_processor = time.perf_counter(), time.process_time()
        mlir_scan.compile(text, renamed, cache=False, strided_arguments=case.strides)
        clock.append(time.perf_counter() - begin)
        processor.append(time.process_time() - begin_processor)
    return {"clock": clock, "processor": processor}


def show(results):
    """A table in Markdown: the least time of each case and number of threads."""
    records = results["records"]
    counts = sorted({record["threads"] for record in records})
    least = {(record["case"], record["threads"]):
             [1e3 * min(record["seconds"][kind]) for kind in ("clock", "processor")]
             for record in records}
    loads = [record["load"] for record in records]
    print(f"{results['processor']}, load {min(loads):.1f} to {max(loads):.1f}; ms of the clock, and "
          "of processors in brackets, the least of "
          f"{min(len(record['seconds']['clock']) for record in records)}; "
          f"at most {BAR} are asked for\n")
    titles = ["one thread" if count == 1 else f"{count} threads" for count in counts]
    print("| case | " + " | ".join(titles) + " |\n" + "|---" * (1 + len(counts)) + "|")
    for name in dict.fromkeys(record["case"] for record in records):
        times = [least.get((name, count)) for count in counts]
        cells = ["-" if ms is None else f"{ms[0]:.1f} ({ms[1]:.1f})" for ms in times]
        print(f"| {name} | " + " | ".join(cells) + " |")
    over = sum(ms[0] > BAR for ms in least.values())
    print(f"\n{len(least) - over} of {len(least)} take at most {BAR} ms.")


def main():
    options = parse()
    if options.show:
        with open(options.show) as file:
            show(json.load(file))
        return 0
    cases = find_cases(options.case)
    if not cases:
        sys.exit("compile.py: no case is selected: see --list")
    if options.list:
        print(*cases, sep="\n")
        return 0
    import mlir_scan
    from run import processor
    results = {"processor": processor(), "records": []}
    begin, number = time.monotonic(), 0
    for threads in options.threads:
        mlir_scan.set_num_threads(threads)
        measure(next(iter(cases.values())), 1)
        for name, case in cases.items():
            number += 1
            print(f"[{number}/{len(cases) * len(options.threads)}, "
                  f"{time.monotonic() - begin:.0f} s] {name}, threads: {threads}",
                  file=sys.stderr, flush=True)
            results["records"].append(
                {"case": name, "threads": threads, "seconds": measure(case, options.programs),
                 "load": os.getloadavg()[0]})
    if options.out:
        with open(options.out, "w") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
    show(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
