"""Compares functions of compiled code with numpy's in a wider type.

usage: math_accuracy.py WORKFILE --seed=N [--count=N]

Inputs are random bit patterns of f32 and f64 and all special values; each function is
the load map of a scan that passes new elements on, so that the numbers come from the
vectors and the single steps of a row. Prints the largest error of each, in units in
the last place of the result.
"""

import argparse
import sys

import numpy
import scan_tools

LIMIT = 4.0

#: The type, one with more bits, and an integer as wide.
TYPES = {"f32": (numpy.float32, numpy.float64, numpy.uint32),
         "f64": (numpy.float64, numpy.longdouble, numpy.uint64)}


def unary(name):
    return [f"%e = math.{name} %x : T"], getattr(numpy, name)


#: Lines that compute %e of %x, and the same by numpy.
FUNCTIONS = {name: unary(name) for name in ["exp", "exp2", "expm1", "log", "log1p", "tanh", "sqrt",
                                             "sin", "cos"]}
FUNCTIONS["sigmoid"] = (["%n = arith.negf %x : T", "%p = math.exp %n : T",
                         "%one = arith.constant 1.0 : T", "%d = arith.addf %p, %one : T",
                         "%e = arith.divf %one, %d : T"],
                        lambda x: 1 / (1 + numpy.exp(-x)))
FUNCTIONS["softplus"] = (["%zero = arith.constant 0.0 : T", "%m = arith.maximumf %x, %zero : T",
                          "%a = math.absf %x : T", "%n = arith.negf %a : T",
                          "%p = math.exp %n : T", "%l = math.log1p %p : T",
                          "%e = arith.addf %m, %l : T"],
                         lambda x: numpy.maximum(x, 0) + numpy.log1p(numpy.exp(-numpy.abs(x))))

PROGRAM = """
func.func @f(%xs: tensor<?xT>) -> tensor<?xT> {
  %es = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]} ins(%xs : tensor<?xT>) outs(%xs : tensor<?xT>) {
  ^bb0(%x: T, %o: T):
    LINES
    linalg.yield %e : T
  } -> tensor<?xT>
  %y = scan.associative ins(%es : tensor<?xT>) dim = 0 {
  ^bb0(%a: T, %b: T):
    %c = scan.clone %b : T
    scan.yield %c : T
  } -> tensor<?xT>
  return %y : tensor<?xT>
}
"""


def make_inputs(seed, count, element):
    dtype, _, word = TYPES[element]
    random = numpy.random.default_rng(seed)
    bits = random.integers(0, numpy.iinfo(word).max, count, dtype=word, endpoint=True)
    # Half of them where results are neither zero nor infinite.
    near = random.normal(0, 30 if element == "f32" else 200, count // 2)
    small = random.normal(0, 1, count - count // 2)
    limits = numpy.finfo(dtype)
    special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, limits.smallest_subnormal,
                           -limits.smallest_subnormal, limits.tiny, limits.max, -limits.max,
                           1.0, -1.0, 0.5, 2.0, 88.0, 88.72283, 88.72284, 89.0, -87.34, -103.97,
                           -103.98, -104.0, 30.0, -20.0, 9.1, 709.78, 709.79, -708.4, -745.1,
                           -745.2, 1023.5, 1024.0, -1074.0, -1075.5, 127.5, 128.0, -149.0, -150.5])
    with numpy.errstate(all="ignore"):
        return numpy.concatenate([special.astype(dtype), bits.view(dtype), near.astype(dtype),
                                  small.astype(dtype)])


def largest_error(result, exact):
    """In units in the last place; infinite where one is no number or infinite and
    the other one is something else, or the sign of zero differs."""
    dtype = result.dtype.type
    with numpy.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        # What is within a unit of the largest number may be infinite.
        same = (result == rounded) & (numpy.signbit(result) == numpy.signbit(rounded))
        same |= numpy.isnan(result) & numpy.isnan(rounded)
        unit = numpy.spacing(numpy.minimum(numpy.abs(rounded), numpy.finfo(dtype).max))
        error = numpy.abs(result.astype(exact.dtype) - exact) / unit
    error[same] = numpy.where(numpy.isfinite(error[same]), error[same], 0)
    error[~numpy.isfinite(error)] = numpy.inf
    return error.max(), numpy.argmax(error)


def check(work, element, name, x):
    lines, function = FUNCTIONS[name]
    dtype, wider, _ = TYPES[element]
    if name == "sigmoid":
        # Below, exp(-x) overflows where the result does not vanish yet.
        x = x[~(x < -numpy.log(numpy.finfo(dtype).max))]
    numpy.save(f"{work}.x.npy", x)
    with open(f"{work}.mlir", "w") as file:
        file.write(PROGRAM.replace("LINES", "\n    ".join(lines)).replace("T", element))
    scan_tools.check(["scan-run", f"{work}.mlir", "--target=cpu", f"--input={work}.x.npy",
                      f"--output={work}.y.npy"])
    with numpy.errstate(all="ignore"):
        exact = function(x.astype(wider))
    error, place = largest_error(numpy.load(f"{work}.y.npy"), exact)
    print(f"{name} of {element}: {error:.2f} ulp at {x[place]!r}")
    return error <= LIMIT


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1 << 17)
    arguments = parser.parse_args()
    bad = 0
    for element in TYPES:
        x = make_inputs(arguments.seed, arguments.count, element)
        for name in FUNCTIONS:
            bad += not check(arguments.work, element, name, x)
    print(f"{len(TYPES) * len(FUNCTIONS)} functions, {bad} too far off")
    sys.exit(bad > 0)


main()
