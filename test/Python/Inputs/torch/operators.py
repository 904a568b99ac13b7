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


def complex_affine(x, y):
    """The same of complex numbers, as in S5."""
    return y[0] * x[0], y[0] * x[1] + y[1]


def quaternion(x, y):
    """Products of quaternions (w, x, y, z); does not commute."""
    a, b, c, d = x
    e, f, g, h = y
    return (a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)


def attention(x, y):
    """Running maximum, sum of exponentials, and the mean that these weigh."""
    m = torch.maximum(x[0], y[0])
    p, q = torch.exp(x[0] - m), torch.exp(y[0] - m)
    return m, x[1] * p + y[1] * q, x[2] * p + y[2] * q


def argmax(x, y):
    """The largest element so far, and a number that comes along with it."""
    takes = y[0] > x[0]
    return torch.where(takes, y[0], x[0]), torch.where(takes, y[1], x[1])


def segmented_affine(x, y):
    """A linear recurrence that starts anew where a flag is set."""
    return (torch.maximum(x[0], y[0]), torch.where(y[0] > 0, y[1], y[1] * x[1]),
            torch.where(y[0] > 0, y[2], y[1] * x[2] + y[2]))


def max_plus(x, y):
    """Affine functions of the (max, +) semiring: delays of a queue."""
    return x[0] + y[0], torch.maximum(x[1] + y[0], y[1])


def rotation(x, y):
    """Products of unit complex numbers, by their parts."""
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


# name: (function, generators of the leaves)
def _normal(*shape, dtype, generator):
    return torch.randn(*shape, dtype=torch.float64, generator=generator).to(dtype)


def _near_one(*shape, dtype, generator):
    return (0.7 + 0.5 * torch.rand(*shape, dtype=torch.float64, generator=generator)).to(dtype)


def _ones(*shape, dtype, generator):
    return torch.ones(*shape, dtype=dtype)


def _flags(*shape, dtype, generator):
    return (torch.rand(*shape, generator=generator) < 0.3).to(dtype)


def _unit(*shape, dtype, generator):
    angle = torch.rand(*shape, dtype=torch.float64, generator=generator)
    radius = 0.6 + 0.4 * torch.rand(*shape, dtype=torch.float64, generator=generator)
    return torch.polar(radius, angle).to(
        dtype if dtype.is_complex else {torch.float64: torch.complex128}.get(
            dtype, torch.complex64))


def _numbers(*shape, dtype, generator):
    return torch.arange(int(torch.Size(shape).numel())).reshape(shape)


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
    "complex_mul": (lambda x, y: x * y, [_unit]),
    "complex_affine": (complex_affine, [_unit, _unit]),
    "quaternion": (quaternion, [_normal] * 4),
    "attention": (attention, [_normal, _near_one, _normal]),
    "argmax": (argmax, [_normal, _numbers]),
    "segmented_affine": (segmented_affine, [_flags, _near_one, _normal]),
    "max_plus": (max_plus, [_normal, _normal]),
    "rotation": (rotation, [_near_one, _normal]),
    "last": (lambda x, y: y, [_normal]),
    "first": (lambda x, y: x, [_normal]),
}


# Leaves that are flags, counts or numbers: steps of the function, without a gradient.
_FIXED = (_flags, _ones, _numbers)


def leaves(name, shape, dtype=torch.float64, seed=0, device="cpu"):
    """The data of an operator: a list of tensors of that shape."""
    generator = torch.Generator().manual_seed(seed)
    return [make(*shape, dtype=dtype, generator=generator).to(device)
            for make in GALLERY[name][1]]


def differentiable(name):
    """For each leaf of an operator whether it has a gradient."""
    return [make not in _FIXED for make in GALLERY[name][1]]


def apply(name):
    """The function of an operator on lists of leaves."""
    function, makers = GALLERY[name]
    if len(makers) == 1:
        return lambda x, y: [function(x[0], y[0])]
    return lambda x, y: list(function(x, y))
