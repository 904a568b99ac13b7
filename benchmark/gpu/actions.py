"""What run.py does: prepare, tune, dry_run, emulated, measure, show. Each returns an exit status."""

import os
import subprocess
import sys
import tempfile
import time

import emulate
import kernels
import machine
import options as command_line
import plots
import report
import workloads
from contenders import cub
from session import Session

# Of scan-tune, for a case.
TUNING_SECONDS = 60
RESULTS = os.path.join(kernels.ROOT, "benchmark", "results")


def progress(items, total, what):
    """tqdm's bar if it is there, else a line per tenth."""
    try:
        from tqdm import tqdm
    except ImportError:
        for number, item in enumerate(items, 1):
            yield item
            if number * 10 // total != (number - 1) * 10 // total:
                print(f"{what}: {number} of {total}", file=sys.stderr, flush=True)
        return
    yield from tqdm(items, total=total, desc=what, smoothing=0.05)


def find_tools(options):
    return kernels.find_tools(
        options.bin, "measure kernels that --prepare has compiled, with --kernels")


def compile_into(folder, cases, options, chip):
    begin = time.monotonic()
    errors, resources = kernels.prepare(
        folder, cases, find_tools(options), chip, kernels.parse_schedules(options.schedule),
        progress, options.ptxas, options.tuning, options.contenders)
    print(f"compiled {len(cases)} cases for {chip} in {time.monotonic() - begin:.0f} s, "
          f"{len(errors)} failures")
    for (key, variant), text in errors.items():
        print(f"  {key}, {variant}: {text}")
    if options.ptxas:
        found = [(key, *row) for key, rows in sorted(resources.items()) for row in rows]
        spilling = [row for row in found if row[3]]
        print(f"ptxas: {len(found)} kernels, {max((row[2] for row in found), default=0)} registers "
              f"at most, {len(spilling)} with spills")
        for (key, variant), kernel, registers, spilled in spilling:
            print(f"  {key}, {variant}, {kernel}: {registers} registers, {spilled} bytes spilled")
    return errors


def prepare(cases, options):
    """For --kernels: PTX and manifests, and CUB's library if nvcc is here."""
    chip = options.chip or "sm_90"
    errors = compile_into(options.prepare, cases, options, chip)
    if options.contenders and not {"cub", "cub-aos"} & set(options.contenders):
        return 1 if errors else 0
    try:
        print(f"CUB: {cub.compile_library(options.prepare, chip)}")
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"CUB is compiled where it is measured: {error}")
    return 1 if errors else 0


def tune(cases, options):
    """Measures the schedules of dynamic cases into a tuning cache; 1 if one failed."""
    tools, failed = find_tools(options), 0
    dynamic = [case for case in cases if case.is_dynamic]
    begin = time.monotonic()
    for case in progress(dynamic, len(dynamic), "tuning"):
        try:
            kernels.tune(case, tools, options.tune, TUNING_SECONDS)
        except (kernels.CompileError, subprocess.SubprocessError) as error:
            failed += 1
            print(f"  {case.key}: {error}")
    print(f"tuned {len(dynamic)} dynamic cases in {time.monotonic() - begin:.0f} s, {failed} failures")
    return 1 if failed else 0


def dry_run(cases, options):
    """Compiles, and computes shapes and grids; 1 if a plan does not fit its case."""
    runtime = kernels.import_runtime()
    wrong = launches = 0
    with tempfile.TemporaryDirectory() as folder:
        errors = compile_into(folder, cases, options, options.chip or "sm_90")
        for case in cases:
            if (case.key, kernels.DEFAULT) in errors:
                continue
            stem = kernels.stem_of(folder, case, kernels.DEFAULT)
            plan = runtime.plan(stem + ".json", "scan_vjp" if case.is_derivative else "scan",
                                *[runtime.Tensor(array.shape) for array in case.inputs])
            launches += len(plan.kernels)
            found = [(result.shape, result.element, result.nbytes) for result in plan.results]
            expected = [(array.shape, array.element, array.nbytes) for array in case.outputs]
            if found != expected:
                wrong += 1
                print(f"{case.key}: expected results {expected}, found {found}")
    report.print_summary(cases, {})
    print(f"\n{len(cases)} cases, {launches} launches, {len(errors)} not compiled, {wrong} wrong")
    return 1 if wrong or errors else 0


def emulated(cases, options):
    """Checks each kind of case once, at a small size; 1 if numbers are wrong."""
    tools, schedules = find_tools(options), kernels.parse_schedules(options.schedule)
    kinds = {workloads.small(case).key: case for case in cases}
    work = [(case, name, text) for case in kinds.values()
            for name, text in [(kernels.DEFAULT, None), *schedules.get(case.workload, {}).items()]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case, name, text in progress(work, len(work), "emulating"):
            try:
                error = emulate.check_case(case, tools, folder, schedule=text)
                said = f"{error:.3f} of what is tolerated"
            except (kernels.CompileError, ValueError, subprocess.SubprocessError) as problem:
                error, said = float("inf"), str(problem)
            wrong += not error <= report.LIMIT
            print(f"{workloads.small(case).key}, {name}: {said}")
    print(f"{len(work)} programs, {wrong} wrong")
    return 1 if wrong else 0


def measure(cases, options):
    begin = time.monotonic()
    deadline = begin + (options.budget or 1e9)
    facts = {**machine.describe(), "arguments": sys.argv[1:]}
    gpu = facts["gpu"]
    if not gpu:
        sys.exit("run.py: no NVIDIA GPU on this machine (nvidia-smi was not found or failed); "
                 "--dry-run and --emulate need none")
    folder = options.kernels or tempfile.mkdtemp(prefix="scan-kernels-")
    if not options.kernels:
        chip = options.chip or "sm_" + subprocess.run(
            ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"],
            capture_output=True, text=True, check=True).stdout.strip().replace(".", "")
        compile_into(folder, cases, options, chip)
    try:
        index = kernels.read_index(folder)
    except OSError:
        sys.exit(f"run.py: no index.json in {folder}: make it with run.py --prepare {folder}")
    facts["kernels"] = {"chip": index["chip"], "tools": index["tools"]}
    out = options.out or os.path.join(RESULTS, machine.file_name(gpu) + ".json")

    older = report.load(out) if options.add and os.path.exists(out) else ([], {}, {})
    add_earlier(facts, older[2])

    cases_in_order = command_line.in_order(cases)
    bar = progress(iter(lambda: None, 0), len(cases_in_order), "measuring")
    saved = [time.monotonic()]

    def on_record(_key, _record):
        next(bar, None)
        # A file that is there whatever happens, but not written for every case.
        if time.monotonic() - saved[0] > 10:
            saved[0] = time.monotonic()
            report.save(out, *merge(older, cases, session.records), facts)

    session = Session(cases_in_order, {
        "chip": index["chip"], "kernels": os.path.abspath(folder), "slow": options.slow,
        "contenders": options.contenders, "check": not options.no_check,
        "rounds": min(options.rounds, 7) if options.quick else options.rounds,
        "verbose": options.verbose}, on_record)
    with machine.Clocks() as clocks:
        try:
            session.run(deadline, options.case_timeout)
        except KeyboardInterrupt:
            print("\nstopped: what was measured is kept", file=sys.stderr)
    facts["min_median_max"] = clocks.summary()
    facts["seconds"] = round(time.monotonic() - begin)
    facts["l2_bytes"] = session.facts.get("l2_bytes")
    cases, records = merge(older, cases, session.records)
    report.save(out, cases, records, facts)
    return show(cases, records, facts, out, options)


def merge(older, cases, records):
    """With the cases and records of an earlier run, in the order of the workloads."""
    keys = {case.key for case in (*older[0], *cases)}
    cases = [case for case in workloads.all_cases() if case.key in keys]
    return cases, report.merge(older[1], records)


def add_earlier(facts, older):
    """Says in the facts of a run what the runs were whose results are kept."""
    if older:
        facts["earlier"] = {key: older.get(key) for key in ("arguments", "date", "seconds",
                                                            "kernels", "earlier")}


def join(options):
    """Puts the results of several runs into one file."""
    joined = ([], {}, {})
    for path in options.join:
        try:
            cases, records, facts = report.load(path)
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"run.py: {path} has no results: {error}")
        add_earlier(facts, joined[2])
        joined = (*merge(joined, cases, records), facts)
    report.save(options.out, *joined)
    return show(*joined, options.out, options)


def show(cases, records, facts, out, options):
    """Tables and plots; 1 if one of our kernels has wrong numbers."""
    print(f"\n{facts['gpu'].get('name', 'no GPU')}, driver {facts['gpu'].get('driver_version')}, "
          f"{facts.get('date')}, {facts.get('seconds')} s, {facts.get('versions')}")
    report.print_contenders(cases, records)
    report.print_summary(cases, records)
    print(f"\nresults: {out}")
    if not options.no_plots:
        for path in plots.draw(cases, records, facts, os.path.splitext(out)[0]):
            print(f"plot: {path}")
    wrong = [key for key, record in records.items() for name, figures in record.items()
             if name.startswith("ours") and report.is_measured(figures)
             and not report.is_right(figures)]
    for key in dict.fromkeys(wrong):
        print(f"WRONG NUMBERS: {key}")
    return 1 if wrong else 0
