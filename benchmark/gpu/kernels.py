"""Compiles the programs of cases, or finds what was compiled beforehand.

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

import programs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Variant of a kernel whose schedule the cost model chose.
DEFAULT = "default"
SECONDS = 120


class CompileError(Exception):
    """What a tool said, in one line."""


def find_tools(folder=None):
    """The folder with scan-translate: the one given, PATH's, or the build's; or None."""
    if folder:
        return folder
    on_path = shutil.which("scan-translate")
    if on_path:
        return os.path.dirname(on_path)
    build = os.path.join(ROOT, "build", "bin")
    return build if os.access(os.path.join(build, "scan-translate"), os.X_OK) else None


def parse_schedules(options):
    """{workload: {variant: schedule}} of options like "d:row, threads = 128, items = 8"."""
    schedules = {}
    for option in options:
        workload, _, text = option.partition(":")
        text = text.strip()
        if workload not in "abcdefg" or len(workload) != 1 or not text:
            raise ValueError(f"expected WORKLOAD:SCHEDULE, such as 'd:row, threads = 128, "
                             f"items = 8', found '{option}'")
        if "strategy" not in text:
            text = "strategy = " + text
        name = re.sub(r"strategy = ", "", text).replace(" = ", "=").replace(", ", ",")
        schedules.setdefault(workload, {})[name] = text
    return schedules


def _run(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS,
                              check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{command[0]}: {error}") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line]
        raise CompileError((lines or done.stderr.splitlines() or [f"exit status {done.returncode}"])
                           [0].strip())
    return done.stdout


def compile_case(case, tools, chip, stem, schedule=None, ptxas=False):
    """Writes STEM.ptx and STEM.json. Returns [kernel, registers, spilled bytes] of each
    kernel if `ptxas` is asked. Fails with a CompileError."""
    text, passes = programs.write(case)
    if schedule:
        passes = passes + ["--scan-normalize", "--scan-fuse-elementwise"]
    if passes:
        text = _run([os.path.join(tools, "scan-opt"), "-", *passes], input=text)
    if schedule:
        try:
            text = programs.give_schedule(text, schedule)
        except ValueError as error:
            raise CompileError(str(error)) from None
    table = _run([os.path.join(tools, "scan-translate"), "--scan-to-ptx", "-", f"--chip={chip}",
                  "-o", stem + ".ptx", f"--manifest={stem}.json", *["--ptxas"] * ptxas],
                 input=text)
    rows = [line.split() for line in table.splitlines()[1:]]
    return [[row[0], int(row[1]), int(row[2])] for row in rows]


def stem_of(folder, case, variant):
    """Variants have names with commas: files are called after a hash of theirs."""
    mark = "" if variant == DEFAULT else "@" + hashlib.sha1(variant.encode()).hexdigest()[:8]
    return os.path.join(folder, case.key + mark)


def prepare(folder, cases, tools, chip, schedules, progress, ptxas=False):
    """Compiles `cases` with all their variants. Returns {(key, variant): error}, and what
    ptxas says of the others, by the same key, if it is asked."""
    os.makedirs(folder, exist_ok=True)
    work = []
    for case in cases:
        work.append((case, DEFAULT, None))
        for variant, schedule in schedules.get(case.workload, {}).items():
            work.append((case, variant, schedule))
    errors, resources = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {
            pool.submit(compile_case, case, tools, chip, stem_of(folder, case, variant), schedule,
                        ptxas): (case.key, variant) for case, variant, schedule in work}
        for future in progress(concurrent.futures.as_completed(futures), len(futures), "compiling"):
            try:
                resources[futures[future]] = future.result()
            except CompileError as error:
                errors[futures[future]] = str(error)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        failed = [[*key, text] for key, text in sorted(errors.items())]
        json.dump({"chip": chip, "schedules": schedules, "tools": version(tools),
                   "errors": failed}, file, indent=1)
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
