"""Compares functions of compiled code with numpy's in f64.

usage: math_accuracy.py WORKFILE --seed=N [--count=N]

Inputs are random bit patterns of f32 and all special values; each function is the
load map of a scan that passes new elements on, so that the numbers come from the
vectors and the single steps of a row. Prints the largest error of each, in units in
the last place of the result.
"""

import argparse
import sys

import numpy
import scan_tools

FUNCTIONS = ["exp", "expm1", "log", "log1p", "tanh"]
LIMIT = 4.0

PROGRAM = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %e = math.{name} %x : tensor<?xf32>
  %y = scan.associative ins(%e : tensor<?xf32>) dim = 0 {{
  ^bb0(%a: f32, %b: f32):
    %c = scan.clone %b : f32
    scan.yield %c : f32
  }} -> tensor<?xf32>
  return %y : tensor<?xf32>
}}
"""


def make_inputs(seed, count):
    random = numpy.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, count, dtype=numpy.uint64).astype(numpy.uint32)
    # Half of them where results are neither zero nor infinite.
    near = random.normal(0, 30, count).astype(numpy.float32)
    special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e-45, -1e-45, 1.0, -1.0,
                           88.0, 88.72283, 88.72284, 89.0, -87.34, -103.97, -103.98, -104.0, 30.0,
                           -20.0, 9.1, 3.4028235e38, -3.4028235e38, 1.1754944e-38], numpy.float32)
    return numpy.concatenate([special, bits.view(numpy.float32), near])


def largest_error(result, exact):
    """In units in the last place; infinite where one is no number or infinite and
    the other one is something else, or the sign of zero differs."""
    with numpy.errstate(all="ignore"):
        rounded = exact.astype(numpy.float32)
        # What is within a unit of the largest number may be infinite.
        same = (result == rounded) & (numpy.signbit(result) == numpy.signbit(rounded))
        same |= numpy.isnan(result) & numpy.isnan(rounded)
        unit = numpy.spacing(numpy.minimum(numpy.abs(rounded), numpy.float32(3.4028235e38)))
        error = numpy.abs(result.astype(numpy.float64) - exact) / unit
    error[same] = numpy.where(numpy.isfinite(error[same]), error[same], 0)
    error[~numpy.isfinite(error)] = numpy.inf
    return error.max(), numpy.argmax(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1 << 18)
    arguments = parser.parse_args()
    x = make_inputs(arguments.seed, arguments.count)
    numpy.save(f"{arguments.work}.x.npy", x)
    bad = 0
    for name in FUNCTIONS:
        with open(f"{arguments.work}.mlir", "w") as file:
            file.write(PROGRAM.format(name=name))
        scan_tools.check(["scan-run", f"{arguments.work}.mlir", "--target=cpu",
                          f"--input={arguments.work}.x.npy", f"--output={arguments.work}.y.npy"])
        with numpy.errstate(all="ignore"):
            exact = getattr(numpy, name)(x.astype(numpy.float64))
        error, place = largest_error(numpy.load(f"{arguments.work}.y.npy"), exact)
        print(f"{name}: {error:.2f} ulp at {x[place]!r}")
        bad += not error <= LIMIT
    print(f"{len(FUNCTIONS)} functions, {bad} too far off")
    sys.exit(bad > 0)


main()
