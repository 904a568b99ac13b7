"""Checks scans against left folds written in numpy: every combiner with every
dtype, in each dimension, direction and mode, over extents from 0; and once more
after --scan-normalize, as kernels."""

import sys

import numpy as np
import sampling
from refcheck import (COMPLEX, DTYPES, FLOATS, INTEGERS, Batch, Checker,
                      accumulator, rounded)

# With dimensions; each day every combiner has some of them, different ones next to each other.
SHAPES = [((5,), 0), ((2, 3, 4), 1), ((7, 2), 0), ((2, 9), 1), ((1, 3), 0), ((2, 0, 3), 1), ((0, 2), 1)]
SHAPES_OF_DAY = 4

checker = Checker()
batch = Batch()
stage = ""
rng = np.random.default_rng(11)


def is_complex(type):
    return type.startswith("complex")


def times(a, b):
    """A product whose parts are rounded as the definition of complex products
    says; numpy may contract them."""
    if a.dtype.kind != "c":
        return a * b
    result = np.empty(np.broadcast(a, b).shape, a.dtype)
    result.real = a.real * b.real - a.imag * b.imag
    result.imag = a.real * b.imag + a.imag * b.real
    return result


def maximum(a, b):
    return np.maximum(a, b)


class Combiner:
    """`leaves`: per leaf its element type and trailing shape. `body`: the
    region's operations, on %a0 %a1 ... (accumulated) and %b0 %b1 ... (new).
    `fold`: the same on lists of arrays in accumulator types."""

    def __init__(self, name, leaves, body, fold):
        self.name, self.leaves, self.body, self.fold = name, leaves, body, fold

    def block_type(self, leaf):
        type, trailing = self.leaves[leaf]
        return f"tensor<{''.join(f'{n}x' for n in trailing)}{type}>" if trailing else type


def simple(name, type, op, fold):
    return Combiner(name, [(type, ())], f"%y0 = {op} %a0, %b0 : {type}", lambda s, x: [fold(s[0], x[0])])


def combiners(type):
    numeric = type != "i1"
    prefix = "complex." if is_complex(type) else "arith."
    suffix = "" if is_complex(type) else "f" if type in FLOATS else "i"
    add, mul = f"{prefix}add{suffix}", f"{prefix}mul{suffix}"
    if numeric:
        yield simple("add", type, add, lambda s, x: s + x)
        yield simple("mul", type, mul, times)
        yield Combiner("pair", [(type, ()), (type, ())], f"""
            %y0 = {mul} %b0, %a0 : {type}
            %t = {mul} %b0, %a1 : {type}
            %y1 = {add} %t, %b1 : {type}""", lambda s, x: [times(x[0], s[0]), times(x[0], s[1]) + x[1]])
        yield Combiner("segmented sum", [("i1", ()), (type, ())], f"""
            %y0 = arith.ori %a0, %b0 : i1
            %sum = {add} %a1, %b1 : {type}
            %y1 = arith.select %b0, %b1, %sum : {type}""",
            lambda s, x: [s[0] | x[0], np.where(x[0], x[1], s[1] + x[1])])
    if numeric and not is_complex(type):
        greatest = "arith.maximumf" if type in FLOATS else "arith.maxsi"
        yield simple("max", type, greatest, maximum)
        greater = "arith.cmpf ogt," if type in FLOATS else "arith.cmpi sgt,"
        yield Combiner("arg max", [(type, ()), ("i32", ())], f"""
            %c = {greater} %b0, %a0 : {type}
            %y0 = arith.select %c, %b0, %a0 : {type}
            %y1 = arith.select %c, %b1, %a1 : i32""",
            lambda s, x: [np.where(x[0] > s[0], x[0], s[0]), np.where(x[0] > s[0], x[1], s[1])])
        zero = "0.0" if type in FLOATS else "0"
        block = f"tensor<2x2x{type}>"

        def matmul(s, x):
            a, b = s[0], x[0]
            c = np.zeros_like(a)
            for k in range(2):
                c = c + a[..., :, k, None] * b[..., None, k, :]
            return [c]

        yield Combiner("matrix product", [(type, (2, 2))], f"""
            %z = arith.constant dense<{zero}> : {block}
            %y0 = linalg.matmul ins(%a0, %b0 : {block}, {block}) outs(%z : {block}) -> {block}""", matmul)
    if type in INTEGERS or type == "i1":
        yield simple("xor", type, "arith.xori", lambda s, x: s ^ x)
    yield Combiner("newest flagged", [("i1", ()), (type, ())], f"""
        %y0 = arith.ori %a0, %b0 : i1
        %v = arith.select %b0, %b1, %a1 : {type}
        %y1 = scan.clone %v : {type}""", lambda s, x: [s[0] | x[0], np.where(x[0], x[1], s[1])])


def values(type, shape):
    if type == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if type in INTEGERS:
        info = np.iinfo(DTYPES[type])
        return rng.integers(info.min, info.max, shape, dtype=DTYPES[type], endpoint=True)
    if is_complex(type):
        return (rng.uniform(-1.2, 1.2, shape) + 1j * rng.uniform(-1.2, 1.2, shape)).astype(DTYPES[type])
    return rounded(rng.uniform(-2, 2, shape), type)


def fold(combiner, inputs, inits, dim, reverse, exclusive):
    """The definition of scan.associative. Returns results and final states."""
    types = [type for type, _ in combiner.leaves]
    inputs = [x.astype(accumulator(t)) for x, t in zip(inputs, types)]
    state = [i.astype(accumulator(t)) for i, t in zip(inits, types)] if inits else None
    results = [np.empty_like(x) for x in inputs]
    extent = inputs[0].shape[dim]
    with np.errstate(all="ignore"):
        for t in reversed(range(extent)) if reverse else range(extent):
            at = (slice(None),) * dim + (t,)
            new = [x[at] for x in inputs]
            before = state
            state = new if state is None else combiner.fold(state, new)
            for result, value in zip(results, before if exclusive else state):
                result[at] = value
    if state is None:
        state = [np.zeros(np.delete(x.shape, dim), x.dtype) for x in inputs]
    return ([rounded(r, t) for r, t in zip(results, types)], [rounded(s, t) for s, t in zip(state, types)])


def dynamic(rank, trailing, type):
    return f"tensor<{'?x' * rank}{''.join(f'{n}x' for n in trailing)}{type}>"


def scan_text(combiner, rank, dim, reverse, mode, number):
    """One scan op, as text, and its result types."""
    count = len(combiner.leaves)
    leaves = [dynamic(rank, trailing, type) for type, trailing in combiner.leaves]
    states = [dynamic(rank - 1, trailing, type) for type, trailing in combiner.leaves]
    init = ""
    if mode != "inclusive":
        # Tensors for one mode, scalars for the other where leaves are scalar.
        scalar = mode == "exclusive" and not any(t for _, t in combiner.leaves)
        init = (f"init({', '.join(f'%s{i}' if scalar else f'%i{i}' for i in range(count))} : "
                f"{', '.join(t if scalar else s for (t, _), s in zip(combiner.leaves, states))})")
    blocks = [combiner.block_type(i) for i in range(count)]
    arguments = ", ".join(f"%{side}{i}: {t}" for side in "ab" for i, t in enumerate(blocks))
    return f"""
  %r{number}:{2 * count} = scan.associative ins({', '.join(f'%x{i}' for i in range(count))} : {', '.join(leaves)})
      {init} dim = {dim} {'reverse' if reverse else ''} {'exclusive' if mode == 'exclusive' else ''} {{
  ^bb0({arguments}):
    {combiner.body}
    scan.yield {', '.join(f'%y{i}' for i in range(count))} : {', '.join(blocks)}
  }} -> {', '.join(leaves + states)}
""", leaves + states


def check_combiner(combiner, type, shape, dim):
    rank, count = len(shape), len(combiner.leaves)
    types = [t for t, _ in combiner.leaves]
    inputs = [values(t, shape + trailing) for t, trailing in combiner.leaves]
    rest = shape[:dim] + shape[dim + 1:]
    inits = [values(t, rest + trailing) for t, trailing in combiner.leaves]
    scalars = [values(t, ()) for t in types]
    parameters = [f"%x{i}: {dynamic(rank, tr, t)}" for i, (t, tr) in enumerate(combiner.leaves)]
    parameters += [f"%i{i}: {dynamic(rank - 1, tr, t)}" for i, (t, tr) in enumerate(combiner.leaves)]
    parameters += [f"%s{i}: {t}" for i, t in enumerate(types)]

    text, results, expected, names = "", [], [], []
    cases = [(reverse, mode) for reverse in (False, True) for mode in ("inclusive", "init", "exclusive")]
    for number, (reverse, mode) in enumerate(cases):
        scan, kinds = scan_text(combiner, rank, dim, reverse, mode, number)
        text += scan
        results += [(f"%r{number}#{i}", kind) for i, kind in enumerate(kinds)]
        start = None
        if mode != "inclusive":
            start = inits
            if mode == "exclusive" and not any(t for _, t in combiner.leaves):
                start = [np.broadcast_to(s, rest) for s in scalars]
        ys, last = fold(combiner, inputs, start, dim, reverse, mode == "exclusive")
        expected += ys + last
        label = f"{combiner.name} {type} {shape} dim {dim} {'reverse ' if reverse else ''}{mode}"
        names += [f"{label}, result {i}" for i in range(count)] + [f"{label}, final {i}" for i in range(count)]
    text += f"return {', '.join(name for name, _ in results)} : {', '.join(kind for _, kind in results)}"
    arrays = list(zip(inputs, types)) + list(zip(inits, types)) + list(zip(scalars, types))
    outputs = types * (len(results) // count)

    def handle(found):
        for name, f, e in zip(names, found, expected):
            checker.equal(stage + name, f, e)

    batch.add(text, arrays, *zip(*(p.split(": ") for p in parameters)),
              [(kind, o) for (_, kind), o in zip(results, outputs)], handle)


def check_linear_recurrence(type, shape, dim, broadcast):
    a_shape = tuple(1 if d in broadcast else n for d, n in enumerate(shape))
    a, b = values(type, a_shape), values(type, shape)
    rest = shape[:dim] + shape[dim + 1:]
    h0 = values(type, rest)
    at = "x".join("1" if d in broadcast else "?" for d in range(len(shape)))
    bt, ht = dynamic(len(shape), (), type), dynamic(len(shape) - 1, (), type)
    at = f"tensor<{at}x{type}>"
    body = f"""
  %r:2 = scan.linear_recurrence ins(%a, %b : {at}, {bt}) dim = {dim} -> {bt}, {ht}
  %q:2 = scan.linear_recurrence ins(%a, %b : {at}, {bt}) init(%h0 : {ht}) dim = {dim} reverse -> {bt}, {ht}
  %p = scan.linear_recurrence ins(%a, %b : {at}, {bt}) init(%s : {type}) dim = {dim} -> {bt}
  return %r#0, %r#1, %q#0, %q#1, %p : {bt}, {ht}, {bt}, {ht}, {bt}"""
    pair = Combiner("recurrence", [(type, ()), (type, ())], "", lambda s, x: [x[0], times(x[0], s[1]) + x[1]])
    full = np.broadcast_to(a, shape)
    scalar = values(type, ())
    expected = []
    for start, reverse in ((None, False), ([h0, h0], True), ([np.broadcast_to(scalar, rest)] * 2, False)):
        ys, last = fold(pair, [full, b], start, dim, reverse, False)
        expected += [ys[1], last[1]]
    arrays = [(a, type), (b, type), (h0, type), (scalar, type)]

    def handle(found):
        for i, (f, e) in enumerate(zip(found, expected)):
            checker.equal(f"{stage}recurrence {type} {shape} dim {dim} broadcast {broadcast} result {i}", f, e)

    batch.add(body, arrays, ["%a", "%b", "%h0", "%s"], [at, bt, ht, type],
              [(kind, type) for kind in (bt, ht, bt, ht, bt)], handle)


def main(group):
    types = {"floats": FLOATS, "integers": ["i1"] + INTEGERS, "complex": COMPLEX}[group]
    global stage
    for type in types:
        for number, combiner in enumerate(combiners(type)):
            for shape, dim in sampling.of_today(SHAPES, number, SHAPES_OF_DAY):
                check_combiner(combiner, type, shape, dim)
        if type == "i1":
            continue
        for shape, dim, broadcast in (((6,), 0, ()), ((2, 5, 3), 1, (0,)), ((2, 5, 3), 1, (0, 2)), ((4, 3), 0, ()),
                                      ((3, 0), 1, ()), ((3, 1, 2), 1, (2,))):
            check_linear_recurrence(type, shape, dim, broadcast)
    batch.run()
    stage = "normalized: "
    batch.run("--scan-normalize")
    checker.finish()


main(sys.argv[1])
