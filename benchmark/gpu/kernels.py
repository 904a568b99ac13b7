"""Runs the project's tools: compiles the programs of cases, or finds what was compiled
beforehand.

A folder of compiled kernels has, per case and variant, NAME.ptx and NAME.json (the
manifest), and index.json with the chip and the schedules of the variants.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import programs
import workloads

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Variant of a kernel whose schedule the cost model chose.
DEFAULT = "default"
# Variants of a dynamic case whose extents are static: this, a colon, and their schedule.
STATIC = "static"
# The variant of a dynamic case whose schedules are those that scan-tune has measured.
TUNED = "tuned"
SECONDS = 120
# Of a model, {whether its extents are static: the variant whose functions may be approximate}.
FAST_MATH = {False: "fast-math", True: "static-fast-math"}
# Of a dynamic case, schedules that are measured of the program with static extents: those
# that the cost model takes for the fastest, and the best of each other kind.
FASTEST, KINDS = 5, 4
# Variants at most of a scan in a program with dynamic extents: as many as programs have whose
# kernels are compiled when they are first needed (kMostVariantsOnDemand).
VARIANTS = 12


class CompileError(Exception):
    """What a tool said, in one line."""


def find_tools(folder=None, instead=""):
    """The folder with scan-translate: the one given, PATH's, or the build's. Where there is
    none it ends the program; `instead` says what else can be done."""
    if folder:
        return folder
    on_path = shutil.which("scan-translate")
    if on_path:
        return os.path.dirname(on_path)
    build = os.path.join(ROOT, "build", "bin")
    if os.access(os.path.join(build, "scan-translate"), os.X_OK):
        return build
    ways = ["build the project", "give --bin", *[instead] * bool(instead)]
    sys.exit(f"{os.path.basename(sys.argv[0])}: no scan-translate on PATH nor in build/bin: "
             f"{', '.join(ways[:-1])}, or {ways[-1]}")


def import_runtime():
    """The module mlir_scan.runtime of the checkout."""
    sys.path.insert(0, os.path.join(ROOT, "python"))
    from mlir_scan import runtime  # pylint: disable=import-outside-toplevel

    return runtime


def parse_schedules(options):
    """{workload: {variant: schedule}} of options like "d:row, threads = 128, items = 8"."""
    schedules = {}
    for option in options:
        workload, _, text = option.partition(":")
        text = text.strip()
        if workload not in workloads.TITLES or not text:
            raise ValueError(f"expected WORKLOAD:SCHEDULE, such as 'd:row, threads = 128, "
                             f"items = 8', found '{option}'")
        if "strategy" not in text:
            text = "strategy = " + text
        name = re.sub(r"strategy = ", "", text).replace(" = ", "=").replace(", ", ",")
        schedules.setdefault(workload, {})[name] = text
    return schedules


def run_tool(command, text=None, seconds=None):
    """What `command` prints when it reads `text`. Fails with a CompileError."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True,
                              timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{command[0]}: {error}") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line]
        raise CompileError((lines or done.stderr.splitlines() or [f"exit status {done.returncode}"])
                           [0].strip())
    return done.stdout


def optimize(text, passes, tools):
    """The program after passes of scan-opt."""
    return run_tool([os.path.join(tools, "scan-opt"), "-", *passes], text, SECONDS)


def explain(text, tools, options):
    """What --scan-explain says of each kernel."""
    return json.loads(run_tool([os.path.join(tools, "scan-opt"), "-", "-o", os.devnull,
                                f"--scan-explain=format=json {options}"], text))


def translate(text, tools, chip, stem, *options):
    """Writes STEM.ptx and STEM.json; returns what is printed."""
    return run_tool([os.path.join(tools, "scan-translate"), "--scan-to-ptx", "-",
                     f"--chip={chip}", "-o", stem + ".ptx", f"--manifest={stem}.json", *options],
                    text, SECONDS)


def list_schedules(case, tools, chip):
    """Schedules that the program of `case` with static extents may have, the fastest first,
    as the cost model sees it; of models only what it chooses, as they have several kernels."""
    if case.workload == "h":
        return [""]
    text, passes = programs.write(case, is_static=True)
    fused = optimize(text, passes + programs.TO_KERNELS, tools)
    considered = explain(fused, tools, f"chip={chip} candidates")[0]["considered"]
    kinds = {}
    for row in considered:
        key = (row["strategy"], row["scope"], row["blocks"] > 0, row["rows"] > 1)
        kinds.setdefault(key, programs.format_schedule(row))
    fastest = map(programs.format_schedule, considered[:FASTEST])
    return list(dict.fromkeys([*fastest, *list(kinds.values())[:KINDS]]))


def tune(case, tools, cache, seconds):
    """Has scan-tune measure a dynamic case at its extents, into the file `cache`; what it says."""
    text, _ = programs.write(case)
    command = [os.path.join(tools, "scan-tune"), "-", "-o", cache, f"--budget={seconds}",
               f"--extents={','.join(programs.list_extents(text, case))}"]
    return run_tool(command, text, SECONDS)


def compile_case(case, tools, chip, stem, schedule=None, ptxas=False, is_static=False,
                 tuning=None, is_fast=False):
    """Writes STEM.ptx and STEM.json, with the schedules of the tuning cache if there is one.
    Returns [kernel, registers, spilled bytes] of each kernel if `ptxas` is asked. Fails with a
    CompileError."""
    text, passes = programs.write(case, is_static)
    if schedule:
        passes = passes + programs.TO_KERNELS
    if passes:
        text = optimize(text, passes, tools)
    if schedule:
        try:
            text = programs.give_schedule(text, schedule)
        except ValueError as error:
            raise CompileError(str(error)) from None
    # What a dynamic program has that compiles its kernels on demand, as those of Python do.
    many = [f"--max-variants={VARIANTS}"] * (case.is_dynamic and not is_static)
    if tuning:
        many.append(f"--tuning={tuning}")
    table = translate(text, tools, chip, stem, *many, *["--ptxas"] * ptxas,
                      *["--fast-math"] * is_fast)
    rows = [line.split() for line in table.splitlines()[1:]]
    return [[row[0], int(row[1]), int(row[2])] for row in rows]


def stem_of(folder, case, variant):
    """Variants have names with commas: files are called after a hash of theirs."""
    mark = "" if variant == DEFAULT else "@" + hashlib.sha1(variant.encode()).hexdigest()[:8]
    return os.path.join(folder, case.key + mark)


def prepare(folder, cases, tools, chip, schedules, progress, ptxas=False, tuning=None,
            contenders=None):
    """Compiles `cases` with all their variants, of models those with approximate functions only if
    they are among `contenders` or these are all, of dynamic cases also with the schedules of the
    tuning cache. Returns {(key, variant): error}, and what ptxas says of the others, by the
    same key, if it is asked."""
    os.makedirs(folder, exist_ok=True)
    errors, resources, static = {}, {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def run(work, what, record):
            """record(name, what the function of `work` returns) for each {name: function}."""
            futures = {pool.submit(function): name for name, function in work.items()}
            done = concurrent.futures.as_completed(futures)
            for future in progress(done, len(futures), what):
                try:
                    record(futures[future], future.result())
                except CompileError as error:
                    errors[futures[future]] = str(error)

        def compile_one(case, variant, schedule, is_static=False, tuning=None, is_fast=False):
            return lambda: compile_case(case, tools, chip, stem_of(folder, case, variant), schedule,
                                        ptxas, is_static, tuning, is_fast)

        dynamic = [case for case in cases if case.is_dynamic]
        run({(case.key, STATIC): lambda case=case: list_schedules(case, tools, chip)
             for case in dynamic}, "choosing", lambda name, found: static.update({name[0]: found}))
        work = {}
        for case in cases:
            work[case.key, DEFAULT] = compile_one(case, DEFAULT, None)
            if tuning and case.is_dynamic:
                work[case.key, TUNED] = compile_one(case, TUNED, None, tuning=tuning)
            for is_static, variant in FAST_MATH.items():
                if case.workload == "h" and (contenders is None or variant in contenders):
                    work[case.key, variant] = compile_one(case, variant, None, is_static,
                                                          is_fast=True)
            for variant, schedule in schedules.get(case.workload, {}).items():
                work[case.key, variant] = compile_one(case, variant, schedule)
            for schedule in static.get(case.key, []):
                variant = f"{STATIC}:{schedule}"
                work[case.key, variant] = compile_one(case, variant, schedule, is_static=True)
        run(work, "compiling", resources.__setitem__)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        failed = [[*key, text] for key, text in sorted(errors.items())]
        json.dump({"chip": chip, "schedules": schedules, "static": static,
                   "tools": version(tools), "errors": failed}, file, indent=1)
    return errors, resources


def version(tools):
    """The commit that the tools are from, where git knows it."""
    try:
        return subprocess.run(
            ["git", "-C", os.path.join(tools, "..", ".."), "describe", "--always", "--dirty"],
            capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def read_index(folder):
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    index["errors"] = {(key, variant): text for key, variant, text in index["errors"]}
    return index
