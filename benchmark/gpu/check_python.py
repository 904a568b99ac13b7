#!/usr/bin/env python3
"""Checks mlir_scan.torch on a GPU in one run: numbers, CUDA graphs, strides, kernels that are
compiled when they are needed, the time of launches.

usage: check_python.py [--package FOLDER] [--device cuda|cpu] [--parts ...] [--json FILE]

Needs PyTorch, and the package in FOLDER (a wheel of `make wheel`, unpacked, or build/python);
no compiler and no other file but those of this checkout. Parts:

    numbers   sums, recurrences and an operator that does not commute, forward and reverse, at
              few elements and at many, beside float64 on the CPU: while another kernel stands
              in for the best one, and after that
    strides   tensors that are not dense, read where they are, beside dense ones of the same
              bytes and beside a copy first: the ratio of times
    graph     examples/python/cuda_graph.py
    first     benchmark/launch/first_call.py
    launch    benchmark/launch/launch.py with its parts runtime, core and torch

Prints a line per check; the last line is all of it as JSON, with what failed. With
`--device cpu` only `numbers` and `strides` run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCH = os.path.join(ROOT, "benchmark", "launch")
PARTS = ("numbers", "strides", "graph", "first", "launch")
# Shapes that kernels of different kinds are for, and the dimension to scan.
SHAPES = (((100,), 0), ((3, 1000), 1), ((2, 300_000), 1), ((4000, 33), 1), ((4, 700, 64), 1),
          ((1, 20_000, 8), 1))
ROUNDS = 7


class Checks:
    """What was found: rows of the JSON, and how many are wrong."""

    def __init__(self):
        self.rows, self.failed = [], 0

    def add(self, part, name, ok, **facts):
        self.failed += not ok
        self.rows.append({"part": part, "name": name, "ok": bool(ok), **facts})
        shown = ", ".join(f"{key} {value}" for key, value in facts.items())
        print(f"{'ok  ' if ok else 'FAIL'} {part}: {name}{': ' + shown if shown else ''}", flush=True)


def affine(x, y):
    return x[0] * y[0], x[1] * y[0] + y[1]


def scan_affine(a, b, dim, reverse):
    """The states of the recurrence in float64, by steps that double what is combined."""
    import torch

    a, b = a.double().movedim(dim, 0), b.double().movedim(dim, 0)
    a, b = (a.flip(0), b.flip(0)) if reverse else (a, b)
    reach = 1
    while reach < len(a):
        b = torch.cat((b[:reach], b[reach:] + a[reach:] * b[:-reach]))
        a = torch.cat((a[:reach], a[reach:] * a[:-reach]))
        reach *= 2
    return (b.flip(0) if reverse else b).movedim(0, dim)


def check_numbers(options, checks):
    import torch

    import mlir_scan
    import mlir_scan.torch as scan

    def compare(name, found, expected, bound):
        error = (found.double().cpu() - expected).abs().max().item()
        checks.add("numbers", name, error <= bound, error=f"{error:.2e}")

    for when in ("another kernel may stand in", "the best kernel"):
        for shape, dim in SHAPES:
            generator = torch.Generator().manual_seed(1)
            b = torch.randn(shape, generator=generator)
            a = torch.rand(shape, generator=generator) * 0.9
            on_device = [leaf.to(options.device) for leaf in (a, b)]
            for reverse in (False, True):
                name = f"{'x'.join(map(str, shape))}{' reverse' * reverse}, {when}"
                flipped = b.double().flip(dim) if reverse else b.double()
                expected = flipped.cumsum(dim)
                expected = expected.flip(dim) if reverse else expected
                # Of n roundings that are independent the error grows with the root of n (Higham
                # and Mary, "A new approach to probabilistic rounding error analysis", 2019).
                bound = 8 * shape[dim] ** 0.5 * 2.0**-24 * max(1.0, expected.abs().max().item())
                compare(f"sum {name}", scan.cumsum(on_device[1], dim, reverse=reverse), expected,
                        bound)
                expected = scan_affine(a, b, dim, reverse)
                compare(f"recurrence {name}",
                        scan.linear_recurrence(*on_device, dim=dim, reverse=reverse), expected, 1e-4)
                states = scan.associative_scan(affine, tuple(on_device), dim, reverse=reverse)[1]
                compare(f"affine {name}", states, expected, 1e-4)
        mlir_scan.wait_for_kernels()


def time_calls(function, device):
    """Milliseconds per call, the median of rounds of a few calls each."""
    import torch

    import mlir_scan

    with mlir_scan.preparing():
        function()
    calls, times = (20, []) if device == "cuda" else (1, [])
    for _ in range(ROUNDS):
        if device == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(calls):
                function()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / calls)
        else:
            begin = time.perf_counter()
            function()
            times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def check_strides(options, checks):
    import torch

    import mlir_scan.torch as scan

    rows, steps = (8192, 8192) if options.device == "cuda" else (64, 512)
    wide = torch.randn(rows, 2 * steps, device=options.device)
    square = torch.randn(steps, rows, device=options.device)
    cases = {
        "outer: half of each row": wide[:, :steps],
        "any: every other element": wide[:, ::2],
        "any: transposed": square.t(),
        "any: one row for all": wide[:1, :steps].expand(rows, steps),
    }
    dense = torch.randn(rows, steps, device=options.device)
    for function in ("cumsum", "linear_recurrence"):
        def call(x, function=function):
            return scan.cumsum(x, 1) if function == "cumsum" else scan.linear_recurrence(x, x, dim=1)

        best = time_calls(lambda: call(dense), options.device)
        for name, x in cases.items():
            same = torch.equal(call(x.sign()), call(x.sign().contiguous()))
            here = time_calls(lambda x=x: call(x), options.device)
            copied = time_calls(lambda x=x: call(x.contiguous()), options.device)
            checks.add("strides", f"{function}, {name}", same, ms=round(here, 4),
                       of_dense=round(here / best, 3), of_copy_first=round(here / copied, 3))


def run_script(options, checks, part, arguments):
    """A script of the checkout; its last line as JSON where it is that."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": options.package, "MLIR_SCAN_CACHE_DIR": cache}
        done = subprocess.run([sys.executable, *arguments], env=environment, text=True,
                              capture_output=True, timeout=options.timeout, check=False)
    lines = done.stdout.splitlines()
    for line in lines[:-1] or lines:
        print(f"     {line}")
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        checks.add(part, os.path.basename(arguments[0]), False, error=done.stderr[-1500:])
        return
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        found = lines
    checks.add(part, os.path.basename(arguments[0]), True)
    checks.rows[-1]["found"] = found


def check_graph(options, checks):
    run_script(options, checks, "graph", [os.path.join(ROOT, "examples", "python", "cuda_graph.py")])


def check_first(options, checks):
    run_script(options, checks, "first", [os.path.join(LAUNCH, "first_call.py"), "--device", "cuda",
                                          "--package", options.package, "--runs", "3"])


def check_launch(options, checks):
    import torch

    import mlir_scan
    from mlir_scan import compiler

    major, minor = torch.cuda.get_device_capability()
    with open(os.path.join(LAUNCH, "programs.mlir"), encoding="utf-8") as file:
        texts = mlir_scan.ptx(file.read(), compiler.choose_chip(10 * major + minor))
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("k.ptx", "k.json")]
        for path, text in zip(paths, texts):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        run_script(options, checks, "launch", [
            os.path.join(LAUNCH, "launch.py"), "--device", "cuda", "--package", options.package,
            "--parts", "runtime", "core", "torch", "--launches", "5000", "--ptx", paths[0],
            "--manifest", paths[1]])


def describe(options):
    import torch

    import mlir_scan
    from mlir_scan import _core

    facts = {"python": sys.version.split()[0], "torch": torch.__version__,
             "mlir_scan": mlir_scan.__version__, "mlir": _core.mlir_version,
             "library_bytes": os.path.getsize(_core.library_path)}
    if options.device == "cuda":
        facts["gpu"] = torch.cuda.get_device_name()
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default=os.path.join(ROOT, "build", "python"),
                        help="the folder with mlir_scan (default: build/python)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--timeout", type=float, default=240, help="seconds for each script")
    parser.add_argument("--json", help="a file for the results")
    options = parser.parse_args()
    options.package = os.path.abspath(options.package)
    if not os.path.isdir(os.path.join(options.package, "mlir_scan")):
        parser.error(f"expected a folder with the package mlir_scan, found {options.package}")
    sys.path.insert(0, options.package)
    checks = Checks()
    for part in options.parts:
        if options.device == "cpu" and part not in ("numbers", "strides"):
            continue
        try:
            globals()[f"check_{part}"](options, checks)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            checks.add(part, "the whole part", False, error=f"{type(error).__name__}: {error}")
    results = {"benchmark": "check_python", "device": options.device, **describe(options),
               "failed": checks.failed, "rows": checks.rows}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    print(f"COUNT: {len(checks.rows)} checks, {checks.failed} failed")
    print(json.dumps(results))
    sys.exit(checks.failed != 0)


if __name__ == "__main__":
    main()
