"""The gallery of associative operators: name, number of leaves, function, data."""

import torch


def affine(x, y):
    """Composition of x -> a x + b; does not commute."""
    return y[0] * x[0], y[0] * x[1] + y[1]


def matmul2(x, y):
    """Products of 2x2 matrices, by entries; does not commute."""
    return (y[0] * x[0] + y[1] * x[2], y[0] * x[1] + y[1] * x[3],
            y[2] * x[0] + y[3] * x[2], y[2] * x[1] + y[3] * x[3])


def online_softmax(x, y):
    """Running maximum and sum of exponentials."""
    m = torch.maximum(x[0], y[0])
    return m, x[1] * torch.exp(x[0] - m) + y[1] * torch.exp(y[0] - m)


def welford(x, y):
    """Count, mean and sum of squared deviations (Chan, Golub, LeVeque 1983)."""
    n = x[0] + y[0]
    delta = y[1] - x[1]
    return n, x[1] + delta * y[0] / n, x[2] + y[2] + delta * delta * x[0] * y[0] / n


def segmented_sum(x, y):
    """A sum that starts anew where a flag is set; does not commute."""
    return torch.maximum(x[0], y[0]), torch.where(y[0] > 0, y[1], x[1] + y[1])


# name: (function, generators of the leaves)
def _normal(*shape, dtype, generator):
    return torch.randn(*shape, dtype=torch.float64, generator=generator).to(dtype)


def _near_one(*shape, dtype, generator):
    return (0.7 + 0.5 * torch.rand(*shape, dtype=torch.float64, generator=generator)).to(dtype)


def _ones(*shape, dtype, generator):
    return torch.ones(*shape, dtype=dtype)


def _flags(*shape, dtype, generator):
    return (torch.rand(*shape, generator=generator) < 0.3).to(dtype)


GALLERY = {
    "add": (lambda x, y: x + y, [_normal]),
    "mul": (lambda x, y: x * y, [_near_one]),
    "maximum": (torch.maximum, [_normal]),
    "minimum": (torch.minimum, [_normal]),
    "logaddexp": (torch.logaddexp, [_normal]),
    "affine": (affine, [_near_one, _normal]),
    "matmul2": (matmul2, [_normal] * 4),
    "online_softmax": (online_softmax, [_normal, _near_one]),
    "welford": (welford, [_ones, _normal, _flags]),
    "segmented_sum": (segmented_sum, [_flags, _normal]),
    "last": (lambda x, y: y, [_normal]),
    "first": (lambda x, y: x, [_normal]),
}


def leaves(name, shape, dtype=torch.float64, seed=0):
    """The data of an operator: a list of tensors of that shape."""
    generator = torch.Generator().manual_seed(seed)
    return [make(*shape, dtype=dtype, generator=generator) for make in GALLERY[name][1]]


def apply(name):
    """The function of an operator on lists of leaves."""
    function, makers = GALLERY[name]
    if len(makers) == 1:
        return lambda x, y: [function(x[0], y[0])]
    return lambda x, y: list(function(x, y))
