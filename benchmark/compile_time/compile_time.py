#!/usr/bin/env python3
"""Times the compiler: from .mlir text to PTX, as whole processes.

usage: compile_time.py [--build FOLDER] [--runs N] [--json] [--scans N ...]
       compile_time.py --programs [--build FOLDER] [--runs N] [FILE ...]
       compile_time.py --models [--build FOLDER] [--runs N] [FILE ...]
       compile_time.py --growth [--build FOLDER] [--runs N] [--scans N ...] [--graphs NAME ...]

Each module has a number of functions with one scan each, float32 linear
recurrences with different static extents, half of them along a contiguous
dimension and half along a strided one, so that nothing is the same twice. A run
is the process `scan-translate --scan-to-ptx`, from its start to its end, with
the loading of shared libraries. Printed is the median of the runs, and the
processor time of one, which says more than the clock on a busy machine.

With --growth, all scans are in one function and have to do with each other, in
the ways of GRAPHS; the time is that of `scan-opt --scan-to-cpu`: fusion,
bufferization, loops, the LLVM dialect. Printed is the processor time in user mode,
the least of the runs, for each number of scans, which end with one that is fast enough. From one number to the next it may
grow twice as fast as the number does, and by half a second more: a COUNT line says
how often it grew faster. A run of more than two minutes is ended and counts as that.

With --programs, printed is a line of JSON for each of a number of programs with one
scan, or for each FILE: with dynamic extents once with one kernel per scan and once with
all variants (--dispatch), with static extents once. Targets: 250 ms with all variants,
100 ms with static extents.

With --models, printed is a line of JSON for each program of test/Models (or FILE, whose
first function is named as the file is) and for its gradient by --scan-differentiate, what
it needs of the forward pass included: once with one kernel per scan and once with all
variants (--dispatch). Then a table of those that take longer than the targets:
300 ms, gradients 1,500 ms.

Targets: a single scan in at most 100 ms, and time linear in the number of scans:
no more per scan in the largest module than in the smallest, start-up included.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET_MS = 100.0
DISPATCH_TARGET_MS = 250.0
MODEL_TARGET_MS, GRADIENT_TARGET_MS = 300.0, 1500.0
MODELS = os.path.join(ROOT, "test", "Models", "Inputs", "programs")
EXAMPLES = ("griffin", "mamba", "mingru", "rglru")


def write_module(scans):
    functions = []
    for i in range(scans):
        shape = f"?x{128 + i}x64" if i % 2 else f"?x64x{128 + i}"
        tensor = f"tensor<{shape}xf32>"
        functions.append(
            f"func.func @f{i}(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
            f"  %h = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor}) "
            f"dim = {1 if i % 2 else 2} -> {tensor}\n"
            f"  return %h : {tensor}\n"
            "}\n"
        )
    return "\n".join(functions)


def write_scan(i, source):
    """A scan that is like no other one: its operator has a constant of its own."""
    return (
        f"  %y{i} = scan.associative ins({source} : tensor<?xf32>) dim = 0 {{\n"
        "  ^bb0(%acc: f32, %new: f32):\n"
        f"    %c = arith.constant {i}.0 : f32\n"
        "    %s = arith.addf %acc, %new : f32\n"
        "    %m = arith.maximumf %s, %c : f32\n"
        "    scan.yield %m : f32\n"
        "  } -> tensor<?xf32>\n"
    )


def write_function(lines, results):
    types = ", ".join(["tensor<?xf32>"] * len(results))
    return (
        f"func.func @f(%x: tensor<?xf32>, %a: tensor<?xf32>) -> ({types}) {{\n"
        + "".join(lines)
        + f"  return {', '.join(results)} : {types}\n}}\n"
    )


def write_side(scans):
    """Scans of one input, all of them returned."""
    lines = [write_scan(i, "%x") for i in range(scans)]
    return write_function(lines, [f"%y{i}" for i in range(scans)])


def write_summed(scans):
    """Scans of one input, whose sum is returned."""
    lines = [write_scan(i, "%x") for i in range(scans)] + ["  %z0 = tensor.cast %y0 : tensor<?xf32> to tensor<?xf32>\n"]
    for i in range(1, scans):
        lines.append(f"  %z{i} = arith.addf %z{i - 1}, %y{i} : tensor<?xf32>\n")
    return write_function(lines, [f"%z{scans - 1}"])


def write_chain(scans):
    """Each scan reads the one before."""
    lines = [write_scan(i, f"%y{i - 1}" if i else "%x") for i in range(scans)]
    return write_function(lines, [f"%y{scans - 1}"])


def write_layers(scans):
    """A scan of a function of the layer before, to which that layer is added."""
    lines = ["  %r0 = tensor.cast %x : tensor<?xf32> to tensor<?xf32>\n"]
    for i in range(1, scans + 1):
        lines.append(f"  %e{i} = math.exp %r{i - 1} : tensor<?xf32>\n")
        lines.append(write_scan(i, f"%e{i}"))
        lines.append(f"  %r{i} = arith.addf %y{i}, %r{i - 1} : tensor<?xf32>\n")
    return write_function(lines, [f"%r{scans}"])


def write_recurrences(scans):
    """Linear recurrences with one tensor of coefficients, each of the one before."""
    lines = ["  %h0 = tensor.cast %x : tensor<?xf32> to tensor<?xf32>\n"]
    for i in range(1, scans + 1):
        lines.append(
            f"  %h{i} = scan.linear_recurrence ins(%a, %h{i - 1} : tensor<?xf32>, "
            "tensor<?xf32>) dim = 0 -> tensor<?xf32>\n"
        )
    return write_function(lines, [f"%h{scans}"])


GRAPHS = {
    "side": write_side,
    "summed": write_summed,
    "chain": write_chain,
    "layers": write_layers,
    "recurrences": write_recurrences,
}
GROWTH_FACTOR = 2.0
HEADROOM_S = 0.5
TIMEOUT_S = 120


def write_sum(shape, dim):
    tensor = f"tensor<{shape}xf32>"
    return (
        f"func.func @f(%x: {tensor}) -> {tensor} {{\n"
        f"  %y = scan.associative ins(%x : {tensor}) dim = {dim} {{\n"
        "  ^bb0(%acc: f32, %new: f32):\n"
        "    %s = arith.addf %acc, %new : f32\n"
        "    scan.yield %s : f32\n"
        f"  }} -> {tensor}\n  return %y : {tensor}\n}}\n"
    )


def write_recurrence(shape, dim, element):
    tensor = f"tensor<{shape}x{element}>"
    return (
        f"func.func @f(%a: {tensor}, %b: {tensor}) -> {tensor} {{\n"
        f"  %h = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor}) "
        f"dim = {dim} -> {tensor}\n  return %h : {tensor}\n}}\n"
    )


def list_programs():
    """Names and texts of programs with one scan."""
    for shape, dim in (("?", 0), ("?x?", 1), ("?x?x?", 1), ("16x65536", 1), ("268435456", 0)):
        yield f"sum {shape} along {dim}", write_sum(shape, dim)
    for element in ("f32", "bf16"):
        for shape, dim in (("?", 0), ("?x?x?", 1), ("?x?x?", 2), ("?x?x1536", 1), ("8x2048x2048", 1)):
            yield f"recurrence {shape}x{element} along {dim}", write_recurrence(shape, dim, element)
    for name in EXAMPLES:
        path = os.path.join(ROOT, "examples", name + ".mlir")
        if os.path.exists(path):
            yield name, read_text(path)


def read_text(path):
    with open(path) as file:
        return file.read()


def measure_programs(options):
    """Prints a line of JSON per program and way to compile it."""
    tool = get_tool(options.build, options.tool)
    programs = [(path, read_text(path)) for path in options.files] or list_programs()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in programs:
            source = os.path.join(folder, "program.mlir")
            with open(source, "w") as file:
                file.write(text)
            is_dynamic = "?" in text
            for dispatch in (False, True) if is_dynamic else (False,):
                flags = ["--dispatch"] if dispatch else []
                seconds, processor = time_runs(tool, source, options.runs, flags)
                median = statistics.median(seconds) * 1e3
                row = {
                    "benchmark": "compile_time",
                    "chip": "sm_90",
                    "program": name,
                    "extents": "dynamic" if is_dynamic else "static",
                    "dispatch": dispatch,
                    "kernels": read_text(source + ".ptx").count(".visible .entry"),
                    "runs": options.runs,
                    "median_ms": round(median, 1),
                    "min_ms": round(min(seconds) * 1e3, 1),
                    "processor_ms": round(processor * 1e3, 1),
                }
                if dispatch or not is_dynamic:
                    row["target_ms"] = DISPATCH_TARGET_MS if dispatch else TARGET_MS
                    row["target_met"] = median <= row["target_ms"]
                print(json.dumps(row), flush=True)


def only_gradient(text, name):
    """The module `text` without function `name`, which the gradient does not call."""
    start = text.index(f"  func.func @{name}(")
    return text[:start] + text[text.index("\n  }\n", start) + len("\n  }\n") :]


def measure_model(options, name, part, source, dispatch):
    row = {"benchmark": "compile_time", "chip": "sm_90", "model": name, "part": part, "dispatch": dispatch,
           "target_ms": GRADIENT_TARGET_MS if part == "gradient" else MODEL_TARGET_MS}
    try:
        seconds, processor = time_runs(get_tool(options.build, options.tool), source, options.runs,
                                       [f"--dispatch={'true' if dispatch else 'false'}"], stderr=subprocess.PIPE, text=True)
    except subprocess.CalledProcessError as error:
        return row | {"refused": error.stderr.strip().splitlines()[0]}
    median = statistics.median(seconds) * 1e3
    return row | {
        "kernels": read_text(source + ".ptx").count(".visible .entry"),
        "runs": options.runs,
        "median_ms": round(median, 1),
        "min_ms": round(min(seconds) * 1e3, 1),
        "processor_ms": round(processor * 1e3, 1),
        "target_met": median <= row["target_ms"],
    }


def measure_models(options):
    """Prints a line of JSON per model and part, and a table of what takes too long."""
    files = options.files or sorted(os.path.join(MODELS, f) for f in os.listdir(MODELS) if f.endswith(".mlir"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            name = os.path.splitext(os.path.basename(path))[0]
            source = os.path.join(folder, "model.mlir")
            with open(source, "w") as file:
                file.write(read_text(path))
            for dispatch in (False, True):
                rows.append(measure_model(options, name, "forward", source, dispatch))
                print(json.dumps(rows[-1]), flush=True)
            done = subprocess.run([get_tool(options.build, "scan-opt"), source,
                                   f"--scan-differentiate=function={name}"],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                print(json.dumps({"benchmark": "compile_time", "model": name, "part": "gradient",
                                  "refused": done.stderr.strip().splitlines()[0]}), flush=True)
                continue
            with open(source, "w") as file:
                file.write(only_gradient(done.stdout, name))
            for dispatch in (False, True):
                rows.append(measure_model(options, name, "gradient", source, dispatch))
                print(json.dumps(rows[-1]), flush=True)
    measured = [row for row in rows if "median_ms" in row]
    slow = [row for row in measured if not row["target_met"]]
    if slow:
        print(f"{'model':>20} {'part':>9} {'kernels':>8} {'median ms':>10} {'target ms':>10}")
    for row in sorted(slow, key=lambda row: row["target_ms"] / row["median_ms"]):
        print(f"{row['model']:>20} {row['part']:>9} {row['kernels']:>8} {row['median_ms']:>10.0f} "
              f"{row['target_ms']:>10.0f}")
    print(f"COUNT: {len(measured)} compiled, {len(slow)} in more than the target, "
          f"{len(rows) - len(measured)} refused")


def get_user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, timeout=TIMEOUT_S)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_growth(options):
    """Prints a table and the COUNT line; returns how often time grew too fast."""
    tool = get_tool(options.build, "scan-opt")
    steps = too_fast = 0
    print(f"{'graph':>12} {'scans':>6} {'user s':>8} {'factor':>7} {'at most s':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for graph in options.graphs:
            last = None
            for scans in sorted(options.scans):
                source = os.path.join(folder, f"{graph}{scans}.mlir")
                with open(source, "w") as file:
                    file.write(GRAPHS[graph](scans))
                command = [tool, "--scan-to-cpu", source, "-o", os.devnull]
                # Another run cannot change what one has shown that is fast enough.
                bound = options.growth_factor * scans / last[0] * last[1] + HEADROOM_S if last else 0
                seconds = float("inf")
                try:
                    for _ in range(options.runs):
                        seconds = min(seconds, get_user_seconds(command))
                        if seconds <= bound:
                            break
                except subprocess.TimeoutExpired:
                    seconds = float("inf")
                factor = limit = ""
                if last:
                    steps += 1
                    too_fast += not seconds <= bound
                    factor, limit = f"{seconds / max(last[1], 1e-3):.1f}", f"{bound:.2f}"
                print(f"{graph:>12} {scans:>6} {seconds:>8.2f} {factor:>7} {limit:>9}")
                last = (scans, seconds)
    print(f"COUNT: {steps} steps, {too_fast} with too much growth")
    return too_fast


def get_tool(build, name):
    tool = os.path.join(build, "bin", name)
    if not os.access(tool, os.X_OK):
        sys.exit(f"compile_time.py: no {tool}: run make build, or give --build")
    return tool


def measure(tool, scans, runs, folder):
    """The seconds of each run, the warm-up left out, and processor seconds of a run."""
    source = os.path.join(folder, f"{scans}.mlir")
    with open(source, "w") as file:
        file.write(write_module(scans))
    return time_runs(tool, source, runs)


def time_runs(tool, source, runs, flags=(), **options):
    command = [tool, "--scan-to-ptx", source, "--chip=sm_90", "-o", source + ".ptx", *flags]
    subprocess.run(command, check=True, **options)
    seconds = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor / runs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder")
    parser.add_argument("--tool", default="scan-translate",
                        help="what is timed, but with --growth, in the build's folder bin (default: scan-translate); "
                             "the one that loads the shared MLIR is ../shared/bin/scan-translate")
    parser.add_argument("--runs", type=int, default=11, help="runs per module (default 11)")
    parser.add_argument("--scans", type=int, nargs="+", default=[1, 10, 100], help="module sizes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--programs", action="store_true", help="a line of JSON per program")
    parser.add_argument("--models", action="store_true", help="a line of JSON per model, and per gradient")
    parser.add_argument("files", nargs="*", metavar="FILE", help="with --programs or --models: these programs")
    parser.add_argument("--growth", action="store_true", help="many scans in one function")
    parser.add_argument("--growth-factor", type=float, default=GROWTH_FACTOR, metavar="X",
                        help="with --growth: N times the scans may take N times X the time (default %(default)s)")
    parser.add_argument(
        "--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS), help="what --growth measures"
    )
    options = parser.parse_args()
    if options.runs < 1 or min(options.scans) < 1:
        sys.exit("compile_time.py: expected at least one run and one scan")
    if options.files and not (options.programs or options.models):
        sys.exit("compile_time.py: expected --programs or --models before the names of files")
    if options.programs or options.models:
        try:
            return measure_models(options) if options.models else measure_programs(options)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"compile_time.py: {error}")
    if options.growth:
        try:
            sys.exit(measure_growth(options) != 0)
        except subprocess.CalledProcessError as error:
            sys.exit(f"compile_time.py: {error}")
    tool = get_tool(options.build, options.tool)

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for scans in options.scans:
            try:
                seconds, processor = measure(tool, scans, options.runs, folder)
            except subprocess.CalledProcessError as error:
                sys.exit(f"compile_time.py: {error}")
            median = statistics.median(seconds) * 1e3
            rows.append(
                {
                    "scans": scans,
                    "runs": options.runs,
                    "median_ms": round(median, 2),
                    "min_ms": round(min(seconds) * 1e3, 2),
                    "max_ms": round(max(seconds) * 1e3, 2),
                    "processor_ms": round(processor * 1e3, 2),
                    "ms_per_scan": round(median / scans, 2),
                }
            )
    result = {"benchmark": "compile_time", "chip": "sm_90", "modules": rows}
    smallest, largest = rows[0], rows[-1]
    if smallest["scans"] == 1:
        result["target_ms"] = TARGET_MS
        result["target_met"] = smallest["median_ms"] <= TARGET_MS
    if largest["scans"] > smallest["scans"]:
        result["linear"] = largest["ms_per_scan"] <= smallest["ms_per_scan"]
    if options.json:
        print(json.dumps(result, indent=2))
        return
    print(".mlir text to PTX for sm_90, whole process, median of", options.runs, "runs")
    print(f"{'scans':>6} {'median ms':>10} {'min ms':>8} {'max ms':>8} {'ms/scan':>8} {'processor ms':>13}")
    for row in rows:
        print(
            f"{row['scans']:>6} {row['median_ms']:>10.1f} {row['min_ms']:>8.1f} "
            f"{row['max_ms']:>8.1f} {row['ms_per_scan']:>8.2f} "
            f"{row['processor_ms']:>13.1f}"
        )
    if "target_met" in result:
        verdict = "met" if result["target_met"] else "missed"
        print(f"target: one scan in at most {TARGET_MS:.0f} ms: {verdict}")
    if "linear" in result:
        print("growth:", "linear or less" if result["linear"] else "more than linear")


if __name__ == "__main__":
    main()
