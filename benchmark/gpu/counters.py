#!/usr/bin/env python3
"""Reads the GPU's counters while this project's kernels of some cases of run.py run once each:
which unit is busy, and what warps wait for. --scan-explain predicts the former; this measures.

Needs Nsight Compute (`ncu`) and the right to read counters. The caches are empty before each
kernel, as in run.py; clocks stay as they are found.

examples:
  run.py --workloads h --match rglru --prepare kernels --chip sm_90
  counters.py --kernels kernels                        all that was compiled
  counters.py --kernels kernels --match bf16 --json    some cases, for machines
"""

import argparse
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

import kernels
import workloads

# Shown: (column, metric, scale, format).
COLUMNS = [
    ("us", "gpu__time_duration.sum", 1e-3, ".1f"),
    ("regs", "launch__registers_per_thread", 1, ".0f"),
    ("warps %", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 1, ".0f"),
    ("issue %", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("FMA %", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("ALU %", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("XU %", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("LSU %", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", 1, ".0f"),
    ("Minst", "smsp__inst_executed.sum", 1e-6, ".1f"),
    ("MB read", "dram__bytes_read.sum", 1e-6, ".1f"),
    ("MB written", "dram__bytes_write.sum", 1e-6, ".1f"),
]
# Why a warp does not issue, in the words of Nsight Compute.
STALLS = ["barrier", "branch_resolve", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
          "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
          "no_instruction", "not_selected", "short_scoreboard", "sleeping", "tex_throttle", "wait"]
STALL_METRIC = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# Reasons that are shown of a kernel.
SHOWN_STALLS = 4
# A line that the process that launches prints, for the one that reads the counters.
MARK = "launched: "


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\nexamples:")[0],
        epilog="examples:" + __doc__.split("examples:")[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kernels", metavar="DIR", required=True, help="kernels that run.py --prepare has compiled")
    add("--match", type=re.compile, metavar="REGEX", help="only cases whose key matches")
    add("--json", action="store_true", help="print JSON, with all reasons of stalls")
    add("--launch", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def launch(options):
    """What runs below ncu: each call once, between the marks that the profiler minds."""
    import torch
    import worker
    from contenders.ours import Ours, Static

    context = worker.Context({"kernels": options.kernels, "chip": None})
    profiler = torch.cuda.cudart()
    for case in workloads.all_cases():
        if options.match and not options.match.search(case.key):
            continue
        sets = None
        for contender in (Ours(context), Static(context)):
            if contender.refuse(case):
                continue
            sets = sets or context.make_sets(case)[:1]
            built = contender.build(case, sets)
            torch.cuda.synchronize()
            profiler.cudaProfilerStart()
            built.calls[0]()
            torch.cuda.synchronize()
            profiler.cudaProfilerStop()
            entries = [part.split()[0] for part in built.note.split("; ")]
            print(MARK + json.dumps({"case": case.key, "variant": contender.name,
                                     "kernels": entries}), flush=True)


def profile(options):
    """Runs `launch` below ncu; {case, variant, kernel, metric: number} of each kernel."""
    ncu = shutil.which("ncu")
    if not ncu:
        sys.exit("counters.py: expected Nsight Compute: no ncu on PATH")
    metrics = [metric for _, metric, _, _ in COLUMNS] + list(map(STALL_METRIC.format, STALLS))
    command = [ncu, "--clock-control", "none", "--profile-from-start", "off", "--csv",
               "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics),
               sys.executable, os.path.abspath(__file__), "--launch", "--kernels", options.kernels]
    if options.match:
        command += ["--match", options.match.pattern]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    launched = [json.loads(line[len(MARK):]) for line in lines if line.startswith(MARK)]
    table = [line for line in lines if line.startswith('"')]
    if done.returncode or not table:
        said = [line for line in lines if "==ERROR==" in line] or done.stderr.splitlines()[-3:]
        sys.exit("counters.py: ncu read no counters: " + " ".join(said or ["no kernel was launched"]))
    # The second line has the units.
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(table))) if row["ID"]]
    names = [(call["case"], call["variant"], kernel)
             for call in launched for kernel in call["kernels"]]
    if len(names) != len(rows):
        sys.exit(f"counters.py: expected {len(names)} kernels, ncu saw {len(rows)}: "
                 f"{', '.join(row['Kernel Name'] for row in rows)}")
    return [{"case": case, "variant": variant, "kernel": kernel,
             **{metric: number(row.get(metric)) for metric in metrics}}
            for (case, variant, kernel), row in zip(names, rows)]


def number(text):
    """None for what this GPU does not count."""
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def find_stalls(record):
    """[(reason, share of the time that warps spend)], the largest first."""
    values = {reason: record[STALL_METRIC.format(reason)] or 0.0 for reason in STALLS}
    # A warp that issues is not stalled, which is one of the warps at each issue.
    total = sum(values.values()) + 1
    return sorted(((reason, value / total) for reason, value in values.items()),
                  key=lambda pair: -pair[1])


def print_table(records):
    print("| case | kernel | " + " | ".join(name for name, *_ in COLUMNS) + " | warps wait for |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    for record in records:
        cells = ["-" if record[metric] is None else format(record[metric] * scale, form)
                 for _, metric, scale, form in COLUMNS]
        stalls = ", ".join(f"{reason} {share:.0%}"
                           for reason, share in find_stalls(record)[:SHOWN_STALLS])
        variant = "" if record["variant"] == "ours" else f", {record['variant']}"
        print(f"| {record['case']}{variant} | {record['kernel']} | " + " | ".join(cells) +
              f" | {stalls} |")


def main():
    options = parse()
    if options.launch:
        launch(options)
        return 0
    try:
        kernels.read_index(options.kernels)
    except OSError:
        sys.exit(f"counters.py: no index.json in {options.kernels}: make it with "
                 f"run.py --prepare {options.kernels}")
    records = profile(options)
    if options.json:
        json.dump(records, sys.stdout, indent=1)
    else:
        print_table(records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
