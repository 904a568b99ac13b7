#!/usr/bin/env python3
"""Measures many schedules of many programs on an NVIDIA GPU, to compare what the cost
model predicts, and what it chooses, with what is fastest.

examples:
  sweep.py --out sweep.json --budget 240      compile, then measure; stops in time
  sweep.py --prepare kernels                  compile here, ...
  sweep.py --kernels kernels --out sweep.json ... and measure on a machine without the compiler
  sweep.py --top 6 --also sweep.json          what a changed model chooses, beside the best
  sweep.py --report sweep.json                the model of these tools against what was measured

Programs are the workloads of run.py, models of examples/ and the same with dynamic
extents. Numbers have to agree between schedules. A schedule's *regret* is its time over
that of the fastest one that was measured for these extents.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import kernels
import machine
import programs
import sweep_cases
from actions import progress
from session import Session

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweep_worker.py")
# Driver's assembler, which keeps what it made: processes that fill its cache, and its size.
ASSEMBLERS, CACHE_BYTES = 12, 4 << 30
CASE_SECONDS = 60
# Of the schedules of an earlier run, per cell.
ALSO = 3


def stem_of(program, schedule):
    return f"{program.name}@{hashlib.sha1(schedule.encode()).hexdigest()[:10]}"


def compile_one(fused, schedule, tools, chip, stem):
    text = programs.give_schedule(fused, schedule)
    kernels.translate(text, tools, chip, stem)


def spread(pool, function, items, what):
    """[(item, result or CompileError)] of function(item), with a bar."""
    futures = {pool.submit(function, item): item for item in items}
    found = []
    for future in progress(concurrent.futures.as_completed(futures), len(futures), what):
        try:
            found.append((futures[future], future.result()))
        except kernels.CompileError as error:
            found.append((futures[future], error))
    return found


def fastest(path, number):
    """{key of a cell: its fastest schedules} of an earlier run."""
    if not path:
        return {}
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["cells"]
    times = {row["key"]: times_of(row) for row in rows}
    return {key: sorted(found, key=found.get)[:number] for key, found in times.items()}


def prepare(folder, cells, options):
    """Compiles all schedules of `cells`; index.json says which are for which cell."""
    os.makedirs(folder, exist_ok=True)
    errors, earlier = [], fastest(options.also, ALSO)
    tools, chip = kernels.find_tools(options.bin), options.chip
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        fused = {}
        for program, text in spread(pool, lambda program: sweep_cases.fuse(program, tools),
                                    {cell.program: None for cell in cells}, "fusing"):
            if isinstance(text, kernels.CompileError):
                errors.append([program.name, "", str(text)])
            else:
                fused[program] = text
        cells = [cell for cell in cells if cell.program in fused]

        def consider(cell):
            text = fused[cell.program]
            chosen = sweep_cases.choices(cell, text, tools, chip)
            found = sweep_cases.list_schedules(cell, text, tools, chip, options.top)
            return chosen, [*earlier.get(cell.key, []), *found]

        # What one cell considers is measured for all cells of its program.
        choices, lists = {}, {program: {} for program in fused}
        for cell, result in spread(pool, consider, cells, "choosing"):
            if isinstance(result, kernels.CompileError):
                errors.append([cell.key, "", str(result)])
                continue
            choices[cell.key] = result[0]
            lists[cell.program].update(dict.fromkeys([*result[0].values(), *result[1]]))
        cells = [cell for cell in cells if cell.key in choices]
        work, needed = {}, {}
        for cell, rows in spread(
                pool, lambda cell: sweep_cases.predict(cell, fused[cell.program],
                                                       list(lists[cell.program]), tools, chip),
                cells, "predicting"):
            if isinstance(rows, kernels.CompileError):
                errors.append([cell.key, "", str(rows)])
                continue
            best = min(row["nanoseconds"] for row in rows.values())
            order = [*dict.fromkeys([*choices[cell.key].values(), *earlier.get(cell.key, [])]),
                     *(schedule for schedule, row in rows.items()
                       if row["nanoseconds"] <= sweep_cases.SLOWEST * best)]
            work[cell.key] = {schedule: stem_of(cell.program, schedule) for schedule in order}
            needed.update({(cell.program, schedule): None for schedule in order})
        failed = set()
        for (program, schedule), error in spread(
                pool, lambda item: compile_one(fused[item[0]], item[1], tools, chip,
                                               os.path.join(folder, stem_of(*item))),
                needed, "compiling"):
            if error:
                errors.append([program.name, schedule, str(error)])
                failed.add(stem_of(program, schedule))
    work = {key: {schedule: stem for schedule, stem in of_cell.items() if stem not in failed}
            for key, of_cell in work.items()}
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        json.dump({"chip": chip, "schedules": {}, "tools": kernels.version(tools), "errors": errors,
                   "choices": choices, "work": work}, file, indent=1)
    for name, schedule, text in errors:
        print(f"  {name}, {schedule}: {text}")
    print(f"{len(work)} cells, {len(needed)} kernels, {len(errors)} failures")


def assemble(folder, stems):
    """Fills the cache of the driver's assembler, in a process of its own."""
    runtime = kernels.import_runtime()
    device = runtime.Device()
    for stem in stems:
        try:
            runtime.Program(device, os.path.join(folder, stem + ".ptx"),
                            os.path.join(folder, stem + ".json"))
        except runtime.ScanError as error:
            print(f"{stem}: {error}", file=sys.stderr)
    return len(stems)


def assemble_all(folder, stems, deadline):
    """In several processes: where that fails, loading takes longer."""
    parts = [stems[begin:begin + 8] for begin in range(0, len(stems), 8)]
    pool = concurrent.futures.ProcessPoolExecutor(
        min(ASSEMBLERS, os.cpu_count()), mp_context=multiprocessing.get_context("spawn"))
    try:
        futures = [pool.submit(assemble, folder, part) for part in parts]
        done = concurrent.futures.as_completed(
            futures, timeout=max(1.0, deadline - time.monotonic()))
        for future in progress(done, len(parts), "assembling"):
            future.result()
    except Exception as error:  # pylint: disable=broad-except
        print(f"assembling in parallel: {type(error).__name__} {error}", file=sys.stderr)
    pool.shutdown(wait=False, cancel_futures=True)


def measure(cells, options):
    begin = time.monotonic()
    deadline = begin + (options.budget or 1e6)
    facts = {**machine.describe(), "arguments": sys.argv[1:]}
    if not facts["gpu"]:
        sys.exit("sweep.py: no NVIDIA GPU on this machine (nvidia-smi was not found or failed); "
                 "--prepare and --report need none")
    folder = options.kernels or tempfile.mkdtemp(prefix="scan-sweep-")
    if not options.kernels:
        prepare(folder, cells, options)
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    facts["kernels"] = {"chip": index["chip"], "tools": index["tools"]}
    cells = [cell for cell in cells if cell.key in index["work"]]
    os.environ.setdefault("CUDA_CACHE_MAXSIZE", str(CACHE_BYTES))
    os.environ.setdefault("CUDA_CACHE_PATH", os.path.join(tempfile.gettempdir(), "scan-cache"))
    stems = list(dict.fromkeys(stem for cell in cells for stem in index["work"][cell.key].values()))
    # Half of what is left, at most.
    assemble_all(folder, stems, (time.monotonic() + deadline) / 2)
    facts["seconds_prepared"] = round(time.monotonic() - begin)

    bar, saved = progress(iter(lambda: None, 0), len(cells), "measuring"), [time.monotonic()]
    records = {}

    def on_record(key, record):
        next(bar, None)
        records[key] = record
        if time.monotonic() - saved[0] > 5:
            saved[0] = time.monotonic()
            save(options.out, cells, records, index["choices"], facts)

    session = Session(cells, {
        "chip": index["chip"], "kernels": os.path.abspath(folder), "work": index["work"],
        "rounds": options.rounds, "seconds": 1.5, "verbose": options.verbose}, on_record, WORKER)
    with machine.Clocks() as clocks:
        session.run(deadline, CASE_SECONDS)
    facts["min_median_max"] = clocks.summary()
    facts["seconds"] = round(time.monotonic() - begin)
    save(options.out, cells, records, index["choices"], facts)
    wrong = [f"{key}: {schedule}: {figures['error']:.3g} of what is tolerated"
             for key, record in records.items() for schedule, figures in record.items()
             if figures.get("error", 0) > 1]
    measured = sum("seconds" in figures for record in records.values()
                   for figures in record.values())
    print(f"{measured} measured in {facts['seconds']} s; results: {options.out}")
    for line in wrong:
        print(f"WRONG NUMBERS: {line}")
    return 1 if wrong else 0


def save(path, cells, records, choices, facts):
    rows = [{"key": cell.key, "program": cell.program.name, "steps": cell.steps,
             "batch": cell.batch, "inputs": [[*array.shape, array.element]
                                               for array in cell.inputs],
             "choices": choices[cell.key], "schedules": records[cell.key]}
            for cell in cells if cell.key in records]
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"facts": facts, "cells": rows}, file, indent=1)
    os.replace(path + ".part", path)


def times_of(row):
    return {schedule: figures["seconds"] for schedule, figures in row["schedules"].items()
            if "seconds" in figures and not figures.get("error", 0) > 1}


def report(path, options):
    """What the model of these tools makes of measured cells: predictions and regrets."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    tools = kernels.find_tools(options.bin)
    cells = {cell.key: cell for cell in sweep_cases.all_cells()}
    rows = [row for row in result["cells"] if times_of(row) and row["key"] in cells]

    def judge(row):
        cell, times = cells[row["key"]], times_of(row)
        fused = sweep_cases.fuse(cell.program, tools)
        return (sweep_cases.choices(cell, fused, tools, options.chip),
                sweep_cases.predict(cell, fused, list(times), tools, options.chip))

    regrets, ratios, unmeasured = {}, [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(judge, row) for row in rows]
        judged = [future.result() for future in futures]
    for row, (chosen, rows_predicted) in zip(rows, judged):
        times, key = times_of(row), row["key"]
        best = min(times, key=times.get)
        line = [f"{key:44} best {times[best] * 1e6:.1f} us"]
        for schedule, prediction in rows_predicted.items():
            row["schedules"][schedule]["predicted_seconds"] = prediction["nanoseconds"] * 1e-9
            row["schedules"][schedule]["traffic_bytes"] = prediction["traffic_bytes"]
            row["schedules"][schedule]["compulsory_bytes"] = prediction["compulsory_bytes"]
            ratios.append(prediction["nanoseconds"] * 1e-9 / times[schedule])
        for what, schedule in chosen.items():
            if schedule in times:
                regrets.setdefault(what, []).append((times[schedule] / times[best], key))
                line.append(f"{what} {times[schedule] / times[best]:.2f} "
                            f"(predicted {rows_predicted[schedule]['nanoseconds'] * 1e-3:.1f})")
            else:
                unmeasured.append((key, what, schedule))
                line.append(f"{what} not measured")
        print(" ".join(line))
        print(f"      best: {best} (predicted {rows_predicted[best]['nanoseconds'] * 1e-3:.1f})")
        for what, schedule in chosen.items():
            print(f"      {what}: {schedule}")
    for key, what, schedule in unmeasured:
        print(f"not measured: {key}: {what}: {schedule}")
    for what, found in regrets.items():
        found.sort()
        mean = math.exp(sum(math.log(regret) for regret, _ in found) / len(found))
        print(f"regret of {what}: median {found[len(found) // 2][0]:.3f}, mean {mean:.3f}, worst "
              f"{found[-1][0]:.2f} ({found[-1][1]}), {len(found)} cells")
    spread_of = sorted(abs(math.log(ratio)) for ratio in ratios)
    if spread_of:
        print(f"predicted over measured: half of {len(ratios)} within a factor of "
              f"{math.exp(spread_of[len(spread_of) // 2]):.2f}, nine tenths within "
              f"{math.exp(spread_of[len(spread_of) * 9 // 10]):.2f}")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--prepare", metavar="DIR", help="compile into DIR for --kernels")
    add("--kernels", metavar="DIR", help="kernels that --prepare has compiled")
    add("--report", metavar="JSON", help="compare predictions and choices with an earlier run")
    add("--list", action="store_true", help="list the cells that are selected")
    add("--match", default="", help="only cells whose key has this")
    add("--top", type=int, default=0, metavar="N",
        help="measure the N schedules that the model takes for the fastest (default: some of "
        "each kind)")
    add("--also", metavar="JSON", help="measure the fastest ones of an earlier run, too")
    add("--budget", type=float, metavar="SECONDS", help="stop in time, keep what there is")
    add("--rounds", type=int, default=11, help="rounds at most (default: 11)")
    add("--bin", metavar="DIR", help="folder of scan-opt and scan-translate")
    add("--chip", default="sm_90", help="what to compile for (default: sm_90)")
    add("--out", metavar="JSON", help="where results go (default: sweep.json)")
    add("--verbose", action="store_true", help="what went wrong, at length")
    options = parser.parse_args()
    cells = [cell for cell in sweep_cases.all_cells() if options.match in cell.key]
    if not cells:
        sys.exit("sweep.py: no cell is selected: see --list")
    try:
        if options.list:
            print("\n".join(f"{cell.key} {cell.steps} x {cell.batch}" for cell in cells))
            return 0
        if options.report:
            return report(options.report, options)
        if options.prepare:
            prepare(options.prepare, cells, options)
            return 0
        options.out = options.out or "sweep.json"
        return measure(cells, options)
    except (kernels.CompileError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"sweep.py: {error}")


if __name__ == "__main__":
    sys.exit(main())
