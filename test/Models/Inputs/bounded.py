"""Numbers with a bound of the rounding errors of who computes them in another order.

A `Bounded` array has values v (float64), sizes m and counts n: whoever evaluates the same
expression with the unit roundoff u, sums and products bracketed in any way, gets v to within
n * u * m, up to terms of u**2. m is the same expression with the moduli of all terms (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, sections 3.1 and 3.3): a term of a
sum of products takes part in each operation at most once, however that is bracketed, so that
it has at most n factors 1 + d, |d| <= u. Functions of floats are taken to be right to within
4 u, which the libraries of all targets promise.
"""

import numpy as np

FUNCTION_ERROR = 4


class Bounded(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, v, m=None, n=None):
        self.v = np.asarray(v, np.complex128 if np.iscomplexobj(v) else np.float64)
        self.m = np.abs(self.v) if m is None else np.asarray(m, np.float64)
        self.n = np.zeros(self.v.shape) if n is None else np.broadcast_to(np.asarray(n, np.float64), self.v.shape)

    shape = property(lambda self: self.v.shape)
    ndim = property(lambda self: self.v.ndim)
    real = property(lambda self: Bounded(self.v.real, self.m, self.n))

    def __getitem__(self, key):
        return Bounded(self.v[key], self.m[key], self.n[key])

    def error(self, unit):
        """What a result may be off by, at most. (Factor 2: terms of u**2, and the guards of products.)"""
        return 2 * unit * (self.n + 1) * self.m

    def sum(self, axis):
        count = self.shape[axis]
        return Bounded(self.v.sum(axis=axis), self.m.sum(axis=axis), self.n.max(axis=axis, initial=0) + count)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or options:
            return NotImplemented
        name = ufunc.__name__
        if name in COMPARISONS:
            return ufunc(*[x.v if isinstance(x, Bounded) else x for x in inputs])
        return UFUNCS[name](*[x if isinstance(x, Bounded) else Bounded(x) for x in inputs])

    def __array_function__(self, function, types, arguments, options):
        return FUNCTIONS[function.__name__](*arguments, **options)


COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}


def add(x, y):
    return Bounded(x.v + y.v, x.m + y.m, np.maximum(x.n, y.n) + 1)


def subtract(x, y):
    return Bounded(x.v - y.v, x.m + y.m, np.maximum(x.n, y.n) + 1)


def multiply(x, y):
    return Bounded(x.v * y.v, x.m * y.m, x.n + y.n + 2 * np.iscomplexobj(x.v) + 1)


def divide(x, y):
    size = np.abs(y.v)
    return Bounded(x.v / y.v, x.m / size * (y.m / size), x.n + y.n + 1)


def function(evaluate, slope):
    """Of a function its value and the modulus of its slope; errors of the argument are multiplied by the latter."""

    def apply(x):
        v = evaluate(x.v)
        moved = slope(x.v, v) * x.m
        return Bounded(v, np.abs(v) + moved, x.n + FUNCTION_ERROR)

    return apply


def pick(choose):
    def apply(x, y):
        return Bounded(choose(x.v, y.v), np.maximum(x.m, y.m), np.maximum(x.n, y.n))

    return apply


UFUNCS = {
    "add": add, "subtract": subtract, "multiply": multiply, "divide": divide,
    "negative": lambda x: Bounded(-x.v, x.m, x.n),
    "absolute": lambda x: Bounded(np.abs(x.v), x.m, x.n),
    "conjugate": lambda x: Bounded(np.conj(x.v), x.m, x.n),
    "maximum": pick(np.maximum), "minimum": pick(np.minimum),
    "exp": function(np.exp, lambda x, y: np.abs(y)),
    "expm1": function(np.expm1, lambda x, y: np.exp(x)),
    "log": function(np.log, lambda x, y: 1 / np.abs(x)),
    "log1p": function(np.log1p, lambda x, y: 1 / np.abs(1 + x)),
    "sqrt": function(np.sqrt, lambda x, y: np.where(y > 0, 0.5 / np.where(y > 0, y, 1), 0)),
    "tanh": function(np.tanh, lambda x, y: 1 - y**2),
}


def wide(x):
    return x if isinstance(x, Bounded) else Bounded(x)


def combine(join):
    def apply(arrays, axis=0):
        arrays = [wide(x) for x in arrays]
        return Bounded(*[join([getattr(x, part) for x in arrays], axis=axis) for part in "vmn"])

    return apply


def where(condition, x, y):
    x, y = wide(x), wide(y)
    return Bounded(*[np.where(condition, getattr(x, part), getattr(y, part)) for part in "vmn"])


FUNCTIONS = {
    "stack": combine(np.stack), "concatenate": combine(np.concatenate), "where": where,
    "zeros_like": lambda x: Bounded(np.zeros_like(x.v)),
    "ones_like": lambda x: Bounded(np.ones_like(x.v)),
}
