"""Runs the operators of examples/combiners that are associative, and compares with numpy.

usage: combiners.py COMBINERS WORKDIR TARGET [--every=N --seed=S]

What numpy computes is what the operator is for (the softmax of all elements so far, the
variance, the path of a queue), in float64, rather than the same steps once more.
"""

import argparse
import math
import os
import sys
import zlib

import numpy as np

import scan_tools

rng = np.random.default_rng(2026)
F32 = np.finfo(np.float32).eps


def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def integers(low, high, shape, dtype):
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def full(dtype, *shape):
    limits = np.iinfo(dtype)
    return integers(limits.min, limits.max, shape, dtype)


def prefixes(function, *leaves):
    """`function` of the first 1, 2, ... elements."""
    return np.array([function(*(leaf[: t + 1] for leaf in leaves)) for t in range(len(leaves[0]))])


# Each returns inputs, results, and the error that is allowed, relative to the largest
# magnitude of a result; 0: the same bits.


def add(n):
    x = full(np.int32, n)
    return [x], [np.cumsum(x, dtype=np.int32)], 0


def multiply(n):
    x = full(np.int32, n) | 1
    return [x], [np.cumprod(x.astype(np.uint32), dtype=np.uint32).astype(np.int32)], 0


def exclusive_or(n):
    x = full(np.int64, n)
    return [x], [np.bitwise_xor.accumulate(x)], 0


def bits(n):
    x, y = full(np.int32, n) | 0x7FFFF0FF, full(np.int32, n) & 0x1010101
    return [x, y], [np.bitwise_and.accumulate(x), np.bitwise_or.accumulate(y)], 0


def carry(n):
    a, b = full(np.int64, n), full(np.int64, n)
    # Bit by bit, the carry out of adding the bits of all words so far, last word highest.
    g, p = a & b, a ^ b
    place = np.arange(64)
    bit = lambda x: (x[:, None] >> place) & 1
    numbers = lambda x: [int("".join(map(str, row[::-1])), 2) for row in bit(x).T]
    pack = lambda rows: np.array([sum(int(v) << i for i, v in enumerate(row)) for row in rows], np.uint64).view(np.int64)
    sums = [(u & ((1 << (t + 1)) - 1)) + (v & ((1 << (t + 1)) - 1)) for t in range(n) for u, v in zip(numbers(a), numbers(b))]
    carries = [[sums[t * 64 + i] >> (t + 1) for i in range(64)] for t in range(n)]
    return [g, p], [pack(carries), np.bitwise_and.accumulate(p)], 0


def saturating_add_unsigned(n):
    x = integers(0, 2**28, n, np.uint32)
    return [x.view(np.int32)], [np.minimum(np.cumsum(x, dtype=np.uint64), 2**32 - 1).astype(np.uint32).view(np.int32)], 0


def saturating_multiply_unsigned(n):
    x = integers(1, 3, n, np.uint16)
    x[n // 2 + 1 :] *= 0
    exact = [min(math.prod(x[: t + 1].tolist()), 65535) for t in range(n)]
    return [x.view(np.int16)], [np.array(exact, np.uint16).view(np.int16)], 0


def range_(n):
    x, y = full(np.int32, n), full(np.int32, n)
    return [x, y], [np.minimum.accumulate(x), np.maximum.accumulate(y)], 0


def add_modulo_prime(n):
    x = integers(0, 10**9 + 6, n, np.int32)
    return [x], [(np.cumsum(x, dtype=np.int64) % (10**9 + 7)).astype(np.int32)], 0


def gcd(n):
    # Both neighbours in the Fibonacci sequence that take the most steps.
    x = (integers(1, 6, n, np.uint8) * 36).astype(np.uint8)
    x[:2] = [144, 233][: len(x)] if n < 3 else [216, 144]
    return [x.view(np.int8)], [np.gcd.accumulate(x).view(np.int8)], 0


def affine_map(n):
    a, b = full(np.int32, n), full(np.int32, n)
    states = [(int(a[0]), int(b[0]))]
    for p, q in zip(a[1:].tolist(), b[1:].tolist()):
        states.append((p * states[-1][0], p * states[-1][1] + q))
    wrap = lambda i: np.array([s[i] % 2**32 for s in states], np.uint32).view(np.int32)
    return [a, b], [wrap(0), wrap(1)], 0


def rolling_hash(n):
    text, base = rng.integers(0, 256, n), 6364136223846793005
    hashes = [sum(int(c) * base ** (t - i) for i, c in enumerate(text[: t + 1])) % 2**64 for t in range(n)]
    powers = [base ** (t + 1) % 2**64 for t in range(n)]
    word = lambda values: np.array(values, np.uint64).view(np.int64)
    return [text.astype(np.int64), word([base] * n)], [word(hashes), word(powers)], 0


def automaton(n):
    tables = rng.integers(0, 16, (n, 16))
    pack = lambda rows: np.array([sum(int(v) << 4 * i for i, v in enumerate(row)) for row in rows], np.uint64).view(np.int64)
    states, steps = np.arange(16), []
    for table in tables:
        states = table[states]
        steps.append(states)
    return [pack(tables)], [pack(steps)], 0


def brackets(n):
    text = rng.choice([1, -1], n)

    def unmatched(prefix):
        depth, closing = 0, 0
        for c in prefix:
            depth, closing = (depth + c, closing) if depth + c >= 0 else (0, closing + 1)
        return closing, depth

    y = prefixes(unmatched, text).astype(np.int32)
    return [(text < 0).astype(np.int32), (text > 0).astype(np.int32)], [y[:, 0], y[:, 1]], 0


def fill_forward(n):
    present, x = rng.random(n) < 0.4, normal(n)
    x[n // 2] = np.nan
    last = np.maximum.accumulate(np.where(present, np.arange(n), 0))
    return [present, x], [np.logical_or.accumulate(present), x[last]], 0


def first_present(n):
    present, x = rng.random(n) < 0.3, full(np.int64, n)
    # Where none is present, the operator passes on the last one.
    first = np.array([p.argmax() if p.any() else len(p) - 1 for p in (present[: t + 1] for t in range(n))])
    return [present, x], [np.logical_or.accumulate(present), x[first]], 0


def count_runs(n):
    x = rng.integers(0, 2, n, dtype=np.int32)
    runs = 1 + np.concatenate([[0], np.cumsum(x[1:] != x[:-1])])
    return [x, x, np.ones_like(x)], [np.full_like(x, x[0]), x, runs.astype(np.int32)], 0


def count_minimum(n):
    x = rng.integers(-3, 3, n, dtype=np.int32)
    return [x, np.ones(n, np.int64)], [np.minimum.accumulate(x), prefixes(lambda v: (v == v.min()).sum(), x)], 0


def count_min_sketch(n):
    x = integers(0, 100, (n, 4, 8), np.int32)
    return [x], [np.cumsum(x, axis=0, dtype=np.int32)], 0


def maximum(n):
    x = normal(n)
    x[3 * n // 4] = np.nan
    return [x], [np.maximum.accumulate(x)], 0


def minimum_of_numbers(n):
    x = normal(n)
    x[rng.random(n) < 0.3] = np.nan
    return [x], [np.fmin.accumulate(x)], 0


def maximum_without_nan(n):
    x = normal(n)
    return [x], [np.maximum.accumulate(x)], 0


def _argmax(n, last):
    x = rng.integers(0, 5, n).astype(np.float32)
    x[3 * n // 4] = np.nan
    at = (lambda v: len(v) - 1 - v[::-1].argmax()) if last else np.argmax
    i = prefixes(at, x).astype(np.int32)
    return [x, np.arange(n, dtype=np.int32)], [x[i], i], 0


def argmax_first(n):
    return _argmax(n, False)


def argmax_last(n):
    return _argmax(n, True)


def argmin_lowest_index(n):
    x = rng.integers(-5, 5, n, dtype=np.int32)
    i = prefixes(np.argmin, x).astype(np.int32)
    return [x, np.arange(n, dtype=np.int32)], [x[i], i], 0


def largest_two(n):
    x = normal(n)
    low = np.full(n, -np.inf, np.float32)
    y = prefixes(lambda v: np.sort(np.append(v, -np.inf))[-2:], x).astype(np.float32)
    return [x, low], [y[:, 1], y[:, 0]], 0


def walk(start, step, *leaves):
    """What `step` makes of `start` by the first 1, 2, ... elements, in float64."""
    states = []
    for row in zip(*leaves):
        start = step(start, *row)
        states.append(start)
    return np.array(states)


def clamp(n):
    low = normal(n)
    high = low + np.abs(normal(n))
    bound = lambda x, l, h: max(l, min(x, h))
    ends = [walk(end, bound, low, high).astype(np.float32) for end in (-np.inf, np.inf)]
    return [low, high], ends, 0


def float_add(n):
    x = normal(n)
    return [x], [np.cumsum(x.astype(float))], n * F32


def segmented_sum(n):
    start, x = rng.random(n) < 0.1, normal(n)
    sums = walk(0.0, lambda h, s, v: v if s else h + v, start, x.astype(float))
    return [start, x], [np.logical_or.accumulate(start), sums], n * F32


def linear_recurrence(n):
    a, b = rng.uniform(0.9, 1, n).astype(np.float32), normal(n)
    return [a, b], [np.cumprod(a.astype(float)), walk(0.0, lambda h, p, q: p * h + q, a.astype(float), b.astype(float))], 2 * n * F32


def linear_recurrence_complex(n):
    a = (0.97 * np.exp(1j * normal(n))).astype(np.complex64)
    b = (normal(n) + 1j * normal(n)).astype(np.complex64)
    h = walk(0j, lambda h, p, q: p * h + q, a.astype(complex), b.astype(complex))
    return [a, b], [np.cumprod(a.astype(complex)), h], 4 * n * F32


def _matrices(n, size, dtype):
    """Close to rotations, so that products neither vanish nor overflow."""
    m, _ = np.linalg.qr(normal(n, size, size, dtype=np.float64))
    return m.astype(dtype)


def _matrix(n, size):
    m = _matrices(n, size, np.float64)
    return [m], [walk(np.eye(size), np.matmul, m)], 8 * n * np.finfo(float).eps


def matrix_2(n):
    return _matrix(n, 2)


def matrix_3(n):
    return _matrix(n, 3)


def matrix_4(n):
    return _matrix(n, 4)


def matrix_recurrence(n):
    a, b = _matrices(n, 2, np.float32), normal(n, 2)
    wide = a.astype(float)
    product = walk(np.eye(2), lambda m, p: p @ m, wide)
    h = walk(np.zeros(2), lambda h, p, q: p @ h + q, wide, b.astype(float))
    return [a, b], [product, h], 8 * n * F32


def quaternion(n):
    q = normal(n, 4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)

    # As complex 2x2 matrices, whose product is theirs.
    def matrix(v):
        w, x, y, z = v
        return np.array([[w + 1j * x, y + 1j * z], [-y + 1j * z, w - 1j * x]])

    m = walk(np.eye(2), np.matmul, [matrix(v) for v in q.astype(float)])
    y = np.stack([m[:, 0, 0].real, m[:, 0, 0].imag, m[:, 0, 1].real, m[:, 0, 1].imag], axis=1)
    return [q], [y], 8 * n * F32


def tropical_matrix(n):
    m = normal(n, 3, 3)
    step = lambda s, p: (s[:, :, None] + p[None]).max(axis=1)
    start = np.where(np.eye(3), 0, -np.inf)
    return [m], [walk(start, step, m.astype(float))], 2 * n * F32


def max_plus(n):
    a, b = normal(n) - np.float32(0.5), np.zeros(n, np.float32)
    waits = walk(-np.inf, lambda w, p, q: max(w + p, q), a.astype(float), b)
    return [a, b], [np.cumsum(a.astype(float)), waits], 2 * n * F32


def maximum_segment(n):
    x = normal(n)
    sums = np.cumsum(x.astype(float))
    before = np.concatenate([[0], sums])
    head = np.maximum.accumulate(sums)
    tail = np.array([(before[t + 1] - before[: t + 1]).max() for t in range(n)])
    return [x] * 4, [sums, head, tail, np.maximum.accumulate(tail)], 4 * n * F32


def _softmax(x):
    m = np.maximum.accumulate(x)
    return m, np.array([np.exp(x[: t + 1].astype(float) - m[t]).sum() for t in range(len(x))])


def online_softmax(n):
    x = 4 * normal(n)
    return [x, np.ones(n, np.float32)], list(_softmax(x)), 4 * n * F32


def flash_attention(n):
    x, v = 4 * normal(n), normal(n, 4)
    m, s = _softmax(x)
    o = np.array([np.exp(x[: t + 1].astype(float) - m[t]) @ v[: t + 1] for t in range(n)])
    return [x, np.ones(n, np.float32), v], [m, s, o], 8 * n * F32


def log_sum_exp(n):
    x = 4 * normal(n)
    return [x], [np.logaddexp.accumulate(x.astype(float))], 4 * n * F32


def flash_decoding(n):
    [x, _, v], [_, s, o], bound = flash_attention(n)
    return [x, v], [np.logaddexp.accumulate(x.astype(float)), o / s[:, None]], bound


def welford(n):
    x = normal(n) + np.float32(3)
    wide = x.astype(float)
    m2 = prefixes(lambda v: v.var() * len(v), wide)
    zero, one = np.zeros(n, np.float32), np.ones(n, np.float32)
    return [x, zero, one], [prefixes(np.mean, wide), m2, np.arange(1.0, n + 1)], 8 * n * F32


def kalman(n):
    """A random walk that is seen with noise: the filter's mean and variance, step by step."""
    f, q, h, r, mean, variance = 0.9, 0.3, 1.1, 0.5, 0.2, 2.0
    y = normal(n, dtype=np.float64)
    gain = q * h / (h * q * h + r)
    columns = [np.full(n, (1 - gain * h) * f), gain * y, np.full(n, (1 - gain * h) * q),
               f * h * y / (h * q * h + r), np.full(n, (f * h) ** 2 / (h * q * h + r))]
    filtered = []
    for t in range(n):
        mean, variance = f * mean, f * variance * f + q
        k = variance * h / (h * variance * h + r)
        mean, variance = mean + k * (y[t] - h * mean), (1 - k * h) * variance
        filtered.append((mean, variance))
    # The first element stands for the prior as well.
    columns[0][0], columns[1][0], columns[2][0] = 0, *filtered[0]
    columns[3][0] = columns[4][0] = 0
    means, variances = np.array(filtered).T
    zeros = np.zeros(n)
    return columns, [zeros, means, variances, zeros, zeros], 1e-12


def alpha_over(n):
    alpha = rng.uniform(0, 0.3, n).astype(np.float32)
    color = (alpha * rng.random(n)).astype(np.float32)
    wide = alpha.astype(float)
    over = walk(0.0, lambda c, x, p: x + (1 - p) * c, color.astype(float), wide)
    return [color, alpha], [over, 1 - np.cumprod(1 - wide)], 4 * n * F32


def norm(n):
    x = normal(n)
    x[0] = abs(x[0])
    return [x], [np.sqrt(np.cumsum(x.astype(float) ** 2))], 4 * n * F32


def velocity_addition(n):
    # Near the speed of light the last digits would count too much.
    v = rng.uniform(-0.1, 0.1, n)
    return [v], [np.tanh(np.cumsum(np.arctanh(v)))], 4 * n * np.finfo(float).eps


def main():
    global rng
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("work")
    parser.add_argument("target")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder, work, target = options.folder, options.work, options.target
    os.makedirs(work, exist_ok=True)
    bad = count = 0
    for place, file in enumerate(sorted(os.listdir(folder))):
        name, ext = os.path.splitext(file)
        program = os.path.join(folder, file)
        if ext != ".mlir" or "// VERDICT: refuted" in open(program, encoding="utf-8").read():
            continue
        if (place + options.seed) % options.every:
            continue
        count += 1
        # The emulator takes long.
        for length in (1, 33) if target == "emulator" else (1, 2, 33, 129):
            # Whatever other operators there are.
            rng = np.random.default_rng(zlib.crc32(f"{name} {length}".encode()))
            function = globals()["range_" if name == "range" else name]
            inputs, expected, bound = function(length)
            command = ["scan-run", program, f"--target={target}"]
            for i, array in enumerate(inputs):
                np.save(os.path.join(work, f"x{i}.npy"), array)
                command.append(f"--input={work}/x{i}.npy")
            command += [f"--output={work}/y{i}.npy" for i in range(len(expected))]
            done = scan_tools.run(command)
            if done.returncode:
                bad += 1
                print(f"{name}, length {length}: {done.stderr}")
                continue
            for i, want in enumerate(expected):
                got = np.load(os.path.join(work, f"y{i}.npy"))
                same = got.shape == want.shape
                if same and (bound == 0 or want.dtype == bool):
                    same = np.array_equal(got, want, equal_nan=got.dtype.kind == "f")
                elif same:
                    scale = np.abs(want).max(initial=0)
                    same = np.isfinite(got).all() and np.abs(got - want).max() <= bound * scale
                if not same:
                    bad += 1
                    print(f"{name}, length {length}, result {i}:\n{got}\nnot\n{want}")
    print(f"{count} operators, {bad} differ from numpy")
    sys.exit(bad > 0)


main()
