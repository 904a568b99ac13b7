# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`associative_scan` and `linear_recurrence` for JAX."""

import jax
from jax import numpy as jnp

from .. import proof, texts
from ..errors import ScanError
from ..layout import Layout, fit_coefficients, normalize_dim
from ._primitive import call
from ._trace import TraceError, element_of, trace_combine

__all__ = ["TraceError", "associative_scan", "linear_recurrence"]


def associative_scan(fn, elems, reverse=False, axis=0, *, check_associativity=True):
    """Scans a pytree of arrays with an associative operator, as jax.lax.associative_scan.

    Args:
        fn: takes two pytrees like `elems`, of arrays that have the scanned axis, with
            any extent, and returns one like them. Must be associative and consist of
            elementwise operations.
        elems: a pytree of arrays of one shape, on the CPU or on CUDA devices; float16,
            bfloat16, float32, float64, complex64, complex128, int8 to int64, bool; they
            may differ. float16 and bfloat16 accumulate in float32.
        reverse: scan from the last element to the first. The accumulated value is the
            left argument in both directions, as in jax.lax.associative_scan.
        axis: the axis to scan. Any extent, symbolic ones included.
        check_associativity: evaluate `fn`, when it is first seen, on some hundred random
            triples, and raise an error if it is not associative by more than rounding
            explains. `mlir_scan.prove` says what they do not: that it is.
            (SCAN_CHECK_ASSOCIATIVITY=0 in the environment turns all checks off.)

    Returns:
        A pytree like `elems`. Differentiable any number of times in reverse and forward
        mode.

    Raises:
        TraceError: (a ScanError) `fn` does what a scan cannot; names file and line.
        ScanError: leaves that do not fit each other, or a dtype that scans do not have.
        AssociativityError: (a ScanError) a triple refutes `fn`.
    """
    if not callable(fn):
        raise ScanError(f"fn: expected a function, found {type(fn).__name__}")
    leaves, tree = jax.tree_util.tree_flatten(elems)
    if not leaves:
        raise ScanError("elems: expected at least one array, found a tree without leaves")
    leaves = [jnp.asarray(leaf) for leaf in leaves]
    shape = leaves[0].shape
    for number, leaf in enumerate(leaves):
        if leaf.shape != shape:
            raise ScanError(f"elems: leaf 0 has the shape {shape}, leaf {number} {leaf.shape}; "
                            "expected one shape: broadcast them")
    if not shape:
        raise ScanError("elems: expected arrays of rank 1 or more, found numbers")
    dim = normalize_dim(axis, len(shape))
    layout = Layout(shape, dim)
    # Of the scanned axis any part is a call of fn; one element stands for all.
    sample = tuple(1 if number == dim else 2 for number in range(len(shape)))
    elements, region = trace_combine(fn, tree, [leaf.dtype for leaf in leaves], sample)
    text = texts.associative(tuple(elements), region, layout.has_columns, bool(reverse))
    if check_associativity:
        proof.check(text, "fn")
    outputs = call(text, *(layout.fold(leaf) for leaf in leaves))
    return jax.tree_util.tree_unflatten(tree, [layout.unfold(output) for output in outputs])


def proof_text(fn, example):
    """The program whose operator `mlir_scan.prove` asks about; None for other examples."""
    leaves, tree = jax.tree_util.tree_flatten(example)
    if not leaves or not all(isinstance(leaf, (jax.Array, jax.ShapeDtypeStruct))
                             for leaf in leaves):
        return None
    shape = leaves[0].shape
    for number, leaf in enumerate(leaves):
        if leaf.shape != shape:
            raise ScanError(f"example: leaf 0 has the shape {shape}, leaf {number} "
                            f"{leaf.shape}; expected one shape")
    elements, region = trace_combine(fn, tree, [leaf.dtype for leaf in leaves], shape or (1,))
    return texts.associative(tuple(elements), region, False, False)


def linear_recurrence(a, b, h0=None, axis=1, reverse=False, segments=None,
                      return_final_state=False):
    """The recurrence ``h[t] = a[t] * h[t-1] + b[t]`` along `axis`.

    Args:
        a: the coefficients, of the shape of `b` or broadcast to it; an extent of 1 on
            the axes before or behind `axis` is repeated without being copied.
        b: the inputs, ``[..., T, ...]``.
        h0: the state before the first step, of `b`'s shape without `axis`; zero if None.
        axis: the axis of time; negative ones count from the end.
        reverse: from the last step to the first, ``h[t] = a[t] * h[t+1] + b[t]``.
        segments: offsets of packed sequences, ``[S + 1]`` of int32 or int64: 0, where
            each sequence ends, and last T (``cu_seqlens``). Each sequence starts anew;
            `h0` and the final state then have extent S in the place of `axis`.
        return_final_state: return ``(h, last)``, with the state after the last step.

    Returns:
        An array of `b`'s shape, or a pair. Differentiable with respect to a, b and h0, any
        number of times (with segments and h0, once). float16 and bfloat16 accumulate in float32; operands of different
        dtypes are promoted as JAX does.

    Raises:
        ScanError: shapes or dtypes that do not fit.
        jax.errors.JaxRuntimeError: (on the CPU) offsets that are none, when the results
            are there.
    """
    arrays = [jnp.asarray(item) for item in (a, b) + (() if h0 is None else (h0,))]
    dtype = jnp.result_type(*arrays)
    a, b, *initial = (item.astype(dtype) for item in arrays)
    element = element_of(dtype, "b")
    if element == "i1":
        raise ScanError("a recurrence of booleans has no multiplication; convert them to int32")
    if not b.shape:
        raise ScanError("b has no axis to scan; expected rank 1 or more")
    layout = Layout(b.shape, normalize_dim(axis, b.ndim))
    shape, full, repeated = fit_coefficients(a.shape, layout)
    a = Layout(full, layout.dim).fold(jnp.broadcast_to(a.reshape(shape), full))
    inputs = [a, layout.fold(b)]
    offsets = None if segments is None else _offsets(segments)
    if initial:
        inputs.append(_initial(initial[0], layout, offsets))
    if offsets is not None:
        inputs.append(offsets)
    text = texts.linear_recurrence(
        element, layout.has_columns, repeated, bool(initial),
        None if offsets is None else element_of(offsets.dtype, "segments"), bool(reverse),
        bool(return_final_state))
    outputs = call(text, *inputs)
    h = layout.unfold(outputs[0])
    if not return_final_state:
        return h
    if offsets is None:
        return h, outputs[1].reshape(layout.state_shape)
    return h, layout.unfold(outputs[1], offsets.shape[0] - 1)


def _offsets(segments):
    offsets = jnp.asarray(segments)
    if offsets.ndim != 1 or offsets.dtype not in (jnp.int32, jnp.int64):
        raise ScanError("segments: expected offsets, an array [S + 1] of int32 or int64; found "
                        f"{offsets.dtype} of shape {offsets.shape}")
    if offsets.shape[0] == 0:
        raise ScanError("segments: expected at least one offset (S + 1 for S sequences), "
                        "found none")
    return offsets


def _initial(h0, layout, offsets):
    if offsets is None:
        if h0.shape != layout.state_shape:
            raise ScanError(f"h0 has the shape {h0.shape}; expected b's without the axis "
                            f"{layout.dim}, {layout.state_shape}")
        return layout.fold_state(h0)
    count = offsets.shape[0] - 1
    expected = (*layout.shape[:layout.dim], count, *layout.shape[layout.dim + 1:])
    if h0.shape != expected:
        raise ScanError(f"h0 has the shape {h0.shape}; with {count} segments expected {expected}, "
                        "one state per sequence in the place of time")
    return Layout(expected, layout.dim).fold(h0)
