"""The command line of run.py."""

import argparse
import re

import workloads
from contenders import NAMES

DESCRIPTION = """Measures scans on an NVIDIA GPU: this project's kernels beside a device copy
of the same bytes, PyTorch, CUB, Triton and JAX. Numbers are checked first, against float64.
What is not installed, and what there was no time for, is listed as not measured."""

EXAMPLES = f"""workloads:
{chr(10).join(f'  {key}  {title}' for key, title in workloads.TITLES.items())}

contenders: {', '.join(NAMES)}

examples:
  run.py                                     all that is measured by default
  run.py --quick --budget 300                headline cases, in five minutes at most
  run.py --quick --slow none                 without what takes long to compile
  run.py --workloads a,b --sizes 2^20,2^28   some cases
  run.py --workloads e --contenders ours,copy --schedule 'e:row, threads = 256, items = 8'
  run.py --prepare kernels --chip sm_90      compile here, ...
  run.py --kernels kernels                   ... and measure on a machine without the compiler
  run.py --dry-run                           compile and plan everything; no GPU is needed
  run.py --emulate                           check numbers at small sizes; no GPU is needed
  run.py --workloads dynamic --tune t.json     have scan-tune measure schedules, ...
  run.py --workloads dynamic --tuning t.json   ... and measure these beside the cost model's
  run.py --show results/NVIDIA-H200.json     print and plot what was measured before
  run.py --join 1.json 2.json --out all.json put several runs together, with tables and plots

Each case is measured in rounds, in which every contender runs once, in random order: one
replay of a CUDA graph of calls with inputs of their own, between two events, after the L2
was overwritten. Shown are medians. Bytes are those that a scan has to move: inputs once,
outputs once (forward with backward: 8 arrays). GPUs without a CUDA toolkit run all but CUB.
"""


def positive(text):
    number = float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text}")
    return number


def size(text):
    match = re.fullmatch(r"2\^(\d+)|(\d+)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"expected a size such as 4096 or 2^20, found {text}")
    return 2 ** int(match[1]) if match[1] else int(match[2])


def listed(known):
    def parse(text):
        parts = text.split(",")
        for part in parts:
            if part not in known:
                raise argparse.ArgumentTypeError(
                    f"expected some of {', '.join(known)}, found '{part}'")
        return parts
    return parse


def sizes(text):
    return [size(part) for part in text.split(",")]


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        prog="run.py", description=DESCRIPTION, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    what = parser.add_argument_group("what to do, instead of measuring")
    what.add_argument("--dry-run", action="store_true",
                      help="compile, check plans, print the tables")
    what.add_argument("--emulate", action="store_true",
                      help="check the programs' numbers in the emulator, at small sizes")
    what.add_argument("--prepare", metavar="DIR", help="compile into DIR for --kernels")
    what.add_argument("--tune", metavar="FILE",
                      help="measure the schedules of dynamic cases with scan-tune into a tuning "
                      "cache, for --tuning")
    what.add_argument("--show", metavar="JSON", help="tables and plots of an earlier run")
    what.add_argument("--join", metavar="JSON", nargs="+",
                      help="put the results of several runs into --out; later ones count")
    what.add_argument("--list", action="store_true", help="list the cases that are selected")
    add("--workloads", type=listed(list(workloads.TITLES)), help="such as a,b,d (default: all)")
    add("--sizes", type=sizes, help="such as 2^16,2^20: elements of 1-D scans, steps of others")
    add("--match", type=re.compile, metavar="REGEX",
        help="only cases whose key matches, as --list prints them")
    add("--all-sizes", action="store_true", help="every power of two, not every other one")
    add("--quick", action="store_true", help="headline cases only, fewer rounds")
    add("--contenders", type=listed(NAMES), help="such as ours,copy,cub (default: all)")
    add("--slow", choices=["headline", "all", "none"], default="headline",
        help="which cases contenders measure that take long to build (default: headline)")
    add("--schedule", action="append", default=[], metavar="WORKLOAD:SCHEDULE",
        help="measure our kernels with this #scan.schedule, too; may be repeated")
    add("--tuning", metavar="FILE",
        help="measure dynamic cases with the schedules of this tuning cache, too")
    add("--budget", type=positive, metavar="SECONDS", help="stop in time, keep what there is")
    add("--rounds", type=int, default=15, help="rounds at most (default: 15)")
    add("--case-timeout", type=positive, default=150, metavar="SECONDS",
        help="give a case up after this (default: 150)")
    add("--no-check", action="store_true", help="do not compare numbers")
    add("--kernels", metavar="DIR", help="kernels that --prepare has compiled")
    add("--bin", metavar="DIR", help="folder of scan-opt, scan-translate and scan-tune")
    add("--chip", help="what to compile for (default: the GPU; without one sm_90)")
    add("--ptxas", action="store_true",
        help="assemble what is compiled, list kernels that spill registers")
    add("--out", metavar="JSON", help="where results go (default: benchmark/results/GPU.json)")
    add("--add", action="store_true",
        help="keep what the JSON file has of cases and contenders that are not measured now")
    add("--no-plots", action="store_true", help="tables and JSON only")
    add("--verbose", action="store_true", help="what went wrong, at length")
    options = parser.parse_args(arguments)
    if options.rounds < 3:
        parser.error("expected three rounds or more")
    if options.join and not options.out:
        parser.error("expected --out with --join: where the results go")
    if options.kernels and (options.schedule or options.tuning):
        parser.error("expected schedules when kernels are compiled: give --schedule and --tuning "
                     "to --prepare")
    return options


def select(options):
    """The cases that were asked for, headline cases first, then interleaved by workload."""
    cases = [case for case in workloads.all_cases()
             if (not options.workloads or case.workload in options.workloads)
             and (not options.sizes or case.size in options.sizes)
             and (not options.match or options.match.search(case.key))]
    if options.quick:
        cases = [case for case in cases if case.is_headline]
    elif not (options.all_sizes or options.sizes or options.match):
        cases = [case for case in cases if case.is_default]
    return cases


def in_order(cases):
    """As they are measured: what matters most first, and all workloads in turn."""
    ranks, counts = {}, {}
    for case in sorted(cases, key=lambda case: not case.is_headline):
        group = (case.is_headline, case.workload)
        counts[group] = counts.get(group, 0) + 1
        ranks[case.key] = (not case.is_headline, counts[group], case.workload)
    return sorted(cases, key=lambda case: ranks[case.key])
