"""Checks every scalar operation, alone in the body of a linalg.generic and on
whole tensors, against numpy."""

import math

import numpy as np
from refcheck import (COMPLEX, DTYPES, FLOATS, INTEGERS, Batch, Checker, rounded,
                      to_bf16)

checker = Checker()


batch = Batch()


def check(name, operands, op, result, expected, ulps=0):
    """Compares `op`, a text with {0} {1} ... for operands, {T0} {T1} ... for
    their types and {R} for the result's, on tensors and element by element.
    Operations of the complex dialect take no tensors."""
    count = np.shape(operands[0][0])[0]
    tensors = [f"tensor<{count}x{type}>" for _, type in operands]
    names = [f"%x{i}" for i in range(len(operands))]
    out = f"tensor<{count}x{result}>"

    def text(arguments, wrap):
        return op.format(*arguments, R=wrap(result), **{f"T{i}": wrap(t) for i, (_, t) in enumerate(operands)})

    scalars = [f"%s{i}" for i in range(len(operands))]
    identity = "affine_map<(i) -> (i)>"
    single = f"""
  %e = tensor.empty() : {out}
  %r = linalg.generic {{indexing_maps = [{", ".join([identity] * (len(operands) + 1))}],
                        iterator_types = ["parallel"]}}
      ins({", ".join(names)} : {", ".join(tensors)}) outs(%e : {out}) {{
  ^bb0({", ".join(f"{s}: {t}" for s, (_, t) in zip(scalars, operands))}, %out: {result}):
    %v = {text(scalars, lambda t: t)}
    linalg.yield %v : {result}
  }} -> {out}
  return %r : {out}"""
    whole = f"""
  %r = {text(names, lambda t: f"tensor<{count}x{t}>")}
  return %r : {out}"""
    for label, body in (("", single), (" on tensors", whole)):
        if op.startswith("complex.") and label:
            continue
        batch.add(body, operands, names, tensors, [(out, result)],
                  lambda found, label=label: checker.close(name + label, found[0], expected, result, ulps))


rng = np.random.default_rng(7)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1.5, -2.5, 3.0e4, 1e-3, np.inf, -np.inf, np.nan]


def float_values(type, count=64, special=True, low=-4.0, high=4.0):
    values = rng.uniform(low, high, count)
    if special:
        values[: len(SPECIAL)] = rng.permutation(SPECIAL)
        # Subnormals and the largest number of the type.
        values[-1] = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 5e-324}[type]
        values[-2] = {"f16": 65504.0, "bf16": 3.3895e38, "f32": 3.4028235e38, "f64": 1.7976931348623157e308}[type]
    return rounded(values, type)


def integer_values(type, count=64):
    info = np.iinfo(DTYPES[type])
    values = rng.integers(info.min, info.max, count, dtype=DTYPES[type], endpoint=True)
    values[:6] = [0, 1, -1, info.min, info.max, 7]
    return values


def wide(values, type):
    """What a result is computed in before it is rounded once: exact for one
    operation on 16-bit numbers, the type itself otherwise."""
    return np.asarray(values, np.float64 if type in ("f16", "bf16") else DTYPES[type])


def float_arithmetic():
    for type in FLOATS:
        a, b = float_values(type), float_values(type)
        x, y = wide(a, type), wide(b, type)
        both = [(a, type), (b, type)]
        with np.errstate(all="ignore"):
            table = {
                "addf": x + y,
                "subf": x - y,
                "mulf": x * y,
                "divf": x / y,
                "remf": np.fmod(x, y),
                "maximumf": np.where((x == 0) & (y == 0), np.where(np.signbit(x), y, x), np.maximum(x, y)),
                "minimumf": np.where((x == 0) & (y == 0), np.where(np.signbit(x), x, y), np.minimum(x, y)),
                "maxnumf": np.where((x == 0) & (y == 0), np.where(np.signbit(x), y, x), np.fmax(x, y)),
                "minnumf": np.where((x == 0) & (y == 0), np.where(np.signbit(x), x, y), np.fmin(x, y)),
            }
            for op, expected in table.items():
                check(f"{op} {type}", both, f"arith.{op} {{0}}, {{1}} : {{T0}}", type, rounded(expected, type))
            check(f"negf {type}", [(a, type)], "arith.negf {0} : {T0}", type, rounded(-x, type))
            unordered = np.isnan(x) | np.isnan(y)
            predicates = {
                "false": x != x * 0 + x, "oeq": x == y, "ogt": x > y, "oge": x >= y, "olt": x < y,
                "ole": x <= y, "one": (x != y) & ~unordered, "ord": ~unordered,
                "ueq": (x == y) | unordered, "ugt": (x > y) | unordered, "uge": (x >= y) | unordered,
                "ult": (x < y) | unordered, "ule": (x <= y) | unordered, "une": (x != y) | unordered,
                "uno": unordered, "true": np.ones_like(unordered),
            }
            predicates["false"] = np.zeros_like(unordered)
        for predicate, expected in predicates.items():
            check(f"cmpf {predicate} {type}", both, f"arith.cmpf {predicate}, {{0}}, {{1}} : {{T0}}", "i1", expected)


def integer_arithmetic():
    for type in INTEGERS:
        bits = DTYPES[type](0).itemsize * 8
        unsigned = np.dtype(f"u{bits // 8}")
        a, b = integer_values(type), integer_values(type)
        both = [(a, type), (b, type)]
        ua, ub = a.view(unsigned), b.view(unsigned)
        # Python's integers never overflow: results are wrapped at the end.
        pa, pb = [int(v) for v in a], [int(v) for v in b]
        qa, qb = [int(v) for v in ua], [int(v) for v in ub]

        def wrap(values):
            return np.array([v % 2**bits for v in values], unsigned).view(DTYPES[type])

        def pairs(fn, x=None, y=None):
            return wrap(fn(u, v) for u, v in zip(x or pa, y or pb))

        table = {
            "addi": pairs(lambda u, v: u + v), "subi": pairs(lambda u, v: u - v),
            "muli": pairs(lambda u, v: u * v), "andi": a & b, "ori": a | b, "xori": a ^ b,
            "maxsi": np.maximum(a, b), "minsi": np.minimum(a, b),
            "maxui": np.maximum(ua, ub).view(DTYPES[type]), "minui": np.minimum(ua, ub).view(DTYPES[type]),
        }
        for op, expected in table.items():
            check(f"{op} {type}", both, f"arith.{op} {{0}}, {{1}} : {{T0}}", type, expected)
        predicates = {
            "eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b,
            "ult": ua < ub, "ule": ua <= ub, "ugt": ua > ub, "uge": ua >= ub,
        }
        for predicate, expected in predicates.items():
            check(f"cmpi {predicate} {type}", both, f"arith.cmpi {predicate}, {{0}}, {{1}} : {{T0}}", "i1", expected)

        # Divisors without 0 and without smallest / -1.
        b = np.where((b == 0) | (b == -1), 3, b).astype(DTYPES[type])
        b[10:20] = rng.integers(1, 9, 10)
        b[20:30] = -b[10:20]
        both = [(a, type), (b, type)]
        pb, qb = [int(v) for v in b], [int(v) for v in b.view(unsigned)]

        def quotient(u, v):
            return abs(u) // abs(v) * (1 if (u < 0) == (v < 0) else -1)

        table = {
            "divsi": pairs(quotient, pa, pb), "remsi": pairs(lambda u, v: u - quotient(u, v) * v, pa, pb),
            "floordivsi": pairs(lambda u, v: u // v, pa, pb), "ceildivsi": pairs(lambda u, v: -(-u // v), pa, pb),
            "divui": pairs(lambda u, v: u // v, qa, qb), "remui": pairs(lambda u, v: u % v, qa, qb),
            "ceildivui": pairs(lambda u, v: -(-u // v), qa, qb),
        }
        for op, expected in table.items():
            check(f"{op} {type}", both, f"arith.{op} {{0}}, {{1}} : {{T0}}", type, expected)

        s = rng.integers(0, bits, 64).astype(DTYPES[type])
        both = [(a, type), (s, type)]
        ps = [int(v) for v in s]
        table = {"shli": pairs(lambda u, v: u << v, pa, ps), "shrsi": pairs(lambda u, v: u >> v, pa, ps),
                 "shrui": pairs(lambda u, v: u >> v, qa, ps)}
        for op, expected in table.items():
            check(f"{op} {type}", both, f"arith.{op} {{0}}, {{1}} : {{T0}}", type, expected)

        table = {
            "absi": wrap(abs(v) for v in pa), "ctpop": wrap(bin(v).count("1") for v in qa),
            "ctlz": wrap(bits - v.bit_length() for v in qa),
            "cttz": wrap((v & -v).bit_length() - 1 if v else bits for v in qa),
        }
        for op, expected in table.items():
            check(f"{op} {type}", [(a, type)], f"math.{op} {{0}} : {{T0}}", type, expected)
        e = rng.integers(-3, 12, 64).astype(DTYPES[type])
        base = np.where(a == 0, 2, a).astype(DTYPES[type])
        base[30:40] = [1, -1, 2, -2, 3, -1, 1, -1, 5, -7]

        def power(u, v):
            return u**v if v >= 0 else (int(u**-v) if abs(u) == 1 else 0)

        check(f"ipowi {type}", [(base, type), (e, type)], "math.ipowi {0}, {1} : {T0}", type,
              pairs(power, [int(v) for v in base], [int(v) for v in e]))
    t = np.array([0, 0, 1, 1], bool)
    u = np.array([0, 1, 0, 1], bool)
    for op, expected in {"addi": t ^ u, "subi": t ^ u, "muli": t & u, "andi": t & u, "ori": t | u, "xori": t ^ u,
                         "maxsi": t & u, "minsi": t | u, "maxui": t | u, "minui": t & u}.items():
        check(f"{op} i1", [(t, "i1"), (u, "i1")], f"arith.{op} {{0}}, {{1}} : {{T0}}", "i1", expected)


def casts():
    for source in ["i1"] + INTEGERS:
        values = np.array([False, True]) if source == "i1" else integer_values(source)
        size = 1 if source == "i1" else values.itemsize * 8
        unsigned = values.astype(np.uint8) if source == "i1" else values.view(np.dtype(f"u{size // 8}"))
        signed = -values.astype(np.int64) if source == "i1" else values.astype(np.int64)
        for target in INTEGERS:
            bits = DTYPES[target](0).itemsize * 8
            if bits > size:
                check(f"extsi {source} {target}", [(values, source)], "arith.extsi {0} : {T0} to {R}", target,
                      signed.astype(DTYPES[target]))
                check(f"extui {source} {target}", [(values, source)], "arith.extui {0} : {T0} to {R}", target,
                      unsigned.astype(np.uint64).astype(DTYPES[target]))
            if bits < size:
                check(f"trunci {source} {target}", [(values, source)], "arith.trunci {0} : {T0} to {R}", target,
                      signed.astype(DTYPES[target]))
        for target in FLOATS:
            # Python's integers to float64 and on are rounded twice; fractions
            # of 64 bits fit numpy's long double.
            exact = [rounded(np.longdouble(int(v)), target) for v in signed]
            if target == "bf16":
                exact = [round_integer(int(v), 8) for v in signed]
            check(f"sitofp {source} {target}", [(values, source)], "arith.sitofp {0} : {T0} to {R}", target,
                  np.array(exact, DTYPES[target]))
            exact = [rounded(np.longdouble(int(v)), target) for v in unsigned]
            if target == "bf16":
                exact = [round_integer(int(v), 8) for v in unsigned]
            check(f"uitofp {source} {target}", [(values, source)], "arith.uitofp {0} : {T0} to {R}", target,
                  np.array(exact, DTYPES[target]))
    values = integer_values("i64")
    check("trunci i64 i1", [(values, "i64")], "arith.trunci {0} : {T0} to {R}", "i1", values & 1 == 1)

    for source in FLOATS:
        values = float_values(source)
        order = FLOATS.index(source)
        for target in FLOATS:
            if target in ("f32", "f64") and FLOATS.index(target) > max(order, 1):
                check(f"extf {source} {target}", [(values, source)], "arith.extf {0} : {T0} to {R}", target,
                      values.astype(DTYPES[target]))
            if source in ("f32", "f64") and target in ("f16", "bf16", "f32") and source != target:
                check(f"truncf {source} {target}", [(values, source)], "arith.truncf {0} : {T0} to {R}", target,
                      rounded(values, target))
        small = float_values(source, special=False, low=0, high=100)
        for target in INTEGERS:
            check(f"fptoui {source} {target}", [(small, source)], "arith.fptoui {0} : {T0} to {R}", target,
                  np.trunc(small).astype(DTYPES[target]))
            check(f"fptosi {source} {target}", [(-small, source)], "arith.fptosi {0} : {T0} to {R}", target,
                  np.trunc(-small).astype(DTYPES[target]))
    for source, target in [("f16", "i16"), ("f32", "i32"), ("f64", "i64")]:
        values = float_values(source)
        check(f"bitcast {source}", [(values, source)], "arith.bitcast {0} : {T0} to {R}", target,
              values.view(DTYPES[target]))
        bits = integer_values(target)
        check(f"bitcast {target}", [(bits, target)], "arith.bitcast {0} : {T0} to {R}", source,
              bits.view(DTYPES[source]))
    # Halfway between neighbours, and a hair beside it: rounded once.
    ties = np.array([1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11, 65519.99999, 65520.0,
                     2.0**-25, 2.0**-25 * (1 + 2.0**-40), -2.0**-24 * 1.5])
    check("truncf f64 f16 ties", [(ties, "f64")], "arith.truncf {0} : {T0} to {R}", "f16", rounded(ties, "f16"))
    ties = np.array([1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8, 3.4e38, 3.39e38, 2.0**-134])
    check("truncf f64 bf16 ties", [(ties, "f64")], "arith.truncf {0} : {T0} to {R}", "bf16",
          to_bf16(ties))
    half = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = np.where(np.isnan(half), np.float16(0), half)
    check("extf of every f16", [(finite, "f16")], "arith.extf {0} : {T0} to {R}", "f32", finite.astype(np.float32))
    neighbours = np.concatenate([finite.astype(np.float32), np.nextafter(finite.astype(np.float32) * np.float32(1.0003), np.float32(0))])
    check("truncf near every f16", [(neighbours, "f32")], "arith.truncf {0} : {T0} to {R}", "f16",
          rounded(neighbours, "f16"))


def round_integer(value, precision):
    """A Python integer rounded to `precision` bits, ties to even."""
    shift = max(abs(value).bit_length() - precision, 0)
    quotient, rest = divmod(abs(value), 1 << shift)
    half = (1 << shift) // 2
    if rest > half or (shift and rest == half and quotient & 1):
        quotient += 1
    return math.copysign(quotient << shift, value) if value else 0.0


def float_functions():
    erf = np.vectorize(lambda v: math.erf(v))
    erfc = np.vectorize(lambda v: math.erfc(v))
    everywhere = {"absf": np.abs, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "roundeven": np.rint,
                  "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "sin": None, "cos": None, "tanh": np.tanh,
                  "atan": np.arctan, "asinh": np.arcsinh, "cbrt": np.cbrt, "erf": erf, "erfc": erfc,
                  "sqrt": np.sqrt, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
                  "acosh": np.arccosh, "rsqrt": lambda v: 1 / np.sqrt(v),
                  "round": lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v)}
    bounded = {"asin": np.arcsin, "acos": np.arccos, "atanh": np.arctanh, "sinh": np.sinh, "cosh": np.cosh,
               "tan": np.tan, "sin": np.sin, "cos": np.cos}
    exact = {"absf", "ceil", "floor", "trunc", "roundeven", "round", "sqrt"}
    for type in FLOATS:
        values = float_values(type)
        unit = float_values(type, special=False, low=-1, high=1)
        for table, x in ((everywhere, values), (bounded, unit)):
            for op, fn in table.items():
                if fn is None:
                    continue
                with np.errstate(all="ignore"):
                    expected = rounded(fn(x.astype(np.float64)), type)
                ulps = 0 if op in exact else 1 if type != "f64" else 3
                check(f"{op} {type}", [(x, type)], f"math.{op} {{0}} : {{T0}}", type, expected, ulps)
        with np.errstate(all="ignore"):
            for op, expected in {"isnan": np.isnan(values), "isinf": np.isinf(values),
                                 "isfinite": np.isfinite(values),
                                 "isnormal": np.isfinite(values) & (np.abs(values).astype(np.float64) >= {
                                     "f16": 2.0**-14, "f64": 2.0**-1022}.get(type, 2.0**-126))}.items():
                check(f"{op} {type}", [(values, type)], f"math.{op} {{0}} : {{T0}}", "i1", expected)
        other = float_values(type)
        x, y = values.astype(np.float64), other.astype(np.float64)
        with np.errstate(all="ignore"):
            table = {"powf": (np.power(x, y), 3), "atan2": (np.arctan2(x, y), 3), "copysign": (np.copysign(x, y), 0)}
        for op, (expected, ulps) in table.items():
            check(f"{op} {type}", [(values, type), (other, type)], f"math.{op} {{0}}, {{1}} : {{T0}}", type,
                  rounded(expected, type), ulps if type == "f64" else min(ulps, 1))
        n = rng.integers(-4, 5, 64).astype(np.int32)
        with np.errstate(all="ignore"):
            expected = rounded(np.power(x, n.astype(np.float64)), type)
        check(f"fpowi {type}", [(values, type), (n, "i32")], "math.fpowi {0}, {1} : {T0}, {T1}", type, expected,
              3 if type == "f64" else 1)
        # Numbers whose product is exact in float64, and whose sum is in long double.
        a, b, c = (float_values(type, special=False) for _ in range(3))
        if type != "f64":
            expected = rounded(a.astype(np.longdouble) * b + c, type)
            check(f"fma {type}", [(a, type), (b, type), (c, type)], "math.fma {0}, {1}, {2} : {T0}", type, expected)
        low, high = np.minimum(b, c), np.maximum(b, c)
        check(f"clampf {type}", [(a, type), (low, type), (high, type)],
              "math.clampf {0} to [{1}, {2}] : {T0}", type, np.clip(a, low, high))
    # A double product that cancels: only one rounding leaves the rest.
    e = np.array([1 + 2.0**-30]), np.array([1 - 2.0**-30]), np.array([-1.0])
    check("fma f64", [(v, "f64") for v in e], "math.fma {0}, {1}, {2} : {T0}", "f64", np.array([-(2.0**-60)]))


def complex_functions():
    for type in COMPLEX:
        part = type[8:-1]
        a = (rng.uniform(-2, 2, 64) + 1j * rng.uniform(-2, 2, 64)).astype(DTYPES[type])
        b = (rng.uniform(-2, 2, 64) + 1j * rng.uniform(-2, 2, 64)).astype(DTYPES[type])
        a[0], b[0] = 0, 1
        x, y = a.astype(np.complex128), b.astype(np.complex128)
        ulps = 2 if type == "complex<f32>" else 8
        with np.errstate(all="ignore"):
            binary = {"add": a + b, "sub": a - b, "mul": x * y, "div": x / y}
            for op, expected in binary.items():
                check(f"complex.{op} {type}", [(a, type), (b, type)], f"complex.{op} {{0}}, {{1}} : {{T0}}", type,
                      expected.astype(DTYPES[type]), 0 if op in ("add", "sub") else ulps)
            check(f"complex.pow {type}", [(a[1:], type), (b[1:], type)], "complex.pow {0}, {1} : {T0}", type,
                  np.power(x[1:], y[1:]).astype(DTYPES[type]), 8 * ulps)
            unary = {"exp": np.exp(x), "log": np.log(x), "sqrt": np.sqrt(x), "sin": np.sin(x), "cos": np.cos(x),
                     "tan": np.tan(x), "tanh": np.tanh(x), "conj": np.conj(x), "neg": -x, "expm1": np.exp(x) - 1,
                     "log1p": np.log1p(x), "rsqrt": 1 / np.sqrt(x),
                     "sign": np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))}
            for op, expected in unary.items():
                if op in ("log", "rsqrt"):
                    check(f"complex.{op} {type}", [(a[1:], type)], f"complex.{op} {{0}} : {{T0}}", type,
                          expected[1:].astype(DTYPES[type]), 2 * ulps)
                    continue
                check(f"complex.{op} {type}", [(a, type)], f"complex.{op} {{0}} : {{T0}}", type,
                      expected.astype(DTYPES[type]), 8 * ulps)
            reals = {"re": x.real, "im": x.imag, "abs": np.abs(x), "angle": np.angle(x)}
        for op, expected in reals.items():
            check(f"complex.{op} {type}", [(a, type)], f"complex.{op} {{0}} : {{T0}}", part,
                  expected.astype(DTYPES[part]), 0 if op in ("re", "im") else 2)
        c = a.copy()
        c[::2] = b[::2]
        check(f"complex.eq {type}", [(a, type), (c, type)], "complex.eq {0}, {1} : {T0}", "i1", a == c)
        check(f"complex.neq {type}", [(a, type), (c, type)], "complex.neq {0}, {1} : {T0}", "i1", a != c)
        check(f"complex.create {type}", [(a.real, part), (b.imag, part)], "complex.create {0}, {1} : {R}", type,
              (a.real + 1j * b.imag).astype(DTYPES[type]))


float_arithmetic()
integer_arithmetic()
casts()
float_functions()
complex_functions()
batch.run()
checker.finish()
