"""Runs an example and compares its results with numpy.

usage: examples.py PROGRAM.mlir ENTRY[,ENTRY...] WORKDIR TARGET[,TARGET...] [--passes PASS...]

numpy computes in float64, one step at a time. Results may differ from that by
the rounding errors of their own type, of which every step makes a few; the
bound is stated for each example.
"""

import os
import sys

import numpy as np

import scan_tools

rng = np.random.default_rng(2024)
F32 = np.finfo(np.float32).eps


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def to_bf16(x):
    """The bit patterns of `x`, rounded to nearest even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrence(a, b, h):
    """h_t = a_t * h_{t-1} + b_t along the second dimension."""
    steps = []
    for t in range(b.shape[1]):
        h = a[:, t] * h + b[:, t]
        steps.append(h)
    return (np.stack(steps, axis=1) if steps else b.copy()), h


# Each of these returns the inputs, the results, and the error that is allowed,
# relative to the largest magnitude in a result.


def cumsum(length):
    x = normal(3, length)
    return [x], [np.cumsum(x.astype(np.float64), axis=1)], length * F32


def cumprod(length):
    x = (1 + 0.1 * normal(3, length)).astype(np.float32)
    y = np.cumprod(x.astype(np.float64), axis=1)
    return [x], [y, y[:, -1] if length else np.zeros(3)], length * F32


def sum_of_the_rest(length):
    x = normal(3, length)
    y = np.cumsum(x[:, ::-1].astype(np.float64), axis=1)[:, ::-1] - x
    return [x], [y], 2 * length * F32


def rglru(length):
    x, r, i = (normal(2, length, 512) for _ in range(3))
    # From decays that forget at once to ones that hardly forget.
    lam = np.linspace(-9, 4, 512, dtype=np.float32)
    h0 = normal(2, 512)
    wide = [v.astype(np.float64) for v in (x, r, i, lam, h0)]
    log_a = -8 * np.logaddexp(0, wide[3]) * sigmoid(wide[1])
    b = np.sqrt(-np.expm1(2 * log_a)) * sigmoid(wide[2]) * wide[0]
    h, last = recurrence(np.exp(log_a), b, wide[4])
    return [x, r, i, lam, h0], [h, last], 32 * np.sqrt(length + 1) * F32


def s5(length):
    angle = normal(length, 5)
    lam = (0.95 * np.exp(1j * angle)).astype(np.complex64)
    bu = (normal(length, 5) + 1j * normal(length, 5)).astype(np.complex64)
    x, _ = recurrence(lam[None].astype(complex), bu[None].astype(complex), np.zeros((1, 5)))
    return [lam, bu], [x[0]], 64 * F32


def s5_output(length):
    (lam, bu), (x,), bound = s5(length)
    c = (normal(5) + 1j * normal(5)).astype(np.complex64)
    return [lam, bu, c], [(c * x).real], 2 * bound


def s5_layer(length):
    lam = np.array([-0.5 + 0.5j, -0.5 + 1j, -0.5 + 2j, -0.5 + 3j], np.complex64)
    log_step = np.linspace(-5, -2, 4, dtype=np.float32)
    bu = (normal(2, length, 4) + 1j * normal(2, length, 4)).astype(np.complex64)
    c = (normal(4, 4) + 1j * normal(4, 4)).astype(np.complex64)
    d, u = normal(4), normal(2, length, 4)
    decay = np.exp(lam.astype(complex) * np.exp(log_step.astype(np.float64)))
    x, _ = recurrence(np.broadcast_to(decay, bu.shape), (decay - 1) / lam * bu, np.zeros((2, 4), complex))
    y = 2 * np.einsum("mp,btp->btm", c.astype(complex), x).real + d.astype(np.float64) * u
    return [lam, log_step, bu, c, d, u], [y], 256 * np.sqrt(length + 1) * F32


def griffin(length):
    (x, r, i, lam, h0), (h, last), bound = rglru(length)
    branch = normal(2, length, 512)
    g = branch.astype(np.float64)
    gelu = g / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3)))
    return [x, r, i, lam, h0, branch], [gelu * h, last], 4 * bound


def selective_scan(u, raw, bias, a_log, b, c, d, z):
    delta = np.logaddexp(0, raw + bias)[..., None]
    h, _ = recurrence(np.exp(delta * -np.exp(a_log)), delta * b[:, :, None] * u[..., None],
                      np.zeros((u.shape[0], u.shape[2], b.shape[2])))
    return ((h * c[:, :, None]).sum(axis=-1) + d * u) * z * sigmoid(z)


def log_of_states(channels):
    return np.log(np.broadcast_to(np.arange(1, 17), (channels, 16))).astype(np.float32)


def mamba(length):
    u, z, b, c = (normal(2, length, k) for k in (6, 6, 16, 16))
    raw, bias, d = normal(2, length, 6) - 2, normal(6), normal(6)
    inputs = [u, raw, bias, log_of_states(6), b, c, d, z]
    return inputs, [selective_scan(*(v.astype(np.float64) for v in inputs))], 256 * F32


def rms_norm(x, gain):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5) * gain


def mamba_block(length):
    width, inner, rank = 4, 6, 3
    shapes = [(2, length, width), (width,), (width, inner), (width, inner), (4, inner), (inner,), (inner, rank),
              (inner, 16), (inner, 16), (rank, inner), (inner,)]
    inputs = [normal(*shape) for shape in shapes] + [log_of_states(inner), normal(inner), normal(inner),
                                                     normal(inner, width)]
    x, gain, w_v, w_z, w, bias, w_r, w_b, w_c, w_delta, delta_bias, a_log, d, inner_gain, w_y = (
        v.astype(np.float64) for v in inputs)
    n = rms_norm(x, gain)
    padded = np.concatenate([np.zeros((2, 3, inner)), n @ w_v], axis=1)
    conv = sum(w[k] * padded[:, k : k + length] for k in range(4)) + bias
    u = conv * sigmoid(conv)
    g = selective_scan(u, u @ w_r @ w_delta, delta_bias, a_log, u @ w_b, u @ w_c, d, n @ w_z)
    return inputs, [x + rms_norm(g, inner_gain) @ w_y], 1024 * F32


def online_softmax(length):
    x = (10 * normal(4, length)).astype(np.float32)
    x[1, : length // 2] = -np.inf
    m = np.maximum.accumulate(x.astype(np.float64), axis=1)
    s = np.zeros((4, length))
    for t in range(length):
        # Of a row that is masked so far, every element is one of the largest.
        part, top = x[:, : t + 1].astype(np.float64), m[:, t : t + 1]
        s[:, t] = np.where(part == top, 1, np.exp(part - np.where(np.isinf(top), 0, top))).sum(axis=1)
    last = [m[:, -1], s[:, -1]] if length else [np.zeros(4), np.zeros(4)]
    return [x], [m, s, *last], 8 * max(length, 1) * F32


def segmented_sum(length):
    flags = rng.random((3, length)) < 0.1
    x = normal(3, length)
    y, _ = recurrence(~flags * 1.0, x.astype(np.float64), np.zeros(3))
    return [flags, x], [y], length * F32


def in_segments(offsets, walk):
    """`walk`(begin, end) of each, put together."""
    return [walk(s, begin, end) for s, (begin, end) in enumerate(zip(offsets, offsets[1:]))]


def cut(length):
    return np.concatenate([[0, 0], np.sort(rng.integers(0, length + 1, 4)), [length]]).astype(np.int32)


def rnn(length):
    a, b, offsets, h0 = (rng.random((length, 5)).astype(np.float32), normal(length, 5), cut(length), normal(6, 5))
    parts = in_segments(offsets, lambda s, i, j: recurrence(
        a[None, i:j].astype(np.float64), b[None, i:j].astype(np.float64), h0[None, s].astype(np.float64)))
    return ([a, b, offsets, h0], [np.concatenate([h[0] for h, _ in parts]), np.concatenate([l for _, l in parts])],
            32 * np.sqrt(length + 1) * F32)


def largest(length):
    x, offsets = normal(length), cut(length)
    parts = in_segments(offsets, lambda s, i, j: np.maximum.accumulate(x[i:j].astype(np.float64)))
    return [x, offsets], [np.concatenate(parts)], 0


def returns(length):
    reward, last, discount = normal(length, 3), rng.random((length, 3)) < 0.1, rng.random((length, 3)).astype(np.float32)
    kept = np.where(last, 0, discount.astype(np.float64))[None, ::-1]
    g, _ = recurrence(kept, reward[None, ::-1].astype(np.float64), np.zeros((1, 3)))
    return [reward, last, discount], [g[0, ::-1]], 32 * np.sqrt(length + 1) * F32


def mingru(length):
    gate, candidate, h0 = (to_bf16(normal(*s)) for s in [(2, length, 3), (2, length, 3), (2, 3)])
    z = sigmoid(from_bf16(gate))
    h, _ = recurrence(1 - z, z * from_bf16(candidate), from_bf16(h0))
    return [gate, candidate, h0], [h], 2.0**-8


# Of te.scan's cells: as few rows as the init has and one more, the tutorial's ten, and many,
# of awkward widths and the tutorial's.
WIDTHS = {0: 257, 1: 255, 9: 1024, 257: 1}


def column_sums(length):
    x = normal(length + 1, WIDTHS[length])
    return [x], [np.cumsum(x.astype(np.float64), axis=0)], (length + 1) * F32


def rows(start, step, count):
    """`start`, a list of rows, and `count` more that `step` computes of all before."""
    made = list(start)
    for t in range(count):
        made.append(step(t, made))
    return made


def two_stages(length):
    width = WIDTHS[length]
    # Each step doubles: more of them would leave the range of float32.
    length = min(length, 60)
    x = normal(length + 1, width)
    wide = x.astype(np.float64)
    return [x], [np.stack(rows(wide[:1], lambda t, s: 2 * s[-1] + wide[t + 1], length))], 2 * (length + 1) * F32


def two_states(length):
    x = np.abs(normal(length + 1, WIDTHS[length]))
    g = np.cumsum(x.astype(np.float64), axis=0)
    h = np.concatenate([[0], np.cumsum(g[:-1, 0])])
    # Positive numbers: a sum of sums has the relative error of both.
    return [x, np.array(3)], [g, np.repeat(h[:, None], 3, 1)], 2 * (length + 1) * F32


def fibonacci(length):
    # Of 64 bits, wrapping around.
    exact = rows([0, 1], lambda t, f: f[-1] + f[-2], length)
    return [np.array(length)], [np.array([f % 2**64 for f in exact], np.uint64).view(np.int64)], 0


def biquad(length):
    n = WIDTHS[length]
    x, y0, x0 = normal(length, n), normal(2, n), normal(2, n)
    b, a = np.array([0.2, 0.3, 0.1], np.float32), np.array([-0.5, 0.25], np.float32)
    xs, (b0, b1, b2), (a1, a2) = np.concatenate([x0, x]).astype(np.float64), b.astype(float), a.astype(float)
    y = np.array(rows(y0.astype(np.float64), lambda t, y: b0 * xs[t + 2] + b1 * xs[t + 1] + b2 * xs[t]
                      - a1 * y[-1] - a2 * y[-2], length))
    # Nine roundings a step, of which the poles, of radius 1/2, leave four times as much.
    return [x, y0, x0, b, a], [y[2:], y[-2:], xs[-2:]], 36 * F32


TE_SCAN = [column_sums, two_stages, two_states, fibonacci, biquad]


def tanh_lanes(length):
    x, h0, u = normal(length, 4), normal(1, 4), np.linspace(-0.5, 0.5, 4).astype(np.float32)
    wide = x.astype(np.float64)[::-1]
    h = rows(h0.astype(np.float64), lambda t, h: np.tanh(wide[t] + u.astype(np.float64) * h[-1]), length)
    # Half of the error of the step before is left, and a step adds four roundings, of
    # numbers of at most four times the largest state.
    return [x, h0, u], [np.array(h[1:]).reshape(length, 4)[::-1]], 32 * F32


def edit_distance(length):
    a, b = rng.integers(0, 3, length, np.int32), rng.integers(0, 3, 9, np.int32)
    table = np.zeros((length + 1, 10), np.int32)
    table[:, 0], table[0] = np.arange(length + 1), np.arange(10)
    for i in range(length):
        for j in range(9):
            table[i + 1, j + 1] = min(table[i, j] + (a[i] != b[j]), table[i, j + 1] + 1, table[i + 1, j] + 1)
    return [a, b], [table], 0


# Weights this small make each step of a cell a contraction by less than 3/4; a step adds
# some 30 roundings (sums of eleven products, functions), of numbers up to four times the
# largest state.
CELL = 4 * 30 * 4 * F32


def weights(*shape):
    return rng.uniform(-0.2, 0.2, shape).astype(np.float32)


def lstm(length):
    x, h0, c0 = normal(2, length, 5), 0.5 * normal(2, 1, 6), 0.5 * normal(2, 1, 6)
    w, u, b = weights(5, 24), weights(6, 24), weights(24)
    h, c, steps = h0[:, 0].astype(np.float64), c0[:, 0].astype(np.float64), []
    for t in range(length):
        i, f, g, o = np.split(x[:, t].astype(np.float64) @ w + h @ u + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        steps.append(h)
    states = np.stack(steps, 1) if steps else np.zeros((2, 0, 6))
    return [x, h0, c0, w, u, b], [states, c[:, None]], CELL


def slstm(length):
    x, h0, c0 = normal(2, length, 5), 0.5 * normal(2, 1, 6), 0.5 * normal(2, 1, 6)
    n0, m0 = np.abs(normal(2, 1, 6)) + np.float32(0.5), 0.5 * normal(2, 1, 6)
    w, u, b = weights(5, 24), weights(6, 24), weights(24)
    h, c, n, m = (a[:, 0].astype(np.float64) for a in (h0, c0, n0, m0))
    steps = []
    for t in range(length):
        i, f, g, o = np.split(x[:, t].astype(np.float64) @ w + h @ u + b, 4, axis=1)
        last, m = m, np.maximum(f + m, i)
        c = np.exp(f + last - m) * c + np.exp(i - m) * np.tanh(g)
        n = np.exp(f + last - m) * n + np.exp(i - m)
        h = sigmoid(o) * c / n
        steps.append(h)
    states = np.stack(steps, 1) if steps else np.zeros((2, 0, 6))
    return [x, h0, c0, n0, m0, w, u, b], [states, c[:, None]], CELL


def gru(length):
    x, h0 = normal(2, length, 5), 0.5 * normal(2, 1, 6)
    w, u, b, v = weights(5, 18), weights(6, 18), weights(18), weights(18)
    h, steps = h0[:, 0].astype(np.float64), []
    for t in range(length):
        xr, xz, xn = np.split(x[:, t].astype(np.float64) @ w + b, 3, axis=1)
        hr, hz, hn = np.split(h @ u + v, 3, axis=1)
        z = sigmoid(xz + hz)
        h = (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * h
        steps.append(h)
    states = np.stack(steps, 1) if steps else np.zeros((2, 0, 6))
    return [x, h0, w, u, b, v], [states, h[:, None]], CELL


def differences(program, entry, work, target):
    """How many results of all lengths differ."""
    bad = 0
    function = globals()[entry]
    for length in WIDTHS if function in TE_SCAN else (0, 1, 33, 257):
        inputs, expected, bound = function(length)
        command = ["scan-run", program, f"--entry={entry}", f"--target={target}"]
        for i, array in enumerate(inputs):
            np.save(os.path.join(work, f"x{i}.npy"), array)
            command.append(f"--input={work}/x{i}.npy")
        command += [f"--output={work}/y{i}.npy" for i in range(len(expected))]
        scan_tools.check(command)
        for i, want in enumerate(expected):
            got = np.load(os.path.join(work, f"y{i}.npy"))
            if entry == "mingru":
                got = from_bf16(got.view(np.uint16).reshape(got.shape))
            assert got.shape == want.shape, (length, i, got.shape, want.shape)
            finite = np.isfinite(want)
            same = np.array_equal(finite, np.isfinite(got)) and np.array_equal(got[~finite], want[~finite])
            scale = np.abs(want[finite]).max(initial=0)
            error = np.abs(got[finite] - want[finite]).max(initial=0)
            if not same or error > bound * scale:
                bad += 1
                print(f"{entry}, length {length}, result {i}: error {error:.2e}, allowed {bound * scale:.2e}")
    return bad


def main():
    program, entries, work, targets = sys.argv[1:5]
    os.makedirs(work, exist_ok=True)
    if "--passes" in sys.argv:
        after = os.path.join(work, "after.mlir")
        scan_tools.check(["scan-opt", program, *sys.argv[sys.argv.index("--passes") + 1 :], "-o", after])
        program = after
    failed = False
    for target in targets.split(","):
        for entry in entries.split(","):
            bad = differences(program, entry, work, target)
            print(f"{entry}: {bad} results differ")
            failed |= bad > 0
    sys.exit(failed)


main()
