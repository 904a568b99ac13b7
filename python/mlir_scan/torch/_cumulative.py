# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cumulative sums, products, maxima, minima and log-sum-exps."""

from typing import NamedTuple

import torch

from .. import texts
from ..errors import ScanError
from ..layout import Layout, normalize_dim
from ..scalar import is_complex, is_float
from . import _call
from ._compile import constant
from ._dtypes import element_of, require_tensor

_text = constant(texts.cumulative)
_extremum_text = constant(texts.extremum)


class Extremum(NamedTuple):
    """What `cummax` and `cummin` return, as PyTorch's do."""

    values: torch.Tensor
    indices: torch.Tensor


def cumsum(x, dim, *, dtype=None, reverse=False, exclusive=False, bidirectional=False,
           compensated=False):
    """The cumulative sum of `x` along `dim`: ``y[t] = x[0] + ... + x[t]``.

    Args:
        x: a tensor ``[..., T, ...]``; any extents, 0 included.
        dim: the dimension to sum along.
        dtype: what `x` is converted to before; integers and booleans become int64
            without it, as with `torch.cumsum`.
        reverse: sum from the last element, ``y[t] = x[t] + ... + x[T-1]``.
        exclusive: leave the element itself out: ``y[t] = x[0] + ... + x[t-1]``, 0 first.
        bidirectional: return both directions, ``(forward, reverse)``, from one pass
            over `x` where it fits the cache.
        compensated: carry the rounding errors along (Knuth's two-term sum), for real floating-point numbers, so that errors do not add up: the result is off
            by the unit roundoff u, and (T u)^2 of the sum of magnitudes at the most.

    Returns:
        A new tensor of `x`'s shape, or a pair with `bidirectional`. Differentiable.
    """
    return _cumulative("sum", x, dim, dtype, reverse, exclusive, bidirectional, compensated)


def cumprod(x, dim, *, dtype=None, reverse=False, exclusive=False, bidirectional=False):
    """The cumulative product of `x` along `dim`; the arguments are those of `cumsum`.

    The gradient is a linear recurrence and needs no division: it is right where
    elements are 0, too.
    """
    return _cumulative("prod", x, dim, dtype, reverse, exclusive, bidirectional, False)


def logcumsumexp(x, dim, *, reverse=False, exclusive=False, bidirectional=False):
    """``log(exp(x[0]) + ... + exp(x[t]))`` along `dim`, without overflow.

    Real floating-point tensors; -inf elements add nothing. The arguments are those
    of `cumsum`; `exclusive` begins with -inf.
    """
    return _cumulative("logsumexp", x, dim, x.dtype, reverse, exclusive, bidirectional, False)


def cummax(x, dim, *, reverse=False):
    """The maximum so far, and its index; NaN stays once it came.

    Args:
        x: a real tensor ``[..., T, ...]`` or one of integers.
        dim: the dimension to scan.
        reverse: scan from the last element to the first.

    Returns:
        ``(values, indices)``, indices int64. Of equal elements the one scanned last
        counts, as in PyTorch; it gets the gradient.
    """
    return _extremum("ge", x, dim, reverse)


def cummin(x, dim, *, reverse=False):
    """The minimum so far, and its index; see `cummax`."""
    return _extremum("le", x, dim, reverse)


def _check(x, name):
    require_tensor(x, name)
    # PyTorch scans a number as if it were a tensor of one element.
    return x.reshape(1) if x.dim() == 0 else x


def _cumulative(name, x, dim, dtype, reverse, exclusive, bidirectional, compensated):
    scalar = isinstance(x, torch.Tensor) and x.dim() == 0
    x = _check(x, "x")
    if dtype is None and not (x.dtype.is_floating_point or x.dtype.is_complex):
        dtype = torch.int64
    if dtype is not None and x.dtype != dtype:
        x = x.to(dtype)
    if bidirectional and reverse:
        raise ScanError("bidirectional returns both directions; leave reverse out")
    layout = Layout(tuple(x.shape), normalize_dim(dim, x.dim()))
    element = element_of(x.dtype, "x")
    if name == "logsumexp" and not is_float(element):
        raise ScanError(f"logcumsumexp is of real floating-point numbers, found {x.dtype}")
    if compensated and not is_float(element):
        raise ScanError(f"compensated sums are of real floating-point numbers, found {x.dtype}")
    text = _text(name, element, layout.has_columns, bool(reverse), bool(exclusive),
                 bool(bidirectional), bool(compensated))
    outputs = [layout.unfold(output) for output in _call.call_text(text, [layout.fold(x)])]
    if scalar:
        outputs = [output.reshape(()) for output in outputs]
    return tuple(outputs) if bidirectional else outputs[0]


def _extremum(predicate, x, dim, reverse):
    scalar = isinstance(x, torch.Tensor) and x.dim() == 0
    x = _check(x, "x")
    element = element_of(x.dtype, "x")
    if is_complex(element):
        raise ScanError(f"{x.dtype} numbers have no order")
    layout = Layout(tuple(x.shape), normalize_dim(dim, x.dim()))
    text = _extremum_text(predicate, element, layout.has_columns, bool(reverse))
    values, indices = (layout.unfold(output)
                       for output in _call.call_text(text, [layout.fold(x)]))
    if scalar:
        values, indices = values.reshape(()), indices.reshape(())
    return Extremum(values, indices)
