#!/usr/bin/env python3
"""Measures mlir_scan from PyTorch and JAX, beside their own associative scans.

usage: frontends.py [--parts PART ...] [--shape B T C] [--device cpu|cuda] [--rounds N]
                    [--core N] [--json FILE]

Parts, each in a process of its own (two for each call of `first`):

  torch     mlir_scan.torch against torch's generic associative_scan, eager: forward, and
            forward with backward
  jax       mlir_scan.jax against jax.lax.associative_scan, under jit: the same
  eager     microseconds of one eager call on a tiny tensor, with and without autograd
  compiled  the same under torch.compile, against a compiled torch.add
  first     the first call of a process, without and with the cache on disk
  memory    what the backward pass holds at T = 262,144, in arrays of the input's size

On the CPU all runs on one core and one thread. Contenders are measured in turn, round
after round, so that a machine that gets slower does so for all, each after a call that is not
measured; the first round is left out, and the median of the others counts. On a busy machine `--clock cpu` counts processor
time. The scanned dimension is the second of B, T and C, in float32; the operator is that of
a linear recurrence, a pair.

Examples:

  frontends.py
  frontends.py --parts torch jax --rounds 5
  frontends.py --parts eager --device cuda
  frontends.py --json results.json

The package mlir_scan has to be there: installed, or by PYTHONPATH=build/python.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["torch", "jax", "eager", "compiled", "first", "memory"]
FIRST_CALLS = ["torch cumsum", "torch associative_scan", "torch linear_recurrence",
               "jax linear_recurrence"]
# The ratios and figures that are aimed at, by part and row: what is printed beside them.
TARGETS = {
    "torch": {"associative_scan forward": 10, "linear_recurrence forward": 10,
              "associative_scan forward + backward": 8,
              "linear_recurrence forward + backward": 8},
    "eager": {"cpu": 30.0, "cuda": 25.0},
    "compiled": 2.0,
    "first": {"cpu": 500.0, "cuda": 1000.0, "cached": 50.0},
    "memory": 6.0,
}
TARGETS["jax"] = TARGETS["torch"]


def describe_machine():
    """The name of the processor, the system, and the versions of packages."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        name = models[0] if models else name
    except OSError:
        pass
    versions = {"python": platform.python_version()}
    for package in ("torch", "jax", "jaxlib", "numpy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return {"host": platform.node(), "processor": name, "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}", "versions": versions,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


def run_worker(options, part, *more, cache):
    """The JSON that a process measures; None, with a line on standard error, if it fails."""
    environment = dict(os.environ, MLIR_SCAN_CACHE_DIR=cache, OMP_NUM_THREADS="1",
                       MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if options.device == "cpu":
        environment["JAX_PLATFORMS"] = "cpu"
        environment["XLA_FLAGS"] = (environment.get("XLA_FLAGS", "")
                                    + " --xla_cpu_multi_thread_eigen=false").strip()
    command = [sys.executable, os.path.join(HERE, "worker.py"), part, *more,
               "--shape", *map(str, options.shape), "--device", options.device,
               "--rounds", str(options.rounds), "--core", str(options.core),
               "--clock", options.clock, "--steps", str(options.steps)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"frontends.py: {part}: the process ended with {done.returncode}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measure(options, part, folder):
    """The rows of a part."""
    cache = os.path.join(folder, "cache")
    if part != "first":
        return run_worker(options, part, cache=cache)
    rows = []
    for number, call in enumerate(FIRST_CALLS):
        own = os.path.join(folder, f"first{number}")
        fresh = run_worker(options, part, call, cache=own)
        kept = run_worker(options, part, call, cache=own)
        if fresh is None or kept is None:
            return None
        rows.append({"name": call, "ms": fresh["ms"], "cached_ms": kept["ms"]})
    return rows


def against(value, target, at_least=False):
    """How a figure compares with what is aimed at."""
    met = value >= target if at_least else value <= target
    return f"{'>=' if at_least else '<='} {target:g}{'' if met else '  MISSED'}"


def tables(part, rows, options):
    """Header and lines of a part's table."""
    if part in ("torch", "jax"):
        yield ["", "mlir-scan ms", f"{part} ms", "ratio", "aim"]
        for row in rows:
            yield [row["name"], f"{row['ms']:.2f}", f"{row['other_ms']:.2f}", f"{row['ratio']:.1f}",
                   against(row["ratio"], TARGETS[part][row["name"]], at_least=True)]
    elif part == "eager":
        yield ["", "us", "aim"]
        for row in rows:
            aim = against(row["us"], TARGETS[part][options.device]) if row["counts"] else ""
            yield [row["name"], f"{row['us']:.1f}", aim]
    elif part == "compiled":
        yield ["", "us", "of an add's", "aim"]
        for row in rows:
            aim = against(row["ratio"], TARGETS[part]) if row["counts"] else ""
            yield [row["name"], f"{row['us']:.1f}", f"{row['ratio']:.2f}", aim]
    elif part == "first":
        yield ["", "no cache ms", "aim", "cached ms", "aim"]
        for row in rows:
            yield [row["name"], f"{row['ms']:.0f}", against(row["ms"], TARGETS[part][options.device]),
                   f"{row['cached_ms']:.0f}", against(row["cached_ms"], TARGETS[part]["cached"])]
    else:
        yield ["", "arrays", "aim"]
        for row in rows:
            yield [row["name"], f"{row['arrays']:.2f}", against(row["arrays"], TARGETS[part])]


def print_table(lines):
    lines = list(lines)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = [cell.ljust(width) if number in (0, len(line) - 1) and "=" in cell or number == 0
                 else cell.rjust(width) for number, (cell, width) in enumerate(zip(line, widths))]
        print("  " + "  ".join(cells).rstrip())


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0],
                                     description=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--shape", nargs=3, type=int, default=[8, 4096, 256], metavar=("B", "T", "C"))
    parser.add_argument("--steps", type=int, default=262144, help="T of the part memory")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--rounds", type=int, default=11, help="of which the first is left out")
    parser.add_argument("--core", type=int, default=os.cpu_count() - 1,
                        help="the core that everything runs on (CPU only)")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--json", metavar="FILE", help="where to write what was measured")
    options = parser.parse_args()
    if options.rounds < 2 or min(options.shape) < 1 or options.steps < 1:
        parser.error("expected at least 2 rounds and extents of 1 or more")
    return options


def main():
    options = parse_arguments()
    missing = [name for name in ("mlir_scan", "torch", "jax") if not importlib.util.find_spec(name)]
    if missing:
        sys.exit(f"frontends.py: no package {' and no '.join(missing)} here; install it "
                 "(pip install ./python), or use the .venv of a checkout with "
                 "PYTHONPATH=build/python")
    machine = describe_machine()
    print(f"{machine['host']}: {machine['processor']}, {machine['cores']} cores; "
          + ", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    results, failed = {}, False
    folder = tempfile.mkdtemp(prefix="mlir-scan-benchmark-")
    try:
        for number, part in enumerate(dict.fromkeys(options.parts)):
            print(f"\n[{number + 1}/{len(options.parts)}] {part}", flush=True)
            rows = measure(options, part, folder)
            failed |= rows is None
            if rows is not None:
                results[part] = rows
                print_table(tables(part, rows, options))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "options": vars(options), "parts": results}, file, indent=1)
            file.write("\n")
        print(f"\nwritten: {options.json}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
