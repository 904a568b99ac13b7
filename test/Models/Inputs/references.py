"""The models of the corpus in NumPy, one step at a time.

Arguments are float64 arrays, or those of bounded.py, which count rounding errors; each
function returns the list of results.
"""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def walk(step, state, times):
    """The states after each step, in the order of `times`."""
    states = []
    for t in times:
        state = step(state, t)
        states.append(state)
    return states


def recurrence(a, b, h=None, axis=1, reverse=False):
    """h_t = a_t h_{t-1} + b_t along an axis; from b_t without h."""
    at = lambda x, t: x[(slice(None),) * axis + (t,)]
    times = range(b.shape[axis])
    if reverse:
        times = times[::-1]
    states = walk(lambda h, t: at(b, t) if h is None else at(a, t) * h + at(b, t), h, times)
    return np.stack(states[::-1] if reverse else states, axis=axis)


def ema(x, a):
    b = (1 - a) * x
    return [recurrence(a + 0 * x, b, 0 * x[:, 0])]


def mingru(k, candidate, h0):
    z = sigmoid(k)
    return [recurrence(1 - z, z * candidate, h0)]


def mingru_tbc(k, candidate, h0):
    z = sigmoid(k)
    return [recurrence(1 - z, z * candidate, h0, axis=0)]


def minlstm(p, q, candidate):
    f, i = sigmoid(p), sigmoid(q)
    return [recurrence(f / (f + i), i / (f + i) * candidate)]


def discounted_return(r, done, last):
    return [recurrence(np.where(done, 0.0, 0.97 + 0 * r), r, last, reverse=True)]


def segmented_sum(flag, x):
    return [recurrence(np.where(flag, 0.0, 1.0 + 0 * x), x)]


def logcumsumexp(x):
    def step(s, t):
        if s is None:
            return x[:, t]
        high, low = np.maximum(s, x[:, t]), np.minimum(s, x[:, t])
        return high + np.log1p(np.exp(low - high))

    return [np.stack(walk(step, None, range(x.shape[1])), axis=1)]


def prefix_softmax(score, value):
    def step(state, t):
        if state is None:
            return score[:, t], np.ones_like(score[:, t]), value[:, t]
        m, s, w = state
        top = np.maximum(m, score[:, t])
        old, new = np.exp(m - top), np.exp(score[:, t] - top)
        return top, s * old + new, w * old + value[:, t] * new

    states = walk(step, None, range(score.shape[1]))
    return [np.stack([w / s for _, s, w in states], axis=1)]


def cummax_index(x):
    def step(state, t):
        if state is None:
            return x[:, t], np.zeros(x.shape[0], np.int32)
        m, i = state
        larger = x[:, t] > m
        return np.where(larger, x[:, t], m), np.where(larger, t, i).astype(np.int32)

    states = walk(step, None, range(x.shape[1]))
    return [np.stack([m for m, _ in states], axis=1), np.stack([i for _, i in states], axis=1)]


def biquad(x, b0, b1, b2, a):
    def step(state, t):
        w = b0 * x[:, t]
        if t >= 1:
            w = w + b1 * x[:, t - 1]
        if t >= 2:
            w = w + b2 * x[:, t - 2]
        if state is None:
            return w, 0 * w
        y, z = state
        return a[0, 0] * y + a[0, 1] * z + w, a[1, 0] * y + a[1, 1] * z

    return [np.stack([y for y, _ in walk(step, None, range(x.shape[1]))], axis=1)]


def hmm_forward(transition, emission, start):
    def step(p, t):
        e = emission[:, t]
        m = [[transition[i, j] * e[:, j] for j in (0, 1)] for i in (0, 1)]
        if p is None:
            return m
        q = [[p[i][0] * m[0][j] + p[i][1] * m[1][j] for j in (0, 1)] for i in (0, 1)]
        total = (q[0][0] + q[0][1]) + (q[1][0] + q[1][1])
        return [[entry / total for entry in row] for row in q]

    def read(p):
        first, second = (start[0] * p[0][j] + start[1] * p[1][j] for j in (0, 1))
        return first / (first + second)

    return [np.stack([read(p) for p in walk(step, None, range(emission.shape[1]))], axis=1)]


def scan_states(decay, update, read, steps):
    """A state that starts from zero: reads of each."""
    states = walk(lambda s, t: update(t) if s is None else decay(t) * s + update(t), None, range(steps))
    return [read(s, t) for t, s in enumerate(states)]


def mamba(u, delta, a, b, c):
    y = scan_states(
        lambda t: np.exp(delta[:, t, :, None] * a),
        lambda t: (delta[:, t] * u[:, t])[:, :, None] * b[:, t, None, :],
        lambda h, t: (h * c[:, t, None, :]).sum(axis=2) + u[:, t],
        u.shape[1])
    return [np.stack(y, axis=1)]


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.log1p(np.exp(x))


def rms_norm(x, gain):
    """Over the last axis, with 1e-5 in the root."""
    return x / np.sqrt((x * x).sum(axis=2)[:, :, None] / x.shape[2] + 1e-5) * gain


def mamba_block(x, w, w_bias, delta, delta_bias, a, b, c, d, z, gain):
    u, delta = silu(causal(x, w) + w_bias), softplus(delta + delta_bias)
    y = scan_states(
        lambda t: np.exp(delta[:, t, :, None] * a),
        lambda t: (delta[:, t] * u[:, t])[:, :, None] * b[:, t, None, :],
        lambda h, t: (h * c[:, t, None, :]).sum(axis=2) + d * u[:, t],
        x.shape[1])
    return [rms_norm(np.stack(y, axis=1) * silu(z), gain)]


def mingru_norm(k, candidate, h0, gain, residual):
    return [residual + rms_norm(mingru(k, candidate, h0)[0], gain)]


def mamba_tbc(u, delta, a, b, c):
    y = scan_states(
        lambda t: np.exp(delta[t, :, :, None] * a),
        lambda t: (delta[t] * u[t])[:, :, None] * b[t, :, None, :],
        lambda h, t: (h * c[t, :, None, :]).sum(axis=2) + u[t],
        u.shape[0])
    return [np.stack(y, axis=0)]


def mamba_bct(u, delta, a, b, c):
    y = scan_states(
        lambda t: np.exp(delta[:, :, t, None] * a),
        lambda t: (delta[:, :, t] * u[:, :, t])[:, :, None] * b[:, None, :, t],
        lambda h, t: (h * c[:, None, :, t]).sum(axis=2) + u[:, :, t],
        u.shape[2])
    return [np.stack(y, axis=2)]


def mamba2(x, a, b, c):
    y = scan_states(
        lambda t: a[:, t, :, None, None],
        lambda t: x[:, t, :, :, None] * b[:, t, None, None, :],
        lambda h, t: (h * c[:, t, None, None, :]).sum(axis=3),
        x.shape[1])
    return [np.stack(y, axis=1)]


def hgrn2(f, v, q):
    y = scan_states(
        lambda t: f[:, t, :, None],
        lambda t: (1 - f[:, t])[:, :, None] * v[:, t, None, :],
        lambda s, t: (s * q[:, t, :, None]).sum(axis=1),
        v.shape[1])
    return [np.stack(y, axis=1)]


def linear_attention(q, k, v):
    fq, fk = np.exp(q), np.exp(k)
    top = scan_states(lambda t: 1.0, lambda t: fk[:, t, :, None] * v[:, t, None, :],
                      lambda s, t: (s * fq[:, t, :, None]).sum(axis=1), v.shape[1])
    bottom = scan_states(lambda t: 1.0, lambda t: fk[:, t], lambda s, t: (s * fq[:, t]).sum(axis=1), v.shape[1])
    return [np.stack([x / y[:, None] for x, y in zip(top, bottom)], axis=1)]


def lru(x, nu, theta):
    size = np.exp(-np.exp(nu))
    decay = np.exp(-np.exp(nu) + 1j * theta)
    b = np.sqrt(1 - size * size) * x
    y = scan_states(lambda t: decay, lambda t: b[:, t] + 0j, lambda h, t: h.real, x.shape[1])
    return [np.stack(y, axis=1)]


def s5(decay, bu, c, d, u):
    y = scan_states(lambda t: decay, lambda t: bu[:, t],
                    lambda x, t: 2 * ((x[:, None, :] * c).sum(axis=2)).real + d * u[:, t], u.shape[1])
    return [np.stack(y, axis=1)]


def rglru(x, r, i, lam):
    log_a = -8 * np.log1p(np.exp(lam)) * sigmoid(r)
    return [recurrence(np.exp(log_a), np.sqrt(-np.expm1(2 * log_a)) * sigmoid(i) * x)]


def sru(w, f, r, x, axis=1):
    f, r = sigmoid(f), sigmoid(r)
    return [r * recurrence(f, (1 - f) * w, axis=axis) + (1 - r) * x]


def sru_tbc(w, f, r, x):
    return sru(w, f, r, x, axis=0)


def wkv(k, v, w, u):
    decay, e, now = np.exp(-w), np.exp(k), np.exp(k + u)
    y, num, den = [], 0 * v[:, 0], 0 * v[:, 0]
    for t in range(k.shape[1]):
        y.append((num + now[:, t] * v[:, t]) / (den + now[:, t]))
        num, den = decay * num + e[:, t] * v[:, t], decay * den + e[:, t]
    return [np.stack(y, axis=1)]


def bidirectional(a, x):
    return [recurrence(a, x) + recurrence(a, x, reverse=True)]


def bidirectional_bct(a, x):
    return [recurrence(a, x, axis=2) + recurrence(a, x, axis=2, reverse=True)]


def loglik(x, mu, s):
    z = (x - mu) * np.exp(-s)
    return [recurrence(1 + 0 * x, -0.5 * z * z - s)]


def before(x, t, k):
    """The step k before t, zero before the first one."""
    return x[:, t - k] if t >= k else 0 * x[:, 0]


def causal(x, w):
    """The convolution of each channel with four taps of its own."""
    return np.stack([sum(before(x, t, 3 - k) * w[k] for k in range(4)) for t in range(x.shape[1])], axis=1)


def conv_gate_carry(x, w, gate, branch, h0):
    g = sigmoid(gate)
    return [recurrence(g, (1 - g) * silu(causal(x, w)), h0) * branch]


def conv_bct(x, gate, w, a):
    gated = x * sigmoid(gate)
    at = lambda t, k: gated[:, :, t - k] if t >= k else 0 * gated[:, :, 0]
    conv = np.stack([sum(at(t, 2 - k) * w[:, k] for k in range(3)) for t in range(x.shape[2])], axis=2)
    return [recurrence((a[:, None] + 0 * x), conv, axis=2)]


def qrnn(x, wz, wf, o):
    def conv(w):
        return np.stack([before(x, t, 1) * w[0] + x[:, t] * w[1] for t in range(x.shape[1])], axis=1)

    f = sigmoid(conv(wf))
    return [sigmoid(o) * recurrence(f, (1 - f) * np.tanh(conv(wz)))]


def token_shift(x, first, mix, a):
    previous = np.stack([first, *[x[:, t] for t in range(x.shape[1] - 1)]], axis=1)
    return [recurrence(a + 0 * x, previous + (x - previous) * mix)]


def gae(v, r, last):
    following = np.stack([*[v[:, t] for t in range(1, v.shape[1])], last[:, 0]], axis=1)
    return [recurrence(0.90625 + 0 * r, r + 0.96875 * following - v, reverse=True)]


def counter(x):
    total = np.cumsum(x, axis=1, dtype=np.int32)
    return [(total >> 8) - ((total - x) >> 8)]


def welford(x):
    means, variances = [], []
    n, mean, q = 1, x[:, 0], 0 * x[:, 0]
    for t in range(x.shape[1]):
        if t:
            d = x[:, t] - mean
            part = d * (1.0 / (n + 1))
            mean, q, n = mean + part, q + d * part * n, n + 1
        means.append(mean)
        variances.append(q / n)
    return [np.stack(means, axis=1), np.stack(variances, axis=1)]


def compaction(keep, x):
    kept = [x[t] for t in range(x.shape[0]) if keep[t]]
    return [np.stack(kept + [0 * x[0]] * (x.shape[0] - len(kept)), axis=0)]


def fill_forward(there, x):
    def step(y, t):
        return x[:, t] if y is None else np.where(there[:, t], x[:, t], y)

    return [np.stack(walk(step, None, range(x.shape[1])), axis=1)]


def kalman(z, q, r, m0, p0):
    def step(state, t):
        mean, variance = state
        predicted = variance + q[:, t]
        gain = predicted / (predicted + r[:, t])
        return mean + gain * (z[:, t] - mean), predicted * r[:, t] / (predicted + r[:, t])

    states = walk(step, (m0, p0), range(z.shape[1]))
    return [np.stack([m for m, _ in states], axis=1), np.stack([p for _, p in states], axis=1)]


def holt(x, alpha, beta):
    both = alpha * beta

    def step(state, t):
        if state is None:
            return alpha * x[:, t], both * x[:, t]
        level, trend = state
        return ((1 - alpha) * (level + trend) + alpha * x[:, t],
                (1 - both) * trend - both * level + both * x[:, t])

    return [np.stack([level + trend for level, trend in walk(step, None, range(x.shape[1]))], axis=1)]


def tridiagonal(a, b, c, d):
    n = b.shape[1]
    ratio, eliminated = [c[:, 0] / b[:, 0]], [d[:, 0] / b[:, 0]]
    for i in range(1, n):
        pivot = b[:, i] - a[:, i] * ratio[-1]
        ratio.append(c[:, i] / pivot)
        eliminated.append((d[:, i] - a[:, i] * eliminated[-1]) / pivot)
    x = [eliminated[-1]]
    for i in range(n - 2, -1, -1):
        x.append(eliminated[i] - ratio[i] * x[-1])
    return [np.stack(x[::-1], axis=1)]
