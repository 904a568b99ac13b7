#!/usr/bin/env python3
"""Measures scan.recurrence on one core: cells of lanes, sums over columns, LSTM and GRU.

Beside ours run, by turns: the loop in C that a user would write, as clang compiles it
with -O3 -march=native and with -ffast-math besides, with time outside or, where time is
innermost in memory, inside; scan.associative; torch.nn.LSTM and torch.nn.GRU. Numbers are
compared first. Times are processor time; ratios are medians over rounds of the time of
the other one by ours, more than 1 where ours is faster.

examples:
  PYTHONPATH=build/python benchmark/cpu/recurrences.py
  PYTHONPATH=build/python benchmark/cpu/recurrences.py --case lstm --rounds 15
"""

import argparse
import ctypes
import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile
import typing

import numpy

from run import measure_call, processor

CELLS = {
    # The step in MLIR, of %w, %h1 and %row, and in C.
    "tanh": (["%p = arith.mulf %w, %h1 : {row}", "%s = arith.addf %p, %row : {row}",
              "%n = math.tanh %s : {row}"], "tanhf(w * h + x)"),
    "quadratic": (["%p = arith.mulf %w, %h1 : {row}", "%q = arith.mulf %p, %h1 : {row}",
                   "%n = arith.subf %row, %q : {row}"], "x - w * h * h"),
}

C_SOURCE = "#include <math.h>\n" + "".join(f"""
static inline float {name}_step(float x, float h, float w) {{ return {step}; }}
void {name}_columns(const float *x, const float *h0, const float *w, float *y, long t, long n) {{
  for (long i = 0; i < t; ++i) {{
    const float *h = i ? y + (i - 1) * n : h0;
    for (long j = 0; j < n; ++j) y[i * n + j] = {name}_step(x[i * n + j], h[j], w[j]);
  }}
}}
void {name}_rows(const float *x, const float *h0, const float *w, float *y, long t, long n) {{
  for (long j = 0; j < n; ++j) {{
    float h = h0[j];
    for (long i = 0; i < t; ++i) y[j * t + i] = h = {name}_step(x[j * t + i], h, w[j]);
  }}
}}
""" for name, (_, step) in CELLS.items())


@dataclasses.dataclass
class Case:
    key: str
    program: str
    function: str
    inputs: list
    #: What others compute, by name: functions that return the first result.
    others: dict
    #: Of whom which ratio is asked for.
    bar: typing.Tuple[str, float] = ("", 0.0)


class CLoops:
    def __init__(self, compiler, flags):
        self.folder = tempfile.TemporaryDirectory()
        source, library = (os.path.join(self.folder.name, name) for name in ("c.c", "c.so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(C_SOURCE)
        subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", *flags, source,
                        "-o", library, "-lm"], check=True)
        self.library = ctypes.CDLL(library)

    def make(self, name, steps, lanes, inputs):
        function, y = getattr(self.library, name), numpy.zeros_like(inputs[0])
        arguments = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, y)]

        def call(keep=(inputs, y)):
            function(*arguments, ctypes.c_long(steps), ctypes.c_long(lanes))
            return keep[1]
        return call


def lanes_program(name, dim):
    init = "tensor<1x?xf32>" if dim == 0 else "tensor<?x1xf32>"
    row = "tensor<?xf32>"
    step = "".join(f"    {line.format(row=row)}\n" for line in CELLS[name][0])
    return f"""func.func @f(%x: tensor<?x?xf32>, %h0: {init}, %a: {row}) -> tensor<?x?xf32> {{
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%h0 : {init}) captures(%a : {row}) dim = {dim} {{
  ^bb0(%t: index, %h1: {row}, %row: {row}, %w: {row}):
{step}    scan.yield %n : {row}
  }} -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}}
"""


def lanes_cases(loops, random, quick):
    for name in CELLS:
        for steps, lanes in ((64, 32),) if quick else ((512, 1024), (1000, 257), (4096, 16)):
            for dim, layout in ((0, "columns"), (1, "rows")):
                shape, init = (steps, lanes), (1, lanes)
                # Of these the quadratic cell stays finite.
                inputs = [random.random(shape, dtype=numpy.float32) / 2,
                          random.random(init, dtype=numpy.float32) / 2]
                if dim == 1:
                    inputs = [numpy.ascontiguousarray(array.T) for array in inputs]
                inputs.append(random.random(lanes, dtype=numpy.float32))
                others = {key: one.make(f"{name}_{layout}", steps, lanes, inputs)
                          for key, one in loops.items()}
                yield Case(f"{name} per lane, {layout} {steps}x{lanes}", lanes_program(name, dim),
                           "f", inputs, others, ("C", 0.9))


def sums_case(random, quick):
    import mlir_scan
    shape = (64, 256) if quick else (1024, 4096)
    x = random.random(shape, dtype=numpy.float32)
    body = """  ^bb0({arguments}):
    %s = arith.addf %h, %e : {type}
    scan.yield %s : {type}
  }} -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}}
"""
    recurrence = """func.func @f(%x: tensor<?x?xf32>, %h0: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %y = scan.recurrence ins(%x : tensor<?x?xf32>) init(%h0 : tensor<1x?xf32>) dim = 0 {
""" + body.format(arguments="%t: index, %h: tensor<?xf32>, %e: tensor<?xf32>",
                  type="tensor<?xf32>")
    associative = """func.func @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
""" + body.format(arguments="%h: f32, %e: f32", type="f32")
    scan = mlir_scan.compile(associative, "f")
    return Case(f"sum over columns {shape[0]}x{shape[1]}", recurrence, "f",
                [x, numpy.zeros((1, shape[1]), numpy.float32)],
                {"scan.associative": lambda: numpy.asarray(scan(x)[0])},
                ("scan.associative", 0.95))


def example(name, width):
    """The layer of examples/recurrent_cells.mlir with `width` inputs and states, which has
    5 inputs and 6 states."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "recurrent_cells.mlir")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = text.index(f"func.func @{name}(")
    text = text[begin:text.index("\n}\n", begin) + 3]
    gates = 4 if name == "lstm" else 3
    sizes = [(f"<5x{6 * gates}x", f"<{width}x{width * gates}x"),
             (f"<6x{6 * gates}x", f"<{width}x{width * gates}x"),
             (f"<{6 * gates}x", f"<{width * gates}x"), (f"?x{6 * gates}x", f"?x{width * gates}x"),
             ("?x5x", f"?x{width}x"), ("?x6x", f"?x{width}x"), ("x1x6x", f"x1x{width}x"),
             ("[%batch, 6]", f"[%batch, {width}]")]
    sizes += [(f"[0, {6 * i}]", f"[0, {width * i}]") for i in range(1, gates)]
    for old, new in sizes:
        text = text.replace(old, new)
    return text


def layer_cases(random, quick):
    try:
        import torch
    except ImportError:
        print("recurrences.py: no LSTM and GRU without torch", file=sys.stderr)
        return
    torch.set_num_threads(1)
    shapes = [(3, 5, 64)] if quick else [(16, 128, 256), (16, 512, 256), (1, 256, 256)]
    for batch, steps, width in shapes:
        for name in ("lstm", "gru"):
            layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[name](
                width, width, batch_first=True).eval()
            weights = {key: value.detach().numpy() for key, value in layer.named_parameters()}
            w, u = (numpy.ascontiguousarray(weights[f"weight_{key}_l0"].T) for key in ("ih", "hh"))
            b, v = weights["bias_ih_l0"], weights["bias_hh_l0"]
            x = random.random((batch, steps, width), dtype=numpy.float32) - 0.5
            states = [random.random((batch, 1, width), dtype=numpy.float32) - 0.5
                      for _ in range(2 if name == "lstm" else 1)]
            theirs = tuple(torch.from_numpy(state.transpose(1, 0, 2).copy()) for state in states)
            theirs = theirs if name == "lstm" else theirs[0]

            def call(layer=layer, x=torch.from_numpy(x), theirs=theirs):
                with torch.inference_mode():
                    return layer(x, theirs)[0].numpy()
            biases = [b + v] if name == "lstm" else [b, v]
            yield Case(f"{name} {batch}x{steps}x{width}", example(name, width), name,
                       [x, *states, w, u, *biases], {"torch": call}, ("torch", 0.8))


def measure(case, rounds):
    """Seconds of each round by name."""
    import mlir_scan
    function = mlir_scan.compile(case.program, case.function)
    ours = lambda: numpy.asarray(function(*case.inputs)[0])
    for name, other in case.others.items():
        found, expected = ours(), other()
        error = numpy.abs(found - expected).max() / max(numpy.abs(expected).max(), 1)
        if not error < 1e-4:
            sys.exit(f"recurrences.py: {case.key}: expected the numbers of {name}, found a "
                     f"difference of {error:.2g} of the largest one")
    seconds = {}
    for _ in range(rounds):
        for name, call in {"ours": ours, **case.others}.items():
            seconds.setdefault(name, []).append(measure_call(call))
    return seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", metavar="TEXT", default="",
                        help="only cases whose names contain TEXT")
    parser.add_argument("--rounds", metavar="N", type=int, default=7,
                        help="how often each takes its turn (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="small arrays")
    parser.add_argument("--compiler", metavar="CC", default="clang-22",
                        help="for the loops in C (default: %(default)s)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"expected a round or more, found {options.rounds}")
    random = numpy.random.default_rng(0)
    loops = {"C": CLoops(options.compiler, []),
             "C -ffast-math": CLoops(options.compiler, ["-ffast-math"])}
    cases = [*lanes_cases(loops, random, options.quick), sums_case(random, options.quick),
             *layer_cases(random, options.quick)]
    cases = [case for case in cases if options.case in case.key]
    if not cases:
        sys.exit("recurrences.py: no case is selected")
    print(f"{processor()}, one core\n")
    print("| case | ours, us | asked for | C | C -ffast-math | scan.associative | torch |")
    print("|---|---|---|---|---|---|---|")
    for case in cases:
        seconds = measure(case, options.rounds)
        ratios = {name: statistics.median(a / b for a, b in zip(times, seconds["ours"]))
                  for name, times in seconds.items()}
        cells = [case.key, f"{1e6 * statistics.median(seconds['ours']):.0f}",
                 f"{case.bar[1]} of {case.bar[0]}"]
        cells += [f"{ratios[name]:.2f}" if name in ratios else "-"
                  for name in ("C", "C -ffast-math", "scan.associative", "torch")]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
