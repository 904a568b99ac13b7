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
