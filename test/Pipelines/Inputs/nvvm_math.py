"""Evaluates the functions of gpu-math.mlir as --scan-gpu-to-nvvm writes them.

usage: nvvm_math.py FILE

Each llvm.func loads one number, computes, and stores one number. Arguments are numbers of
all exponents and signs, infinities and NaN. Instructions that GPUs approximate (ex2, rcp,
sqrt) and libdevice's exponential are taken for exact, so that what is seen is the error of
what is around them: the largest of each function is printed, in units in the last place,
against numpy in a wider type.
"""

import re
import sys

import numpy as np

LIMIT = 3.0
#: What is below 2^-126 may be zero.
FLUSHED = 2.0**-126
WIDE = np.longdouble


def flush(x):
    return np.where(abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def exactly(function):
    """In f32, rounded once."""
    return lambda *x: function(*(np.asarray(v, WIDE) for v in x)).astype(np.float32)


def flushing(function):
    rounded = exactly(function)
    return lambda x: flush(rounded(flush(x)))


#: Operations by what their text begins with.
OPERATIONS = {
    "llvm.fmul": lambda a, b: a * b,
    "llvm.fadd": lambda a, b: a + b,
    "llvm.fsub": lambda a, b: a - b,
    'llvm.fcmp "oge"': lambda a, b: a >= b,
    "llvm.select": np.where,
    "llvm.fneg": lambda a: -a,
    "llvm.fpext": lambda a: a,
    "llvm.intr.fabs": abs,
    "llvm.intr.maximum": np.maximum,
    "llvm.intr.minimum": np.minimum,
    "llvm.call @__nv_fabsf": abs,
    "llvm.call @__nv_expf": exactly(np.exp),
    "llvm.call @__nv_fmaf": exactly(lambda a, b, c: a * b + c),
    'llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"': flushing(np.exp2),
    'llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"': flushing(np.sqrt),
    'llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"': flushing(lambda a: 1 / np.sqrt(a)),
    "nvvm.rcp.approx.ftz.f": flushing(lambda a: 1 / a),
}


def decay(x):
    return np.exp(-140 * np.log1p(np.exp(-abs(x))))


#: What the functions are, whether their argument is a number in bf16, how far off they may be
#: in units in the last place, and besides. The error of the decay is that of the exponent,
#: which is down to -97.
EXPECTED = {
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), False, LIMIT, 0),
    "narrow_sigmoid": (lambda x: 1 / (1 + np.exp(-x)), True, LIMIT, 0),
    "narrow_pair": (lambda x: 1 / (1 + np.exp(abs(x))), True, LIMIT, FLUSHED),
    "wide_pair": (lambda x: 1 / (1 + np.exp(x)), False, LIMIT, FLUSHED),
    "gelu": (lambda x: x / (1 + np.exp(-x)), False, LIMIT, 104 * FLUSHED),
    "gate": (lambda x: 1 / (1 + np.exp(-x)), False, LIMIT, 0),
    "decay": (decay, False, LIMIT + 3 * 97, 0),
    "softplus": (lambda x: np.log1p(np.exp(-abs(x))), False, LIMIT, 0),
    "root": (lambda x: np.sqrt(np.minimum(x, 1)), False, LIMIT, 0),
    "reciprocal_root": (lambda x: 1 / np.sqrt(np.minimum(x, 1)), False, LIMIT, 0),
}


INFINITE = ("sigmoid", "narrow_sigmoid", "gelu", "gate")


def evaluate(lines, x):
    """What is stored last by `lines` of a function that loads x."""
    values = {}
    for line in lines:
        if match := re.search(r"(%\w+) = llvm.mlir.constant\((\S+) : f32\)", line):
            number = match[2]
            values[match[1]] = (np.array([int(number, 16)], np.uint32).view(np.float32)[0]
                                if number.startswith("0x") else np.float32(number))
        elif match := re.search(r"(%\w+) = llvm.load .*-> b?f(16|32)$", line):
            values[match[1]] = x
        elif match := re.search(r"llvm.store (%\w+), %\w+ : f32", line):
            return values[match[1]]
        elif match := re.search(r"(%\w+) = (.*) : ", line):
            for name, operation in OPERATIONS.items():
                if re.match(re.escape(name) + r"[( ]", match[2]):
                    text = match[2][len(name):]
                    values[match[1]] = operation(
                        *(values[operand] for operand in re.findall(r"%\w+", text)))
    raise ValueError("expected a function that stores a number in f32")


def make_arguments():
    random = np.random.default_rng(1)
    bits = random.integers(0, 1 << 32, 1 << 17, dtype=np.uint64).astype(np.uint32)
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, -1e-45, 1e-39, 88.5, 88.72,
             88.73, -87.33, -87.34, -88.5, -103.97, -104.0]
    numbers = [edges, random.normal(0, 30, 1 << 17), random.normal(0, 1, 1 << 17)]
    return np.concatenate([bits.view(np.float32), np.concatenate(numbers).astype(np.float32)])


def find_error(found, expected, least):
    """The largest error beyond `least`, in units in the last place."""
    rounded = expected.astype(np.float32)
    if (np.isnan(found) != np.isnan(expected)).any():
        return np.inf
    wrong = ~np.isnan(expected) & (found != rounded)
    if not wrong.any():
        return 0.0
    errors = abs(found[wrong] - expected[wrong]) - WIDE(least)
    return float((errors / np.spacing(abs(rounded[wrong]))).max())


def main():
    text = open(sys.argv[1]).read()
    x, bad = make_arguments(), 0
    with np.errstate(all="ignore"):
        for name, (function, is_narrow, limit, least) in EXPECTED.items():
            body = re.search(rf"llvm.func @{name}\(.*?llvm.return", text, re.DOTALL)[0]
            arguments = x
            if is_narrow:
                arguments = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
            # Of these, 1 + exp(-x) may be infinite in f32, and the result zero.
            if name in INFINITE:
                arguments = arguments[~(arguments < -88.72) | (arguments < -104)]
            error = find_error(evaluate(body.splitlines(), arguments),
                               function(arguments.astype(WIDE)), least)
            print(f"{name}: {error:.2f} ulp")
            bad += not error <= limit
    print(f"{len(EXPECTED)} functions, {bad} too far off")
    sys.exit(bad > 0)


main()
