"""Compares (a b) c with a (b c) by the interpreter, for an operator of examples/combiners.

Nothing of this is the compiler's: states are drawn here, and combined by scans over two and
over three steps.
"""

import os
import re

import numpy as np

import scan_tools

DTYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "f32": np.float32, "f64": np.float64, "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def _integers(rng, dtype, shape, small):
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if small:
        return (values % 41 - 20).astype(dtype)
    edges = np.array([0, 1, -1, 2, limits.min, limits.max, limits.min + 1, limits.max - 1], dtype)
    kind = rng.random(shape)
    values = np.where(kind < 0.3, rng.integers(-4, 5, shape).astype(dtype), values)
    return np.where(kind > 0.8, rng.choice(edges, shape), values).astype(dtype)


def _floats(rng, dtype, shape, special):
    values = np.where(rng.random(shape) < 0.5, rng.integers(-4, 5, shape) / 2, rng.standard_normal(shape))
    if special:
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).tiny / 4, np.finfo(dtype).max]
        values = np.where(rng.random(shape) < 0.4, rng.choice(edges, shape), values)
    return values.astype(dtype)


def _within(rng, values, invariants):
    """The values that the invariants of a leaf leave, others in the place of the rest."""
    for text in invariants:
        bounds = {word: float(number) for word, number in re.findall(r"(ge|gt|le|lt) = ([-\d.e+]+)", text)}
        integer = values.dtype.kind == "i"
        low = bounds.get("ge", bounds.get("gt", -np.inf) + (1 if integer else 1e-3))
        high = bounds.get("le", bounds.get("lt", np.inf) - (1 if integer else 1e-3))
        if "abs" in text:
            low = -high
        if "not_nan" in text or "finite" in text or bounds:
            bad = ~np.isfinite(values)
            values = np.where(bad, 1, values).astype(values.dtype)
        if np.isfinite(low) and np.isfinite(high):
            spread = rng.integers(int(low), int(high), values.shape, endpoint=True) if integer else rng.uniform(low, high, values.shape)
            values = np.where((values < low) | (values > high), spread, values).astype(values.dtype)
        elif np.isfinite(low):
            values = np.where(values < low, low + np.abs(values), values).astype(values.dtype)
        elif np.isfinite(high):
            values = np.where(values > high, high - np.abs(values), values).astype(values.dtype)
    return values


class Undefined(Exception):
    """The interpreter stops: a division by zero, a shift by too much."""


class Combiner:
    """The operator of the one scan of a program, evaluated by the interpreter."""

    def __init__(self, text, work):
        text = re.sub(r"\n\s*attributes \{scan.assume[^}]*\}", "", text)
        # A scan over the second dimension, of as many lines as there are states.
        text = re.sub(r"tensor<\?x", "tensor<?x?x", text).replace("dim = 0", "dim = 1")
        self.work = work
        self.program = os.path.join(work, "triples.mlir")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(text)
        signature = re.search(r"func\.func @\w+\((.*?)\)\s*->", text, re.S)[1] + ")"
        # The trailing extents and the type of each leaf.
        self.leaves = [(tuple(map(int, extents.split("x")[:-1])), np.dtype(DTYPES[element]))
                       for extents, element in re.findall(r"%\w+: tensor<\?x\?x((?:\d+x)*)([^,)]+)>", signature)]

    def fold(self, *states):
        """The left fold of states, each a list of leaves with many states."""
        command = ["scan-run", self.program, "--target=reference"]
        for i, leaf in enumerate(zip(*states)):
            np.save(os.path.join(self.work, f"t{i}.npy"), np.stack(leaf, axis=1))
            command.append(f"--input={self.work}/t{i}.npy")
        command += [f"--output={self.work}/r{i}.npy" for i in range(len(self.leaves))]
        done = scan_tools.run(command)
        if done.returncode:
            raise Undefined(done.stderr)
        return [np.load(os.path.join(self.work, f"r{i}.npy"))[:, -1] for i in range(len(self.leaves))]

    def both_ways(self, a, b, c):
        return self.fold(a, b, c), self.fold(a, self.fold(b, c))


def show(state, i=0):
    return "(" + ", ".join(str(leaf[i].tolist()) for leaf in state) + ")"


def replay(text, states, work):
    """What is wrong with the counterexample a, b, c, (a b) c, a (b c), in the words of the compiler."""
    combiner = Combiner(text, work)
    parsed = []
    for state in states:
        value = eval(state, {"NaN": np.nan, "inf": np.inf, "true": True, "false": False})
        value = value if isinstance(value, tuple) else (value,)
        if len(value) != len(combiner.leaves):
            return f"a state has {len(combiner.leaves)} leaves, found {state}"
        parsed.append([np.array(leaf).astype(dtype).reshape(1, *extents)
                       for leaf, (extents, dtype) in zip(value, combiner.leaves)])
    a, b, c, left, right = parsed
    results = combiner.both_ways(a, b, c)
    for found, said in zip(results, (left, right)):
        if not all(np.allclose(x, y, rtol=1e-5, atol=0, equal_nan=True) for x, y in zip(found, said)):
            return f"{show(said)} should be {show(found)}"
    if all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") and
           (x.dtype.kind != "f" or np.array_equal(np.signbit(x), np.signbit(y))) for x, y in zip(*results)):
        return f"both results are {show(left)}"
    return ""


def count_disagreements(text, exact, count, seed, work):
    """How many of `count` triples differ, and the first of them, of the one scan in `text`.

    Triples of which a part has no result are left out; there are fewer, then. Where the verdict is up to rounding, values are computed in f64, and results that differ by
    more than 1e-6 of the largest magnitude that occurs differ.
    """
    rng = np.random.default_rng(seed)
    invariants = re.findall(r"#scan.invariant<leaf = (\d+)([^>]*)>", text)
    if not exact:
        text = text.replace("f32", "f64").replace("0xFF800000", "0xFFF0000000000000")
    combiner = Combiner(text, work)
    leaves = []
    for place, (extents, dtype) in enumerate(combiner.leaves):
        shape = (3, count, *extents)
        if dtype.kind == "b":
            values = rng.random(shape) < 0.5
        elif dtype.kind == "i":
            values = _integers(rng, dtype, shape, "nsw" in text)
        elif dtype.kind == "f":
            values = _floats(rng, dtype, shape, exact)
        else:
            values = (_floats(rng, np.float64, shape, False) + 1j * _floats(rng, np.float64, shape, False)).astype(dtype)
        leaves.append(_within(rng, values, [rest for leaf, rest in invariants if int(leaf) == place]))
    states = [[leaf[i] for leaf in leaves] for i in range(3)]
    try:
        left, right = combiner.both_ways(*states)
    except Undefined as undefined:
        # One by one, of which as many are as take a second.
        defined = []
        for i in range(min(count, 500)):
            try:
                combiner.both_ways(*([leaf[i : i + 1] for leaf in state] for state in states))
                defined.append(i)
            except Undefined:
                pass
        if not defined:
            return 1, f"no triple has a result: {undefined}"
        states = [[leaf[defined] for leaf in state] for state in states]
        left, right = combiner.both_ways(*states)
        count = len(defined)
    a, b, c = states
    wrong = np.zeros(count, bool)
    for x, y in zip(left, right):
        if exact or x.dtype.kind in "bi":
            same = (x == y) & (np.signbit(x) == np.signbit(y)) if x.dtype.kind == "f" else x == y
            differ = ~(same | ((x != x) & (y != y)))
        else:
            finite = np.isfinite(x) & np.isfinite(y)
            scale = np.abs(np.where(finite, x, 0)) + np.abs(np.where(finite, y, 0))
            scale += sum(np.abs(v).reshape(count, -1).max(axis=1) for v in (*a, *b, *c)).reshape((count,) + (1,) * (x.ndim - 1))
            with np.errstate(invalid="ignore", over="ignore"):
                differ = finite & (np.abs(x - y) > 1e-6 * scale)
        wrong |= differ.reshape(count, -1).any(axis=1)
    if not wrong.any():
        return 0, ""
    i = wrong.argmax()
    return int(wrong.sum()), f"a = {show(a, i)}, b = {show(b, i)}, c = {show(c, i)}: {show(left, i)} and {show(right, i)}"
