"""The programs whose derivatives gradients.py compares with central differences."""

import copy
import itertools
import os
import re

import numpy as np

import random_programs
import time_loop_programs


class Program:
    """The text of a function `f`, and how to make its inputs for an extent."""

    def __init__(self, name, text, make_inputs, results, **more):
        self.name, self.text, self.make_inputs, self.results = name, text, make_inputs, results
        self.asked_results = more.get("asked_results")
        self.asked_arguments = more.get("asked_arguments")
        self.orders = more.get("orders", 1)
        self.options = more.get("options", [])
        # Differentiates the derivative where its cotangents are zero.
        self.at_zero = more.get("at_zero", False)
        # What a refusal to differentiate has to say.
        self.may_refuse = more.get("may_refuse")

    def at(self, path, entry, inputs):
        case = copy.copy(self)
        case.path, case.entry, case.inputs = path, entry, inputs
        return case


def uniform(low, high):
    return lambda random, shape: random.uniform(low, high, shape)


def with_zeros(random, shape):
    """Numbers of which some are zero: a product must not be divided by them."""
    values = random.uniform(-1.2, 1.2, shape)
    return np.where(random.uniform(size=shape) < 0.2, 0.0, values)


def complex_uniform(size):
    return lambda random, shape: (
        random.uniform(-size, size, shape) + 1j * random.uniform(-size, size, shape)
    )


def flags(random, shape):
    return random.uniform(size=shape) < 0.2


def numbers(random, shape):
    return random.integers(0, 100, shape)


F, C, I1, I64 = "f64", "complex<f64>", "i1", "i64"
ANY = uniform(-1.5, 1.5)
POSITIVE = uniform(0.3, 2.0)
SMALL = uniform(-0.8, 0.8)

# Operator: element type and data of each leaf, trailing shape, lines of the
# region over %a0 %a1 ... (accumulated) and %b0 %b1 ... (new), yields.
MATMUL = []
for i, j in itertools.product(range(2), repeat=2):
    MATMUL += [
        f"%p{i}{j} = arith.mulf %a{2 * i}, %b{j} : f64",
        f"%q{i}{j} = arith.mulf %a{2 * i + 1}, %b{2 + j} : f64",
        f"%r{i}{j} = arith.addf %p{i}{j}, %q{i}{j} : f64",
    ]
OPERATORS = {
    "add": ([(F, ANY)], ["%r = arith.addf %a0, %b0 : f64"], ["%r"]),
    "mul": ([(F, with_zeros)], ["%r = arith.mulf %a0, %b0 : f64"], ["%r"]),
    "max": ([(F, ANY)], ["%r = arith.maximumf %a0, %b0 : f64"], ["%r"]),
    "minnum": ([(F, ANY)], ["%r = arith.minnumf %a0, %b0 : f64"], ["%r"]),
    "newest": ([(F, ANY)], ["%r = scan.clone %b0 : f64"], ["%r"]),
    "oldest": ([(F, ANY)], ["%r = scan.clone %a0 : f64"], ["%r"]),
    "hypot": (
        [(F, POSITIVE)],
        ["%x = arith.mulf %a0, %a0 : f64", "%y = math.fma %b0, %b0, %x : f64", "%r = math.sqrt %y : f64"],
        ["%r"],
    ),
    # Addition of velocities: tanh(artanh a + artanh b).
    "velocity": (
        [(F, SMALL)],
        [
            "%one = arith.constant 1.0 : f64",
            "%s = arith.addf %a0, %b0 : f64",
            "%p = arith.mulf %a0, %b0 : f64",
            "%d = arith.addf %one, %p : f64",
            "%r = arith.divf %s, %d : f64",
        ],
        ["%r"],
    ),
    "logaddexp": (
        [(F, ANY)],
        [
            "%m = arith.maximumf %a0, %b0 : f64",
            "%d = arith.subf %a0, %b0 : f64",
            "%e = math.absf %d : f64",
            "%n = arith.negf %e : f64",
            "%x = math.exp %n : f64",
            "%l = math.log1p %x : f64",
            "%r = arith.addf %m, %l : f64",
        ],
        ["%r"],
    ),
    "affine": (
        [(F, SMALL), (F, ANY)],
        ["%q = arith.mulf %b0, %a0 : f64", "%t = arith.mulf %b0, %a1 : f64", "%r = arith.addf %t, %b1 : f64"],
        ["%q", "%r"],
    ),
    "softmax": (
        [(F, ANY), (F, POSITIVE)],
        [
            "%m = arith.maximumf %a0, %b0 : f64",
            "%u = arith.subf %a0, %m : f64",
            "%v = arith.subf %b0, %m : f64",
            "%eu = math.exp %u : f64",
            "%ev = math.exp %v : f64",
            "%p = arith.mulf %a1, %eu : f64",
            "%q = arith.mulf %b1, %ev : f64",
            "%s = arith.addf %p, %q : f64",
        ],
        ["%m", "%s"],
    ),
    "argmax": (
        [(F, ANY), (I64, numbers)],
        [
            "%c = arith.cmpf oge, %a0, %b0 : f64",
            "%v = arith.select %c, %a0, %b0 : f64",
            "%i = arith.select %c, %a1, %b1 : i64",
        ],
        ["%v", "%i"],
    ),
    "segmented": (
        [(I1, flags), (F, ANY)],
        [
            "%f = arith.ori %a0, %b0 : i1",
            "%s = arith.addf %a1, %b1 : f64",
            "%r = arith.select %b0, %b1, %s : f64",
        ],
        ["%f", "%r"],
    ),
    "matmul": ([(F, SMALL)] * 4, MATMUL, ["%r00", "%r01", "%r10", "%r11"]),
    "complex-mul": ([(C, complex_uniform(1.0))], ["%r = complex.mul %a0, %b0 : complex<f64>"], ["%r"]),
    "complex-affine": (
        [(C, complex_uniform(0.7)), (C, complex_uniform(1.0))],
        [
            "%q = complex.mul %b0, %a0 : complex<f64>",
            "%t = complex.mul %b0, %a1 : complex<f64>",
            "%r = complex.add %t, %b1 : complex<f64>",
        ],
        ["%q", "%r"],
    ),
    # Sums, sums of squares and products of sums: a triangular Jacobian matrix.
    "triangular": (
        [(F, ANY), (F, ANY), (F, ANY)],
        [
            "%s = arith.addf %a0, %b0 : f64",
            "%u = arith.addf %a1, %b1 : f64",
            "%p = arith.mulf %a0, %b1 : f64",
            "%q = arith.addf %a2, %b2 : f64",
            "%r = arith.addf %q, %p : f64",
        ],
        ["%s", "%u", "%r"],
    ),
}


def tensor(shape, type):
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in shape) + type + ">"


def fill(shape, extent):
    return tuple(extent if d is None else d for d in shape)


def associative(name, operator, shape, dim, words, init, finals, **more):
    leaves, lines, yields = OPERATORS[operator]
    n = len(leaves)
    rest = shape[:dim] + shape[dim + 1 :]
    types = [tensor(shape, t) for t, _ in leaves]
    init_shape = rest if init == "tensor" else None
    init_types = [tensor(rest, t) if init == "tensor" else t for t, _ in leaves] if init else []
    final_types = [tensor(rest, t) for t, _ in leaves] if finals else []
    arguments = [f"%x{i}: {t}" for i, t in enumerate(types)]
    arguments += [f"%i{i}: {t}" for i, t in enumerate(init_types)]
    results = types + final_types
    block = ", ".join(
        [f"%a{i}: {t}" for i, (t, _) in enumerate(leaves)] + [f"%b{i}: {t}" for i, (t, _) in enumerate(leaves)]
    )
    clause = ""
    if init:
        clause = f"init({', '.join(f'%i{i}' for i in range(n))} : {', '.join(init_types)}) "
    count = len(results)
    names = "%y" if count == 1 else f"%y:{count}"
    returned = "%y" if count == 1 else ", ".join(f"%y#{i}" for i in range(count))
    body = "\n    ".join(lines)
    text = f"""func.func @f({', '.join(arguments)}) -> ({', '.join(results)}) {{
  {names} = scan.associative ins({', '.join(f'%x{i}' for i in range(n))} : {', '.join(types)}) {clause}dim = {dim}{words} {{
  ^bb0({block}):
    {body}
    scan.yield {', '.join(yields)} : {', '.join(t for t, _ in leaves)}
  }} -> {', '.join(results)}
  return {returned} : {', '.join(results)}
}}
"""

    def make_inputs(random, extent):
        inputs = [np.asarray(data(random, fill(shape, extent))) for _, data in leaves]
        if init:
            s = fill(init_shape, extent) if init == "tensor" else ()
            inputs += [np.asarray(data(random, s)) for _, data in leaves]
        return inputs

    return Program(name, text, make_inputs, count, **more)


def scans(operators):
    """Every mode and direction, over shapes that take turns."""
    shapes = itertools.cycle([((None,), 0), ((None, 3), 0), ((2, None), 1), ((2, None, 2), 1)])
    for operator in operators:
        for reverse in ("", " reverse"):
            for mode, (init, exclusive) in enumerate(
                [(None, ""), ("tensor", ""), ("scalar", ""), ("tensor", " exclusive")]
            ):
                shape, dim = next(shapes)
                finals = mode != 2
                if init == "tensor" and len(shape) == 1:
                    shape, dim = (None, 2), 0
                orders = 2 if mode in (0, 3) and len(OPERATORS[operator][0]) < 3 else 1
                yield associative(
                    operator, operator, shape, dim, reverse + exclusive, init, finals, orders=orders
                )


def one_of_several():
    """A loss that looks at one of several leaves, or at a final state only."""
    for operator in ("affine", "softmax", "matmul", "complex-affine", "triangular"):
        n = len(OPERATORS[operator][0])
        for result in (0, n - 1, n, 2 * n - 1):
            for words, init in (("", None), (" reverse", "tensor"), (" exclusive", "tensor")):
                yield associative(
                    operator, operator, (None, 2), 0, words, init, True, asked_results=[result]
                )
    # The gradient of one argument only.
    for argument in range(2):
        yield associative("affine", "affine", (None, 2), 0, "", None, True, asked_arguments=[argument])


def recurrence(name, shape, dim, words, init, finals, a_shape=None, type=F, **more):
    rest = shape[:dim] + shape[dim + 1 :]
    a_shape = a_shape or shape
    a, b = tensor(a_shape, type), tensor(shape, type)
    arguments, clause = f"%a: {a}, %b: {b}", ""
    if init:
        i = tensor(rest, type) if init == "tensor" else type
        arguments += f", %i: {i}"
        clause = f"init(%i : {i}) "
    results = [b] + ([tensor(rest, type)] if finals else [])
    names = "%h, %last" if finals else "%h"
    text = f"""func.func @f({arguments}) -> ({', '.join(results)}) {{
  {names} = scan.linear_recurrence ins(%a, %b : {a}, {b}) {clause}dim = {dim}{words} -> {', '.join(results)}
  return {names} : {', '.join(results)}
}}
"""
    data = complex_uniform(0.8) if type == C else ANY
    coefficient = complex_uniform(0.7) if type == C else SMALL

    def make_inputs(random, extent):
        inputs = [coefficient(random, fill(a_shape, extent)), data(random, fill(shape, extent))]
        if init:
            inputs.append(np.asarray(data(random, fill(rest, extent) if init == "tensor" else ())))
        return inputs

    return Program(name, text, make_inputs, len(results), **more)


def recurrences():
    for type in (F, C):
        for reverse in ("", " reverse"):
            for init, words in ((None, ""), ("tensor", ""), ("scalar", ""), ("tensor", " exclusive")):
                finals = init != "scalar"
                yield recurrence("recurrence", (2, None, 3), 1, reverse + words, init, finals, type=type, orders=2)
    yield recurrence("vector", (None,), 0, "", "scalar", True)
    for reverse in ("", " reverse"):
        yield recurrence("broadcast", (2, None, 3), 1, reverse, "tensor", True, (1, None, 3), orders=2)
        yield recurrence("broadcast", (2, None, 3), 1, reverse, None, False, (1, None, 1))
        yield recurrence("broadcast", (2, None, 3), 1, reverse, None, False, (2, None, 1), type=C)
    yield recurrence("last-only", (None, 3), 0, "", "tensor", True, asked_results=[1], orders=2)
    yield recurrence("a-only", (None, 3), 0, "", "tensor", True, asked_arguments=[0])
    yield recurrence("b-only", (None, 3), 0, "", "tensor", True, asked_arguments=[1])
    yield recurrence("init-only", (None, 3), 0, " reverse", "tensor", True, asked_arguments=[2])


def offsets(random, steps, count=4):
    """The bounds of `count` segments, some of which are empty."""
    cuts = np.sort(random.integers(0, steps + 1, count - 2))
    return np.concatenate([[0], cuts[:1], cuts, [steps]]).astype(np.int64)


# What a combine region has to do to be differentiated over segments: leaves, trailing
# shape, lines, yields.
SEGMENTED = {
    "product": (1, (), "%y0 = arith.mulf %a0, %b0 : f64", SMALL),
    "affine": (2, (), """%y0 = arith.mulf %b0, %a0 : f64
    %t = arith.mulf %b0, %a1 : f64
    %y1 = arith.addf %t, %b1 : f64""", SMALL),
    "matrices": (1, (2, 2), """%z = arith.constant dense<0.0> : tensor<2x2xf64>
    %y0 = linalg.matmul ins(%a0, %b0 : tensor<2x2xf64>, tensor<2x2xf64>)
      outs(%z : tensor<2x2xf64>) -> tensor<2x2xf64>""", SMALL),
}


def over_segments(name, shape, dim, words, init, finals, kind="offsets", a_shape=None, **more):
    """A recurrence, or a scan with one of these operators, over segments. `init`: None,
    "scalar", "tensor", "segments" (one per segment) or "steps" (one per step, with
    flags); `kind`: "offsets", or the shape of flags."""
    count = 4
    rest, per_segment = shape[:dim] + shape[dim + 1 :], shape[:dim] + (count,) + shape[dim + 1 :]
    is_offsets = kind == "offsets"
    leaves, trailing, lines, data = SEGMENTED.get(name, (1, (), None, ANY))
    x = tensor(shape + trailing, F)
    segments = tensor((count + 1,), I64) if is_offsets else tensor(kind, I1)
    arguments = [f"%x{i}: {x}" for i in range(leaves)]
    if lines is None:
        a = tensor(a_shape or shape, F)
        arguments.append(f"%a: {a}")
    arguments.append(f"%s: {segments}")
    clause = ""
    if init:
        i_shape = {"scalar": None, "tensor": rest, "segments": per_segment, "steps": shape}[init]
        i = F if i_shape is None else tensor(i_shape + trailing, F)
        arguments += [f"%i{n}: {i}" for n in range(leaves)]
        clause = f"init({', '.join(f'%i{n}' for n in range(leaves))} : {', '.join([i] * leaves)}) "
    clause += f"segments(%s : {segments}) dim = {dim}{words}"
    last = tensor((per_segment if is_offsets else rest) + trailing, F)
    results = [x] * leaves + [last] * (leaves if finals else 0)
    listed = ", ".join(results)
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    if lines is None:
        body = f"{names} = scan.linear_recurrence ins(%a, %x0 : {a}, {x}) {clause} -> {listed}"
    else:
        block = tensor(trailing, F) if trailing else F
        regions = ", ".join([f"%a{i}: {block}" for i in range(leaves)] + [f"%b{i}: {block}" for i in range(leaves)])
        body = f"""{names} = scan.associative ins({', '.join(f'%x{i}' for i in range(leaves))} : {', '.join([x] * leaves)})
      {clause} {{
  ^bb0({regions}):
    {lines}
    scan.yield {', '.join(f'%y{i}' for i in range(leaves))} : {', '.join([block] * leaves)}
  }} -> {listed}"""
    text = f"func.func @f({', '.join(arguments)}) -> ({listed}) {{\n  {body}\n  return {names} : {listed}\n}}\n"

    def make_inputs(random, extent):
        inputs = [data(random, fill(shape, extent) + trailing) for _ in range(leaves)]
        if lines is None:
            inputs.append(SMALL(random, fill(a_shape or shape, extent)))
        inputs.append(offsets(random, extent, count) if is_offsets else flags(random, fill(kind, extent)))
        if init:
            inputs += [np.asarray(data(random, () if i_shape is None else fill(i_shape, extent) + trailing))
                       for _ in range(leaves)]
        return inputs

    return Program(name, text, make_inputs, len(results), **more)


def segments_by_flags():
    """Inits and final states where flags say where walks start: the first step starts
    one in any case, and the last walk has the final state."""
    shapes = itertools.cycle([(None,), (2, None, 1), (2, None, 3), (1, None, 3)])
    for reverse in ("", " reverse"):
        for words in ("", " exclusive"):
            for init in (None, "scalar", "tensor", "steps"):
                if init or not words:
                    yield over_segments("recurrence", (2, None, 3), 1, reverse + words, init, True, next(shapes),
                                        orders=2 if init == "steps" else 1)
        yield over_segments("vector", (None,), 0, reverse, "scalar", True, (None,), orders=2)
        yield over_segments("vector", (None,), 0, reverse + " exclusive", "steps", False, (None,))
        yield over_segments("broadcast", (None, 3), 0, reverse, "tensor", True, (None, 1), a_shape=(None, 1))
        for name in ("product", "affine", "matrices"):
            yield over_segments(name, (2, None), 1, reverse, None, True, (None,))
            yield over_segments(name, (None, 2), 0, reverse, "tensor", True, (None, 2))
            yield over_segments(name, (None, 2), 0, reverse, "steps", True, (None, 1))
            yield over_segments(name, (None, 2), 0, reverse + " exclusive", "steps", True, (None, 2))
            yield over_segments(name, (None, 2), 0, reverse + " exclusive", "tensor", False, (None,))
    yield over_segments("recurrence", (None, 3), 0, "", "tensor", True, (None, 3), asked_results=[1], orders=2)
    yield over_segments("recurrence", (None, 3), 0, "", "tensor", True, (None,), asked_arguments=[3])
    yield over_segments("affine", (None,), 0, " exclusive", "scalar", True, (None,))


def segments():
    for reverse in ("", " reverse"):
        for init, words in ((None, ""), ("tensor", ""), ("scalar", ""), ("segments", ""), ("segments", " exclusive")):
            yield over_segments("recurrence", (2, None, 3), 1, reverse + words, init, init != "scalar")
        yield over_segments("vector", (None,), 0, reverse, "segments", True)
        yield over_segments("broadcast", (None, 3), 0, reverse, "segments", True, a_shape=(None, 1))
        yield over_segments("flags", (None, 3), 0, reverse, None, False, (None,))
        yield over_segments("flags", (2, None, 3), 1, reverse, None, False, (2, None, 1))
        for name in ("product", "affine", "matrices"):
            yield over_segments(name, (2, None), 1, reverse, None, True)
            yield over_segments(name, (None, 2), 0, reverse, "segments", True)
            yield over_segments(name, (None, 2), 0, reverse, "tensor", False)
            yield over_segments(name, (None, 2), 0, reverse + " exclusive", "segments", False)
            yield over_segments(name, (None, 2), 0, reverse, None, False, (None, 2))
    yield over_segments("recurrence", (None, 3), 0, "", "segments", True, asked_results=[1])
    yield over_segments("product", (None,), 0, "", "scalar", False)


# Operations on one real number, and where they are smooth.
REAL_FUNCTIONS = {
    "negf": ANY, "math.absf": POSITIVE, "math.acos": SMALL, "math.acosh": uniform(1.2, 3.0), "math.asin": SMALL,
    "math.asinh": ANY, "math.atan": ANY, "math.atanh": SMALL, "math.cbrt": POSITIVE, "math.ceil": uniform(0.1, 0.9),
    "math.cos": ANY, "math.cosh": ANY, "math.erf": ANY, "math.erfc": ANY, "math.exp": ANY, "math.exp2": ANY,
    "math.expm1": ANY, "math.floor": uniform(0.1, 0.9), "math.log": POSITIVE, "math.log10": POSITIVE,
    "math.log1p": POSITIVE, "math.log2": POSITIVE, "math.round": uniform(0.1, 0.4), "math.rsqrt": POSITIVE,
    "math.sin": ANY, "math.sinh": ANY, "math.sqrt": POSITIVE, "math.tan": uniform(-1.0, 1.0), "math.tanh": ANY,
    "math.trunc": uniform(0.1, 0.9),
}  # fmt: skip
REAL_FUNCTIONS["arith.negf"] = REAL_FUNCTIONS.pop("negf")
BINARY_FUNCTIONS = {
    "arith.addf": ANY, "arith.subf": ANY, "arith.mulf": ANY, "arith.divf": POSITIVE, "arith.remf": uniform(2.1, 2.9),
    "arith.maximumf": ANY, "arith.minimumf": ANY, "arith.maxnumf": ANY, "arith.minnumf": ANY,
    "math.atan2": POSITIVE, "math.copysign": POSITIVE, "math.powf": POSITIVE,
}  # fmt: skip
COMPLEX_FUNCTIONS = ["neg", "conj", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh"]
COMPLEX_BINARY = ["add", "sub", "mul", "div", "pow"]


def rules():
    """One function of all operations: each has an argument and a result of its own."""
    arguments, results, lines, data = [], [], [], []

    def argument(type, make, shape=(None,)):
        arguments.append((f"%x{len(arguments)}", type))
        data.append((make, shape))
        return arguments[-1][0]

    def result(text, type):
        lines.append(f"%r{len(results)} = {text}")
        results.append((f"%r{len(results)}", type))

    t = "tensor<?xf64>"
    for name, make in REAL_FUNCTIONS.items():
        result(f"{name} {argument(t, make)} : {t}", t)
    for name, make in BINARY_FUNCTIONS.items():
        result(f"{name} {argument(t, make)}, {argument(t, make)} : {t}", t)
    x, y, z = argument(t, ANY), argument(t, ANY), argument(t, ANY)
    result(f"math.fma {x}, {y}, {z} : {t}", t)
    low, high = argument(t, uniform(-0.5, -0.2)), argument(t, uniform(0.2, 0.5))
    result(f"math.clampf {argument(t, ANY)} to [{low}, {high}] : {t}", t)
    result(f"math.fpowi {argument(t, ANY)}, {argument('tensor<?xi64>', numbers_small)} : {t}, tensor<?xi64>", t)
    result(f"arith.select {argument('tensor<?xi1>', flags)}, {x}, {y} : tensor<?xi1>, {t}", t)
    # Complex numbers, and operations on scalars themselves.
    c = "complex<f64>"

    def scalar_data(random, shape):
        return np.asarray(complex(random.uniform(0.3, 1.5), random.uniform(0.3, 1.5)))

    for name in COMPLEX_FUNCTIONS:
        result(f"complex.{name} {argument(c, scalar_data, ())} : {c}", c)
    for name in COMPLEX_BINARY:
        result(f"complex.{name} {argument(c, scalar_data, ())}, {argument(c, scalar_data, ())} : {c}", c)
    for name in ("re", "im", "abs", "angle"):
        result(f"complex.{name} {argument(c, scalar_data, ())} : {c}", "f64")
    result(f"complex.create {argument('f64', ANY, ())}, {argument('f64', ANY, ())} : {c}", c)
    text = f"func.func @f({', '.join(f'{n}: {t}' for n, t in arguments)}) -> ({', '.join(t for _, t in results)}) {{\n  "
    text += "\n  ".join(lines)
    text += f"\n  return {', '.join(n for n, _ in results)} : {', '.join(t for _, t in results)}\n}}\n"

    def make_inputs(random, extent):
        return [np.asarray(make(random, fill(shape, extent))) for make, shape in data]

    yield Program("rules", text, make_inputs, len(results), orders=2)


def numbers_small(random, shape):
    return random.integers(0, 5, shape)


MATRIX = """func.func @f(%m: tensor<?x2x2xf64>, %i: tensor<2x2xf64>) -> (tensor<?x2x2xf64>, tensor<2x2xf64>) {
  %p, %last = scan.associative ins(%m : tensor<?x2x2xf64>) init(%i : tensor<2x2xf64>) dim = 0WORDS {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>, tensor<2x2xf64>
  return %p, %last : tensor<?x2x2xf64>, tensor<2x2xf64>
}
"""
GRAPH = """#bt = affine_map<(b, t) -> (b, t)>
#b = affine_map<(b, t) -> (b)>
#tb = affine_map<(b, t) -> (t, b)>
func.func @f(%x: tensor<3x?xf64>, %w: tensor<3xf64>, %m: tensor<3x3xf64>, %s: f64, %u: tensor<1x?xf64>)
    -> (f64, tensor<3xf64>, tensor<?x3xf64>) {
  %c1 = arith.constant 1 : index
  %time = tensor.dim %x, %c1 : tensor<3x?xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty(%time) : tensor<3x?xf64>
  %et = tensor.empty(%time) : tensor<?x3xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<3x?xf64>) -> tensor<3x?xf64>
  %mx = linalg.matmul ins(%m, %x : tensor<3x3xf64>, tensor<3x?xf64>) outs(%z : tensor<3x?xf64>) -> tensor<3x?xf64>
  %splat = tensor.splat %s[%time] : tensor<3x?xf64>
  %a = linalg.generic {indexing_maps = [#bt, #b, #bt, affine_map<(b, t) -> (0, t)>, #bt],
      iterator_types = ["parallel", "parallel"]}
      ins(%mx, %w, %splat, %u : tensor<3x?xf64>, tensor<3xf64>, tensor<3x?xf64>, tensor<1x?xf64>) outs(%e : tensor<3x?xf64>) {
  ^bb0(%p: f64, %q: f64, %k: f64, %v: f64, %out: f64):
    %r = arith.mulf %p, %q : f64
    %r2 = arith.addf %r, %k : f64
    %r3 = arith.subf %r2, %v : f64
    %t = math.tanh %r3 : f64
    linalg.yield %t : f64
  } -> tensor<3x?xf64>
  %h, %last = scan.linear_recurrence ins(%a, %x : tensor<3x?xf64>, tensor<3x?xf64>) init(%w : tensor<3xf64>) dim = 1 reverse
      -> tensor<3x?xf64>, tensor<3xf64>
  %p = scan.shift %h boundary(%last : tensor<3xf64>) dim = 1 by = -2 : tensor<3x?xf64>
  %hp = arith.mulf %h, %p : tensor<3x?xf64>
  %t = linalg.transpose ins(%hp : tensor<3x?xf64>) outs(%et : tensor<?x3xf64>) permutation = [1, 0]
  %row = tensor.extract_slice %hp[1, 0] [1, %time] [1, 1] : tensor<3x?xf64> to tensor<?xf64>
  %back = tensor.insert_slice %row into %hp[0, 0] [1, %time] [1, 1] : tensor<?xf64> into tensor<3x?xf64>
  %e3 = tensor.empty() : tensor<3xf64>
  %z3 = linalg.fill ins(%zero : f64) outs(%e3 : tensor<3xf64>) -> tensor<3xf64>
  %sum = linalg.reduce { arith.addf } ins(%back : tensor<3x?xf64>) outs(%z3 : tensor<3xf64>) dimensions = [1]
  %c2 = arith.constant 2 : index
  %one = tensor.extract %sum[%c2] : tensor<3xf64>
  %loss = math.sin %one : f64
  return %loss, %sum, %t : f64, tensor<3xf64>, tensor<?x3xf64>
}
"""


def graphs():
    """Graphs around scans; matrices as leaves."""

    def make_graph(random, extent):
        shapes = [(3, extent), (3,), (3, 3), (), (1, extent)]
        return [np.asarray(SMALL(random, shape)) for shape in shapes]

    yield Program("graph", GRAPH, make_graph, 3, orders=2)
    for words in ("", " reverse", " exclusive", " reverse exclusive"):
        yield Program(
            "matrix",
            MATRIX.replace("WORDS", words),
            lambda random, extent: [SMALL(random, (extent, 2, 2)), SMALL(random, (2, 2))],
            2,
        )


def example(name, replacements, shapes, results, **more):
    path = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", name + ".mlir")
    with open(path) as file:
        text = file.read()
    for old, new in replacements:
        text = text.replace(old, new)
    text = text.replace(f"@{more.pop('entry', name)}(", "@f(")

    def make_inputs(random, extent):
        return [np.asarray(make(random, fill(shape, extent))) for make, shape in shapes]

    return Program(name, text, make_inputs, results, **more)


def models():
    f64 = [("f32", "f64")]
    yield example(
        "rglru",
        f64 + [("512", "5")],
        [(ANY, (2, None, 5))] * 3 + [(ANY, (5,)), (ANY, (2, 5))],
        2,
        orders=2,
    )
    for rematerialize in ("never", "always"):
        yield example(
            "rglru",
            f64 + [("512", "5")],
            [(ANY, (2, None, 5))] * 3 + [(ANY, (5,)), (ANY, (2, 5))],
            2,
            options=[f"rematerialize={rematerialize}"],
        )
    yield example("s5", f64, [(complex_uniform(0.7), (None, 3))] * 2, 1, orders=2)
    yield example(
        "s5",
        f64,
        [(complex_uniform(0.7), (None, 3))] * 2 + [(complex_uniform(1.0), (3,))],
        1,
        entry="s5_output",
    )
    btc = (2, None, 3)
    yield example("griffin", f64, [(ANY, btc)] * 3 + [(ANY, (3,)), (ANY, (2, 3)), (ANY, btc)], 2)
    for rematerialize in ("never", "auto"):
        yield example(
            "mamba",
            f64 + [("x16xf64", "x2xf64")],
            [(ANY, btc), (ANY, btc), (ANY, (3,)), (SMALL, (3, 2)), (ANY, (2, None, 2)), (ANY, (2, None, 2))]
            + [(ANY, (3,)), (ANY, btc)],
            1,
            options=[f"rematerialize={rematerialize}"],
        )
    # Decaying states: real parts of the eigenvalues are negative.
    yield example(
        "s5_layer",
        f64,
        [(lambda random, shape: complex_uniform(0.5)(random, shape) - 1.0, (4,)), (SMALL, (4,))]
        + [(complex_uniform(1.0), (2, None, 4)), (complex_uniform(1.0), (4, 4)), (ANY, (4,)), (ANY, (2, None, 4))],
        1,
    )


# Two states of different widths; each reads a lane of the other.
TWO_STATES = """func.func @f(%x: tensor<?x?xf64>, %i: tensor<1x?xf64>, %j: tensor<1x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %g, %h = scan.recurrence ins(%x : tensor<?x?xf64>) init(%i, %j : tensor<1x?xf64>, tensor<1x?xf64>) dim = 0 init_rows {
  ^bb0(%t: index, %g1: tensor<?xf64>, %h1: tensor<?xf64>, %row: tensor<?xf64>):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %other = tensor.extract %h1[%c2] : tensor<?xf64>
    %m = tensor.dim %g1, %c0 : tensor<?xf64>
    %others = tensor.splat %other[%m] : tensor<?xf64>
    %p = arith.mulf %g1, %others : tensor<?xf64>
    %q = math.sin %p : tensor<?xf64>
    %s = arith.addf %q, %row : tensor<?xf64>
    %first = tensor.extract %g1[%c0] : tensor<?xf64>
    %n = tensor.dim %h1, %c0 : tensor<?xf64>
    %firsts = tensor.splat %first[%n] : tensor<?xf64>
    %u = arith.addf %h1, %firsts : tensor<?xf64>
    %v = math.tanh %u : tensor<?xf64>
    scan.yield %s, %v : tensor<?xf64>, tensor<?xf64>
  } -> tensor<?x?xf64>, tensor<?x?xf64>
  return %g, %h : tensor<?x?xf64>, tensor<?x?xf64>
}
"""


def recurrent_layers():
    """Layers with weights, filters and rows that read each other: examples."""
    f64 = [("f32", "f64")]
    state = (2, 1, 6)
    yield example("recurrent_cells", f64,
                  [(ANY, (2, None, 5)), (ANY, state), (ANY, state), (SMALL, (5, 24)), (SMALL, (6, 24)), (ANY, (24,))],
                  2, entry="lstm", orders=2)
    yield example("recurrent_cells", f64,
                  [(ANY, (2, None, 5)), (ANY, state), (SMALL, (5, 18)), (SMALL, (6, 18)), (ANY, (18,)), (ANY, (18,))],
                  2, entry="gru", orders=2)
    yield example("te_scan", f64, [(ANY, (None, 3)), (ANY, (2, 3)), (ANY, (2, 3)), (SMALL, (3,)), (SMALL, (2,))],
                  3, entry="biquad", orders=2)
    yield example("recurrent_cells", f64,
                  [(ANY, (2, None, 5)), (ANY, state), (ANY, state), (POSITIVE, state), (ANY, state), (SMALL, (5, 24)),
                   (SMALL, (6, 24)), (ANY, (24,))], 2, entry="slstm")
    yield example("te_scan", f64, [(ANY, (None, 3)), (ANY, (1, 3)), (ANY, (3,))], 1, entry="tanh_lanes", orders=2)
    yield Program("two states", TWO_STATES,
                  lambda random, extent: [ANY(random, (extent, 4)), ANY(random, (1, 4)), ANY(random, (1, 3))], 2, orders=2)


def random_graphs():
    """Random graphs around random scans; some have reductions that are no sums."""
    for seed in range(80):
        graph = random_programs.Program(seed)
        text, results = graph.build()
        shapes = [tuple(random_programs.EXTENT[d] for d in shape) for _, shape in graph.arguments]

        def make_inputs(random, extent, shapes=shapes):
            return [np.asarray(ANY(random, shape)) for shape in shapes]

        yield Program(f"random {seed}", text.replace("f32", "f64"), make_inputs, results, may_refuse="is a reduction")


def scatter(name, source, dest, index, dim, **more):
    """A scatter with indices of which some are outside and many the same, between
    functions that are not linear."""
    type = more.pop("type", F)
    i_type = more.pop("i_type", I64)
    x, d, i = (type if source is None else tensor(source, type)), tensor(dest, type), tensor(index, i_type)
    square = "complex.mul" if type == C else "arith.mulf"
    squares = f"%s = {square} %x, %x : {x}"
    if type == C and source is not None:
        squares = f"""%e = tensor.empty({', '.join('%n' for n in source if n is None)}) : {x}
  %s = linalg.map {{ complex.mul }} ins(%x, %x : {x}, {x}) outs(%e : {x})"""
    text = f"""func.func @f(%x: {x}, %d: {d}, %i: {i}) -> {d} {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : {i}
  {squares}
  %r = scan.scatter %s into %d at %i dim = {dim} : {x} into {d} at {i}
  return %r : {d}
}}
"""

    def make_inputs(random, extent):
        data = complex_uniform(1.0) if type == C else ANY
        shapes = [() if source is None else fill(source, extent), fill(dest, extent)]
        places = random.integers(-1, shapes[1][dim] + 1, fill(index, extent))
        return [np.asarray(data(random, s)) for s in shapes] + [
            places.astype({"i8": np.int8, "i32": np.int32}.get(i_type, np.int64))]

    return Program(name, text, make_inputs, 1, **more)


def scatters():
    for type in (F, C):
        yield scatter("one of each", (None, 1), (None, 5), (None, 1), 1, type=type)
        yield scatter("several", (None, 6), (None, 4), (None, 6), 1, type=type)
        yield scatter("scalar", None, (None, 5), (None, 3), -1, type=type)
    yield scatter("first dimension", (None, 3), (4, 3), (None, 3), 0, i_type="i32")
    yield scatter("shorter", (None, 6, 2), (None, 4, 3), (None, 6, 2), 1, i_type="i8")
    yield scatter("scalar once", None, (None, 5), (None, 1), 1)
    yield scatter("vector", (None,), (3,), (None,), 0)
    yield scatter("into nothing", (None,), (0,), (None,), 0)
    yield scatter("destination", (None, 6), (None, 4), (None, 6), 1, asked_arguments=[1], orders=2)


# Functions %y of %x and %z that are not finite, or have no finite slope, at numbers that
# a condition keeps away; and numbers where they are.
INFINITE = float("inf")
GUARDED = {
    "log": (["%y = math.log %x : T"], [0.0, -1.0, -INFINITE], POSITIVE),
    "sqrt": (["%y = math.sqrt %x : T"], [0.0, -1.0], POSITIVE),
    "rsqrt": (["%y = math.rsqrt %x : T"], [0.0, -1.0], POSITIVE),
    "cbrt": (["%y = math.cbrt %x : T"], [0.0], POSITIVE),
    "div": (["%y = arith.divf %z, %x : T"], [0.0, -0.0], POSITIVE),
    "quotient": (["%a = arith.mulf %x, %x : T", "%y = arith.divf %x, %a : T"], [0.0], POSITIVE),
    "remf": (["%y = arith.remf %z, %x : T"], [0.0], uniform(2.1, 2.9)),
    "powf": (["%y = math.powf %x, %z : T"], [0.0, -1.0], POSITIVE),
    "exp": (["%y = math.exp %x : T"], [INFINITE, 1e4], SMALL),
    "difference": (
        ["%a = arith.subf %x, %x : T", "%b = math.exp %a : T", "%y = arith.mulf %b, %z : T"],
        [INFINITE, -INFINITE],
        SMALL,
    ),
    "product": (
        ["%a = math.exp %x : T", "%b = arith.mulf %x, %a : T", "%y = arith.mulf %b, %x : T"],
        [-INFINITE, INFINITE, 1e300],
        SMALL,
    ),
    "tanh": (["%a = math.log %x : T", "%y = math.tanh %a : T"], [-1.0], POSITIVE),
    "atanh": (["%y = math.atanh %x : T"], [1.0, 2.0], SMALL),
    "acos": (["%y = math.acos %x : T"], [1.0, 2.0], SMALL),
    "asin": (["%y = math.asin %x : T"], [1.0], SMALL),
    "acosh": (["%y = math.acosh %x : T"], [1.0, 0.5], uniform(1.2, 3.0)),
    "log1p": (["%y = math.log1p %x : T"], [-1.0], SMALL),
    "atan2": (["%a = arith.mulf %x, %z : T", "%y = math.atan2 %x, %a : T"], [0.0], POSITIVE),
    "sin": (["%y = math.sin %x : T"], [INFINITE], SMALL),
    "fma": (["%a = math.exp %x : T", "%y = math.fma %a, %z, %x : T"], [INFINITE], SMALL),
    # Not finite: neither the maximum of it nor a clamp is it.
    "maximum": (["%a = arith.mulf %x, %x : T", "%b = arith.divf %z, %a : T", "%c = arith.negf %b : T",
                 "%y = arith.maximumf %c, %z : T"], [0.0], POSITIVE),
    "maxnum": (["%a = math.log %x : T", "%b = math.sqrt %a : T", "%y = arith.maxnumf %z, %b : T"], [0.5, -1.0],
               uniform(1.2, 3.0)),
    "clamp": (["%a = arith.mulf %x, %x : T", "%b = arith.divf %z, %a : T", "%c = arith.addf %z, %z : T",
               "%y = math.clampf %b to [%z, %c] : T"], [0.0], POSITIVE),
}  # fmt: skip
# Of these the result is %y itself.
UNSELECTED = ("maximum", "maxnum", "clamp")


def guarded_functions(is_body):
    """All of them, of arguments of their own: as operations on tensors, or in the body
    of one."""
    t = "tensor<?xf64>"
    type = "f64" if is_body else t
    arguments, results, lines = [], [], []
    for number, (name, (body, _, _)) in enumerate(GUARDED.items()):
        arguments += [(f"%x{number}", "f64"), (f"%z{number}", "f64"), (f"%ok{number}", "i1")]
        body = list(body)
        if name not in UNSELECTED:
            condition = "" if is_body else "tensor<?xi1>, "
            body.append(f"%r = arith.select %ok, %y, %z : {condition}T")
        else:
            body[-1] = body[-1].replace("%y", "%r")
        for line in body:
            line = re.sub(r"%(\w+)", rf"%\g<1>{number}", line)
            lines.append(line.replace("T", type))
        results.append(f"%r{number}")
    text = f"func.func @f({', '.join(f'{n}: tensor<?x{e}>' for n, e in arguments)}) -> ({', '.join(t for _ in results)}) {{\n"
    if is_body:
        maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(arguments) + len(results)))
        outs = ", ".join("%x0" for _ in results)
        text += f"  %all:{len(results)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}}\n"
        text += f"      ins({', '.join(n for n, _ in arguments)} : {', '.join(f'tensor<?x{e}>' for _, e in arguments)})\n"
        text += f"      outs({outs} : {', '.join(t for _ in results)}) {{\n"
        block = [f"{n}: {e}" for n, e in arguments] + [f"%o{i}: f64" for i in range(len(results))]
        # The names inside of the body are its own.
        block = ", ".join(block).replace("%", "%in_")
        text += f"  ^bb0({block}):\n    " + "\n    ".join(lines).replace("%", "%in_")
        text += f"\n    linalg.yield {', '.join(results)} : {', '.join('f64' for _ in results)}\n".replace("%", "%in_")
        text += f"  }} -> ({', '.join(t for _ in results)})\n"
        results = [f"%all#{i}" for i in range(len(results))]
    else:
        text += "  " + "\n  ".join(lines) + "\n"
    text += f"  return {', '.join(results)} : {', '.join(t for _ in results)}\n}}\n"

    def make_inputs(random, extent):
        inputs = []
        for _, unsafe, safe in GUARDED.values():
            is_safe = random.uniform(size=extent) < 0.5
            inputs.append(np.where(is_safe, safe(random, (extent,)), random.choice(unsafe, extent)))
            inputs += [POSITIVE(random, (extent,)), is_safe]
        return inputs

    return Program("functions in a body" if is_body else "functions", text, make_inputs, len(GUARDED),
                   orders=2, at_zero=is_body)


def guarded():
    """What a select, a maximum or a clamp did not take has no part in the gradient,
    however infinite it is."""
    t = "tensor<?xf64>"
    yield guarded_functions(is_body=False)
    yield guarded_functions(is_body=True)
    # What a slice leaves out, and what a scan between the guard and the function does.
    text = f"""func.func @f(%x: tensor<?x2xf64>) -> tensor<?xf64> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf64>
  %y = math.log %x : tensor<?x2xf64>
  %r = tensor.extract_slice %y[0, 1] [%n, 1] [1, 1] : tensor<?x2xf64> to {t}
  return %r : {t}
}}
"""
    yield Program("sliced", text, lambda random, extent: [
        np.stack([np.zeros(extent), POSITIVE(random, (extent,))], 1)], 1)
    text = f"""func.func @f(%a: {t}, %b: {t}, %c: tensor<?xi1>) -> {t} {{
  %h = scan.linear_recurrence ins(%a, %b : {t}, {t}) dim = 0 -> {t}
  %r = arith.select %c, %h, %a : tensor<?xi1>, {t}
  return %r : {t}
}}
"""
    yield Program("scan that overflows", text, lambda random, extent: [
        np.full(extent, 1.5), np.where(np.arange(extent) < 8, 1.0, 1e308), np.arange(extent) < 8], 1)
    # The maximum and the sum of exponentials of rows with elements of -inf.
    text = open(os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "online_softmax.mlir")).read()
    text = text.replace("f32", "f64").replace("@online_softmax", "@f")

    def masked(random, extent):
        values = ANY(random, (4, extent))
        values[random.uniform(size=values.shape) < 0.3] = -INFINITE
        values[0, : extent // 2] = -INFINITE
        values[1, :] = -INFINITE
        return [values]

    for words in ("", " reverse"):
        yield Program("online softmax", text.replace("dim = 1 {", f"dim = 1{words} {{"), masked, 4, orders=2)
    # The same guard in a complex function.
    text = """func.func @f(%x: complex<f64>, %z: complex<f64>, %c: i1) -> complex<f64> {
  %q = complex.div %z, %x : complex<f64>
  %l = complex.log %x : complex<f64>
  %y = complex.mul %q, %l : complex<f64>
  %r = arith.select %c, %y, %z : complex<f64>
  return %r : complex<f64>
}
"""
    for x in (0.0, 0.5 + 1.0j):
        yield Program("complex", text, lambda random, extent, x=x: [
            np.asarray(x + 0j), np.asarray(complex_uniform(1.0)(random, ())), np.asarray(x != 0)], 1)


def moves():
    """What moves elements along time: pads, concatenations, slices of them, short convolutions."""
    t = "tensor<2x?xf64>"
    head = f"""  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : {t}
"""
    pad = f"""  %p = tensor.pad %x low[0, 2] high[0, 1] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f64
  }} : {t} to {t}
"""
    square = f"  %y = arith.mulf %r, %r : {t}\n  return %y : {t}\n}}\n"
    slice_of = "tensor.extract_slice {0}[0, {1}] [2, {2}] [1, 1] : " + f"{t} to {t}\n"
    inputs = lambda random, extent: [SMALL(random, (2, extent))]
    function = f"func.func @f(%x: {t}) -> {t} {{\n"
    yield Program("pad", function + head + pad + "  %r = arith.addf %p, %p : " + t + "\n" + square, inputs, 1)
    for offset in (0, 1, 3):
        text = function + head + pad + "  %r = " + slice_of.format("%p", offset, "%n") + square
        yield Program(f"slice {offset} of a pad", text, inputs, 1)
    row = "func.func @f(%x: " + t + ", %row: tensor<2x1xf64>) -> " + t + " {\n"
    text = row + head + (f"  %p = tensor.concat dim(1) %row, %x, %x : (tensor<2x1xf64>, {t}, {t}) -> {t}\n"
                         f"  %r = math.sin %p : {t}\n") + square
    yield Program("concatenation", text, lambda random, extent: [*inputs(random, extent), SMALL(random, (2, 1))], 1)
    text = row + head + "  %less = arith.subi %n, %c1 : index\n  %s = " + slice_of.format("%x", 0, "%less") + (
        f"  %q = tensor.concat dim(1) %row, %s : (tensor<2x1xf64>, {t}) -> {t}\n"
        f"  %r = arith.mulf %q, %x : {t}\n") + square
    yield Program("joined row", text, lambda random, extent: [SMALL(random, (2, extent + 1)), SMALL(random, (2, 1))], 1)
    # A causal one, and one that reads only what there is.
    window = f"""  %e = tensor.empty(%m) : {t}
  %z = linalg.fill ins(%zero : f64) outs(%e : {t}) -> {t}
  %r = linalg.generic {{
      indexing_maps = [affine_map<(c, t, k) -> (c, t + k)>, affine_map<(c, t, k) -> (c, k)>, affine_map<(c, t, k) -> (c, t)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%source, %w : {t}, tensor<2x3xf64>) outs(%z : {t}) {{
  ^bb0(%a: f64, %b: f64, %acc: f64):
    %m0 = arith.mulf %a, %b : f64
    %s0 = arith.addf %acc, %m0 : f64
    linalg.yield %s0 : f64
  }} -> {t}
"""
    weighted = "func.func @f(%x: " + t + ", %w: tensor<2x3xf64>) -> " + t + " {\n"
    causal = pad.replace("high[0, 1]", "high[0, 0]").replace("%p =", "%source =") + "  %m = arith.addi %n, %c1 : index\n"
    for name, source, more in (
            ("causal", causal.replace("%m = arith.addi %n, %c1", "%m = arith.muli %n, %c1"), 0),
            ("inner", f"  %source = tensor.cast %x : {t} to {t}\n  %m = arith.subi %n, %c2 : index\n", 2)):
        yield Program(f"convolution, {name}", weighted + head + source + window + square,
                      lambda random, extent, more=more: [SMALL(random, (2, extent + more)), SMALL(random, (2, 3))], 1)


GROUPS = {
    "one-leaf": lambda: scans(["add", "mul", "max", "minnum", "newest", "oldest", "hypot", "velocity", "logaddexp"]),
    "several-leaves": lambda: scans(["affine", "softmax", "argmax", "segmented", "triangular", "matmul"]),
    "complex": lambda: scans(["complex-mul", "complex-affine"]),
    "one-of-several": one_of_several,
    "recurrences": recurrences,
    "segments": segments,
    "segments-by-flags": segments_by_flags,
    "scatters": scatters,
    "guarded": guarded,
    "rules": rules,
    "graphs": graphs,
    "moves": moves,
    "models": models,
    "time-loops": lambda: time_loop_programs.cells(Program),
    "random-time-loops": lambda seed, count: time_loop_programs.random_cells(Program, seed, count),
    "recurrent-layers": recurrent_layers,
    "random": random_graphs,
}
