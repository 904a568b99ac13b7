"""What the programs of this folder compute, in NumPy: a loop over time for each, by the
formula in the program's comment. Functions have the names and parameters of the programs."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def walk(steps, step, *states):
    """What `step(t, *states)`, which returns the next states and a row, returns as rows, and
    the last states."""
    rows = []
    for t in steps:
        *states, row = step(t, *states)
        rows.append(row)
    return rows, states


def stack(rows, shape, dtype, axis=0):
    return np.stack(rows, axis).astype(dtype) if rows else np.empty(shape, dtype)


def affine(a, b, h0, axis=0, reverse=False):
    """All states of h = a h + b along an axis, and the last one."""
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    ys = np.empty(b.shape, b.dtype)
    h = h0
    for t in range(len(b))[:: -1 if reverse else 1]:
        h = a[t] * h + b[t]
        ys[t] = h
    return np.moveaxis(ys, 0, axis), np.asarray(h)


def min_gru(k, g, h0):
    z = sigmoid(k)
    return affine(1 - z, z * g, h0)[0].astype(k.dtype)


def min_lstm(kf, ki, g, h0):
    f, i = sigmoid(kf), sigmoid(ki)
    ys, h = affine(f / (f + i), i / (f + i) * g, h0)
    return h.astype(g.dtype), ys.astype(g.dtype)


def rg_lru(x, rg, ig, lam, h0):
    a = np.exp(-8 * np.log1p(np.exp(lam)) * sigmoid(rg))
    return affine(a, np.sqrt(1 - a * a) * sigmoid(ig) * x, h0, axis=1)[0].astype(x.dtype)


def hgrn2(f, v, q, s0):
    s, rows = s0.astype(np.float64), []
    for t in range(len(f)):
        s = f[t][:, None] * s + np.outer(1 - f[t], v[t])
        rows.append(s.T @ q[t])
    return s.astype(f.dtype), stack(rows, v.shape, v.dtype)


def rwkv4(k, v, w, u):
    # Without the common exponent: the numbers are small enough for f64.
    k, v, w, u = (x.astype(np.float64) for x in (k, v, w, u))
    a, b, rows = np.zeros(k.shape[1]), np.zeros(k.shape[1]), []
    for t in range(len(k)):
        e = np.exp(u + k[t])
        rows.append((a + e * v[t]) / (b + e))
        a = np.exp(w) * a + np.exp(k[t]) * v[t]
        b = np.exp(w) * b + np.exp(k[t])
    return stack(rows, v.shape, np.float32)


def rwkv6(r, k, v, w, u):
    s, rows = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(r)):
        kv = np.outer(k[t], v[t])
        rows.append((s + u[:, None] * kv).T @ r[t])
        s = w[t][:, None] * s + kv
    return stack(rows, v.shape, np.float32)


def s4d_halves(x, ar, ai):
    a = ar + 1j * ai
    h = affine(np.broadcast_to(a, x.shape), x.astype(np.complex128), np.zeros(x.shape[1]))[0]
    return (2 * h.real).astype(x.dtype), h.imag.astype(x.dtype)


def lru_complex(x, a):
    return affine(np.broadcast_to(a, x.shape), x, np.zeros_like(a))[0].real.astype(np.float32)


def mamba(x, delta, A, B, C):
    a = np.exp(delta[..., None] * A)
    b = delta[..., None] * B[:, :, None, :] * x[..., None]
    h, _ = affine(a, b, np.zeros((x.shape[0],) + A.shape), axis=1)
    return np.einsum("btdn,btn->btd", h, C).astype(x.dtype)


def ssd(a, x, B, C):
    s, rows = np.zeros((x.shape[1], B.shape[1])), []
    for t in range(len(a)):
        s = a[t] * s + np.outer(x[t], B[t])
        rows.append(s @ C[t])
    return stack(rows, x.shape, x.dtype)


def sru(x, f, rg, c):
    cs, last = affine(f, (1 - f) * x, c)
    return last, (rg * np.tanh(cs) + (1 - rg) * x).astype(x.dtype)


def linear_attention(q, k, v):
    s = np.cumsum(k.astype(np.float64)[:, :, None] * v[:, None, :], 0)
    z = np.cumsum(k.astype(np.float64), 0)
    return (np.einsum("ti,tij->tj", q, s) / np.sum(q * z, 1)[:, None]).astype(v.dtype)


def cummax_index(x):
    best, where = np.maximum.accumulate(x, 0), np.zeros(x.shape, np.int64)
    for t in range(len(x)):
        where[t] = np.where(x[t] == best[t], t, where[t - 1])
    return best, where


def online_softmax(x):
    m = np.maximum.accumulate(x, 0)
    l = np.array([np.sum(np.exp(x[: t + 1].astype(np.float64) - m[t]), 0) for t in range(len(x))])
    last = m[-1] if len(x) else np.full(x.shape[1], -np.inf, x.dtype)
    return last, l.reshape(x.shape).astype(x.dtype)


def logcumsumexp(x, s0):
    total = np.cumsum(np.exp(x[::-1].astype(np.float64)), 0) + np.exp(s0.astype(np.float64))
    return np.log(total)[::-1].astype(x.dtype)


def holt(x):
    level, trend, ls, bs = 0.0, 0.0, [], []
    for v in x:
        before = level
        level = 0.3 * v + 0.7 * (level + trend)
        trend = 0.2 * (level - before) + 0.8 * trend
        ls.append(level)
        bs.append(trend)
    return stack(ls, (0,), x.dtype), stack(bs, (0,), x.dtype)


def biquad(x, k):
    b0, b1, b2, a1, a2 = k.astype(np.float64)
    # By its difference equation, not by the form of the program.
    y = np.zeros(len(x) + 2)
    v = np.concatenate([[0, 0], x.astype(np.float64)])
    for t in range(2, len(v)):
        y[t] = b0 * v[t] + b1 * v[t - 1] + b2 * v[t - 2] - a1 * y[t - 1] - a2 * y[t - 2]
    return y[2:].astype(x.dtype)


def kalman(z, R, Q):
    x, p, xs, ps = 0.0, 1.0, [], []
    for t in range(len(z)):
        p = 1 / (1 / (p + Q[t]) + 1 / R[t])
        x = x + p / R[t] * (z[t] - x)
        xs.append(x)
        ps.append(p)
    return stack(xs, (0,), z.dtype), stack(ps, (0,), z.dtype)


def cusum(x, k):
    # The sum since the last minimum of it.
    c = np.cumsum((x - k).astype(np.float64), 0)
    return (c - np.minimum(np.minimum.accumulate(c, 0), 0)).astype(x.dtype)


def segmented_sum(x, flag, i):
    s, rows = float(i), []
    for t in range(len(x)):
        s = x[t] if flag[t] else s + x[t]
        rows.append(s)
    return stack(rows, (0,), x.dtype)


def ar2(x, a, b):
    y = np.zeros((len(x) + 2, x.shape[1]))
    for t in range(len(x)):
        y[t + 2] = a * y[t + 1] + b * y[t] + x[t]
    return y[2:]


def jax_scan_reverse(a, x, h0):
    ys, h = affine(a, x, h0, reverse=True)
    return h, ys


def jax_fori(x):
    h, rows = np.zeros(x.shape[1], x.dtype), []
    for row in x:
        rows.append(h)
        h = h * np.float32(0.5) + row
    return h, stack(rows, x.shape, x.dtype)


def torch_range(x, z, h0):
    return affine(1 - z, z * x, h0, axis=1)[0]


def forall_rows(a, x):
    return affine(a, x, np.zeros(len(a), a.dtype), axis=1)[0]


def nest_batch_channel(a, x, d):
    ys, h = affine(a, x, np.zeros((len(a), a.shape[2]), a.dtype), axis=1)
    return ys + d * x, h


def row_before(a, x):
    if len(x) == 0:
        return x
    return np.concatenate([x[:1], affine(a[1:], x[1:], x[0])[0]])


def tanh_rnn(x, w):
    h, rows = np.zeros_like(w), []
    for row in x:
        h = np.tanh(w * h + row)
        rows.append(h)
    return stack(rows, x.shape, x.dtype)


def affine_rows(a, b, y):
    return forall_rows(a, b)


def affine_memory(a, b, y):
    if y.shape[1] == 0:
        return y
    return np.concatenate([y[:, :1], affine(a[:, 1:], b[:, 1:], y[:, 0], axis=1)[0]], 1)


scf_memory = affine_memory
parallel_rows = affine_rows


def state_rows(x, s):
    return affine(np.full_like(x, 0.9), x, s, reverse=True)


def flang_cell(a, x, y):
    return affine(a, x, x.dtype.type(0))[0]


def tm_tensor_scan(x, y, acc):
    ys = np.cumsum(x, 0, dtype=x.dtype)
    return ys, ys[-1]


def linalg_rows(a, x, h):
    return affine(a, x, h)


def reduce_window_sum(x):
    return np.cumsum(x, 1)


def reduce_window_max_reverse(x):
    return np.maximum.accumulate(x[::-1], 0)[::-1]


def pooling_sum(x):
    return np.cumsum(x, 1)


def triangular_matmul(x):
    return np.cumsum(x, 2)


def index_mask(x):
    return np.cumsum(x[::-1], 0)[::-1]
