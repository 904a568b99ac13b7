# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`linear_recurrence` and its step."""

import torch

from .. import texts
from ..errors import ScanError
from ..layout import Layout, fit_coefficients, normalize_dim
from . import _call
from ._compile import constant
from ._dtypes import element_of, require_tensor
from ._plans import Plan, Plans, key_of

_text = constant(texts.linear_recurrence)
_plans = Plans()


def linear_recurrence(a, b, h0=None, dim=1, reverse=False, segments=None,
                      return_final_state=False):
    """The recurrence ``h[t] = a[t] * h[t-1] + b[t]`` along `dim`.

    Args:
        a: the coefficients, of the shape of `b` or broadcast to it; an extent of 1 in
            a dimension other than `dim` is repeated without being copied.
        b: the inputs, ``[..., T, ...]``.
        h0: the state before the first step, of `b`'s shape without `dim`; zero if None.
        dim: the dimension of time; negative ones count from the end.
        reverse: from the last step to the first, ``h[t] = a[t] * h[t+1] + b[t]``.
        segments: offsets of packed sequences, ``[S + 1]`` of int32 or int64: 0, where
            each sequence ends, and last T (``cu_seqlens``). Each sequence starts anew;
            `h0` and the final state then have extent S in the place of `dim`.
        return_final_state: return ``(h, last)``, with the state after the last step.

    Returns:
        A new tensor of `b`'s shape, or a pair. Differentiable with respect to a, b and
        h0, any number of times. float16 and bfloat16 accumulate in float32; operands
        of different dtypes are promoted as PyTorch does.

    Raises:
        ScanError: shapes, dtypes or devices that do not fit; on the CPU also offsets
            that are none.

    Example:
        >>> h, last = linear_recurrence(a, b, h0, return_final_state=True)  # [B, T, C]
        >>> h2 = linear_recurrence(a2, b2, last)                # the chunk after it
    """
    given = [item for item in (a, b, h0, segments) if item is not None]
    key = key_of(given, dim, reverse, h0 is None, segments is None, return_final_state)
    plan = None if key is None else _plans.find(key)
    if plan is not None:
        outputs = plan(given)
        return tuple(outputs) if return_final_state else outputs[0]
    a, b, h0 = _promote(a, b, h0)
    shape = b.shape
    if not shape:
        raise ScanError("b has no dimension to scan; expected rank 1 or more")
    layout = Layout(tuple(shape), normalize_dim(dim, len(shape)))
    a, repeated = _coefficients(a, layout)
    inputs = [a, layout.fold(b)]
    if segments is not None:
        _check_segments(segments)
    if h0 is not None:
        inputs.append(_initial(h0, layout, segments))
    if segments is not None:
        inputs.append(segments)
    offsets = None if segments is None else element_of(segments.dtype, "segments")
    text = _text(element_of(b.dtype, "b"), layout.has_columns, repeated, h0 is not None,
                 offsets, bool(reverse), bool(return_final_state))
    outputs = _call.call_text(text, inputs)
    results = [layout.unfold(outputs[0])]
    if return_final_state:
        results.append(layout.unfold_state(outputs[1]) if segments is None else
                       layout.unfold(outputs[1], segments.shape[0] - 1))
    if key is not None and given[0].shape == shape and given[0].dtype == given[1].dtype \
            and (h0 is None or given[2].dtype == h0.dtype):
        _plans.keep(key, Plan(text, given, inputs, outputs, results))
    return tuple(results) if return_final_state else results[0]


def linear_recurrence_step(h, a, b):
    """One step, ``a * h + b``: decoding a token after `linear_recurrence`.

    Args:
        h: the state ``[...]``, such as the final state of a `linear_recurrence`.
        a, b: coefficients and inputs of the step, of `h`'s shape; `a` may be broadcast.

    Returns:
        The next state, with the numbers that `linear_recurrence` over the longer
        sequence has for its last step on the CPU, bit for bit.
    """
    a, b, h = _promote(a, b, h)
    if b.dim() == 0:
        return linear_recurrence(a.reshape(1), b.reshape(1), h, dim=0).reshape(())
    last = b.dim() == 1
    return linear_recurrence(a.unsqueeze(0 if last else 1), b.unsqueeze(0 if last else 1), h,
                             dim=0 if last else 1).squeeze(0 if last else 1)


def _promote(a, b, h0):
    require_tensor(a, "a")
    require_tensor(b, "b")
    if h0 is not None:
        require_tensor(h0, "h0")
    if a.dtype != b.dtype or (h0 is not None and h0.dtype != b.dtype):
        dtype = torch.promote_types(a.dtype, b.dtype)
        if h0 is not None:
            dtype = torch.promote_types(dtype, h0.dtype)
            h0 = h0.to(dtype)
        a, b = a.to(dtype), b.to(dtype)
    if b.dtype == torch.bool:
        raise ScanError("a recurrence of booleans has no multiplication; convert them to int32")
    return a, b, h0


def _coefficients(a, layout):
    """The coefficients in the layout, and where extents of 1 are repeated there."""
    if a.shape == layout.shape:
        return layout.fold(a), (False, False)
    shape, full, repeated = fit_coefficients(tuple(a.shape), layout)
    return Layout(full, layout.dim).fold(a.reshape(shape).expand(full)), repeated


def _check_segments(segments):
    if not isinstance(segments, torch.Tensor) or segments.dim() != 1 \
            or segments.dtype not in (torch.int32, torch.int64):
        found = (f"{segments.dtype} of shape {tuple(segments.shape)}"
                 if isinstance(segments, torch.Tensor) else type(segments).__name__)
        raise ScanError(f"segments: expected offsets, a tensor [S + 1] of int32 or int64; "
                        f"found {found}")
    if segments.shape[0] < 1:
        raise ScanError("segments: expected at least one offset (S + 1 for S sequences), "
                        "found none")


def _initial(h0, layout, segments):
    if segments is None:
        if tuple(h0.shape) != tuple(layout.state_shape):
            raise ScanError(f"h0 has the shape {tuple(h0.shape)}; expected b's without the "
                            f"dimension {layout.dim}, {tuple(layout.state_shape)}")
        return layout.fold_state(h0)
    count = segments.shape[0] - 1
    expected = (*layout.shape[:layout.dim], count, *layout.shape[layout.dim + 1:])
    if tuple(h0.shape) != expected:
        raise ScanError(f"h0 has the shape {tuple(h0.shape)}; with {count} segments expected "
                        f"{expected}, one state per sequence in the place of time")
    return Layout(expected, layout.dim).fold(h0)
