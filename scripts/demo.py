#!/usr/bin/env python3
"""The main job on real input: the RG-LRU from .mlir to PTX and to numbers.

usage: demo.py BUILD_FOLDER

Lowers examples/rglru.mlir to PTX for sm_90 and assembles it; runs the same file
over .npy arrays on the CPU, and its GPU kernel in the emulator, and compares with
the reference interpreter. Last the same recurrence from Python, where the extension was
built: a small network with it learns to copy a symbol, and
BUILD_FOLDER/demo/rglru_copy.png shows its loss. Exits with status 1 if a number is outside
its bound, if the kernel spills or if the network does not learn.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import cuda_toolkit

CHIP = "sm_90"
CHANNELS = 512  # as in examples/rglru.mlir
# Target, batch, time.
RUNS = [("cpu", 1, 16), ("cpu", 4, 1024), ("cpu", 3, 777), ("emulator", 2, 77)]
CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join("examples", "rglru.mlir")
EXAMPLE = os.path.join("examples", "python", "rglru_copy.py")


def run(*command):
    """Runs a tool and returns (stdout, stderr); ends the demo if it fails."""
    result = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True)
    if result.returncode:
        sys.stdout.flush()
        sys.stderr.write(result.stdout + result.stderr)
        sys.exit(f"demo: error: {' '.join(command)} failed with status {result.returncode}")
    return result.stdout, result.stderr


def to_ptx(tools, folder):
    """Makes and assembles PTX. Returns how many bytes were spilled."""
    toolkit = cuda_toolkit.find()
    if toolkit is None:
        print("PTX: not made: its math functions are in libdevice, and neither a CUDA Toolkit")
        print("     nor its wheels (nvidia-cuda-nvcc, nvidia-nvvm) are on this machine")
        return 0
    ptx, manifest = os.path.join(folder, "rglru.ptx"), os.path.join(folder, "rglru.json")
    run(os.path.join(tools, "scan-translate"), "--scan-to-ptx", PROGRAM, f"--chip={CHIP}",
        "-o", ptx, f"--manifest={manifest}")
    with open(ptx, encoding="utf-8") as file:
        text = file.read()
    kernels = re.findall(r"^\.visible \.entry (\w+)\(", text, re.MULTILINE)
    print(f"PTX for {CHIP}: {len(text)} bytes, {len(text.splitlines())} lines, "
          f"{len(kernels)} kernel{'s' if len(kernels) > 1 else ''}")
    _, report = run(os.path.join(toolkit, "bin", "ptxas"), "-v", f"-arch={CHIP}", ptx,
                    "-o", os.path.join(folder, "rglru.cubin"))
    version, _ = run(os.path.join(toolkit, "bin", "ptxas"), "--version")
    print(f"ptxas {re.search(r'V([0-9.]+)', version).group(1)}:")
    spilled = 0
    for name, properties in re.findall(
            r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", report, re.DOTALL):
        stores, loads = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads",
                                  properties).groups()
        registers = re.search(r"Used (\d+) registers", properties).group(1)
        shared = re.search(r"(\d+) bytes smem", properties)
        print(f"  {name}: {registers} registers, {stores} + {loads} bytes of spills, "
              f"{shared.group(1) if shared else 0} bytes of shared memory")
        spilled += int(stores) + int(loads)
        kernels.remove(name)
    if kernels:
        sys.exit(f"demo: error: ptxas reported nothing about {', '.join(kernels)}")
    return spilled


def make_inputs(batch, time):
    """Arrays for one run, in the order of the arguments of @rglru."""
    random = np.random.default_rng(batch * 100003 + time)
    shape = (batch, time, CHANNELS)
    x, recurrence_gate, input_gate = random.standard_normal((3, *shape)).astype(np.float32)
    # Lambda so that exp(-8 softplus(Lambda)), the decay with the gate open, is in
    # [0.9, 0.999], as the paper initialises it.
    decay = random.uniform(0.9, 0.999, CHANNELS)
    lambdas = np.log(np.expm1(-np.log(decay) / 8)).astype(np.float32)
    h0 = random.standard_normal((batch, CHANNELS)).astype(np.float32)
    return x, recurrence_gate, input_gate, lambdas, h0


def evaluate(x, recurrence_gate, input_gate, lambdas, h0):
    """The RG-LRU in double precision, and how far a float32 run may be from it.

    u = 2^-24 is the unit roundoff of float32. Elementary functions are taken to be
    within 5u of the exact value for their argument; those of --scan-expand-math
    and of libm that occur here are. To first order in u, counting for each
    operation its rounding and how it passes on the errors of its operands:

      softplus   <= 11u   exp 5 and log1p 5, whose condition numbers here are at
                          most 1; sum 1
      sigmoid    <= 7u    exp 5, sum 1, quotient 1
      log a      <= 19u   softplus, sigmoid, one product (that by 8 is exact)
      a          <= (19 |log a| + 5) u
      norm       <= 13u   expm1 19 + 5 (condition number at most 1 below 0), halved
                          by the square root, which adds 1
      b          <= 22u   norm, sigmoid, two products

    all relative. The error e_t of h_t = a_t h_{t-1} + b_t then follows the same
    recurrence as h itself,

      e_t <= a_t e_{t-1} + (19 |log a_t| + 5) u a_t |h_{t-1}| + 22 u |b_t|
             + u (a_t |h_{t-1}| + |h_t|),

    so that it grows with the extent as far as the decay lets it. A factor of 1.01
    stands for what is of higher order.
    """
    x, recurrence_gate, input_gate, lambdas, h = (
        v.astype(np.float64) for v in (x, recurrence_gate, input_gate, lambdas, h0))
    softplus = np.logaddexp(0, lambdas)
    log_a = -8 * softplus / (1 + np.exp(-recurrence_gate))
    a = np.exp(log_a)
    b = np.sqrt(-np.expm1(2 * log_a)) * x / (1 + np.exp(-input_gate))
    u = 2.0**-24
    error = np.zeros_like(h)
    states, bounds = np.empty_like(x), np.empty_like(x)
    for t in range(x.shape[1]):
        kept = a[:, t] * np.abs(h)
        h = a[:, t] * h + b[:, t]
        error = (a[:, t] * error + (19 * np.abs(log_a[:, t]) + 5) * u * kept
                 + 22 * u * np.abs(b[:, t]) + u * (kept + np.abs(h)))
        states[:, t], bounds[:, t] = h, 1.01 * error
    return states, bounds


def compute(tools, folder, target, inputs, *options):
    """Runs @rglru with scan-run. Returns h, the last step and what scan-run printed."""
    command = [os.path.join(tools, "scan-run"), PROGRAM, "--entry=rglru", f"--target={target}"]
    for i, array in enumerate(inputs):
        path = os.path.join(folder, f"input{i}.npy")
        np.save(path, array)
        command.append(f"--input={path}")
    outputs = [os.path.join(folder, f"{target}-{name}.npy") for name in ("h", "last")]
    stdout, _ = run(*command, *(f"--output={path}" for path in outputs), *options)
    h, last = (np.load(path) for path in outputs)
    return h, last, stdout


def compare(tools, folder, target, batch, time):
    """Prints one line of the table. Returns whether every number is in its bound."""
    inputs = make_inputs(batch, time)
    h, last, report = compute(tools, folder, target, inputs, "--time", "--json")
    timing = json.loads(report)
    expected_h, expected_last, _ = compute(tools, folder, "reference", inputs)
    exact, bounds = evaluate(*inputs)
    # Each of the two is within `bounds` of the exact value. numpy's own result
    # is the third opinion: the interpreter has to be within the bound of it, too.
    error = np.abs(h.astype(np.float64) - expected_h)
    ratio = max(np.max(error / (2 * bounds)),
                np.max(np.abs(expected_h - exact) / bounds),
                np.max(np.abs(last.astype(np.float64) - expected_last) / (2 * bounds[:, -1])))
    ok = (h.shape == expected_h.shape == exact.shape and h.dtype == np.float32
          and bool(ratio <= 1))  # false as well if the ratio is not a number
    # How long the emulator takes says nothing about a GPU.
    speed = (f"{'-':>9} {'-':>7}" if target == "emulator" else
             f"{timing['seconds'] * 1e3:>9.3f} {timing['gb_per_s']:>7.2f}")
    print(f"{target:>8} {f'{batch}x{time}x{CHANNELS}':>12} {np.max(error):>10.2e} {2 * np.max(bounds):>10.2e} "
          f"{ratio:>11.3f} {speed}{'' if ok else '   WRONG'}", flush=True)
    return ok


def train(build):
    """Runs the example in Python, whose prints go to the terminal as they come."""
    package = os.path.join(build, "python")
    if not os.path.exists(os.path.join(package, "mlir_scan", "_core.pyi")):
        print("not run: mlir_scan._core was not built (no headers of Python, or no nanobind)")
        return
    pictures = os.path.join(build, "demo")
    os.makedirs(pictures, exist_ok=True)
    result = subprocess.run([sys.executable, "-u", EXAMPLE, pictures], cwd=CHECKOUT, check=False,
                            env={**os.environ, "PYTHONPATH": package})
    if result.returncode:
        sys.exit(f"demo: error: {EXAMPLE} failed with status {result.returncode}")


def main():
    tools = os.path.join(os.path.abspath(sys.argv[1]), "bin")
    print(f"\n{PROGRAM}: the gated linear recurrence of Griffin, [batch, time, {CHANNELS}]\n")
    with tempfile.TemporaryDirectory() as folder:
        spilled = to_ptx(tools, folder)
        print("\nAgainst the reference interpreter, float32")
        print(f"{'target':>8} {'shape':>12} {'max error':>10} {'max bound':>10} {'error/bound':>11} "
              f"{'time ms':>9} {'GB/s':>7}", flush=True)
        results = [compare(tools, folder, *run) for run in RUNS]
    print("error/bound: the largest over all elements; each has a bound of its own.")
    print("GB/s: the bytes of all inputs and results, each once, over the median time.")
    if spilled:
        sys.exit("demo: error: the kernel spills registers")
    if not all(results):
        sys.exit("demo: error: numbers outside their bounds")
    print(f"\n{EXAMPLE}: a network with it learns to copy a symbol (PyTorch, 20 s)\n", flush=True)
    train(os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    main()
