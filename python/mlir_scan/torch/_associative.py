# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`associative_scan`, with the signature of PyTorch's operator."""

import functools
import warnings

import torch
from torch.utils import _pytree as pytree

from .. import proof, texts
from ..errors import ScanError
from ..layout import Layout, normalize_dim
from . import _call, _fallback
from ._compile import constant, outside_of_modes
from ._dtypes import element_of, require_tensor
from ._keys import key_of as function_key
from ._plans import Plan, Plans, key_of
from ._trace import TraceError, flatten_like, trace_combine

# Program texts by what they depend on; the oldest goes when there are too many.
_texts = {}
_MAX_TEXTS = 4096
_plans = Plans()


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise", *,
                     init=None, return_final_state=False, check_associativity=True):
    """Scans a pytree of tensors along `dim` with an associative operator.

    ``y[0] = x[0]; y[t] = combine_fn(y[t-1], x[t])``, or with `reverse` from the last
    element to the first, ``y[t] = combine_fn(y[t+1], x[t])``. The accumulated value is
    the left argument in both directions; the operator need not commute.

    Args:
        combine_fn: takes two pytrees like `xs`, of slices without the dimension `dim`,
            and returns one with the same tree, dtypes and shapes. Must be associative,
            at least up to rounding.
        xs: a pytree of tensors (the leaves), all of one shape ``[..., T, ...]``, on the
            CPU or on one CUDA device, with any strides. Dtypes: float16, bfloat16,
            float32, float64, complex64, complex128, int8 to int64, bool; they may
            differ. float16 and bfloat16 accumulate in float32.
        dim: the dimension to scan; negative ones count from the end. Any extent T.
        reverse: scan from the last element to the first.
        combine_mode: "pointwise" compiles `combine_fn`, which must consist of pointwise
            operations, and refuses what it cannot compile. "generic" never refuses:
            what cannot be compiled runs through PyTorch's operations, with one warning,
            by O(T) calls' worth of work in O(log T) batched calls.
        init: the state to start from, a pytree like `xs` of tensors without the dimension
            `dim`, such as the final state of the chunk before: the first result is
            ``combine_fn(init, x[0])``, or ``combine_fn(init, x[T-1])`` with `reverse`.
        return_final_state: return ``(ys, state)``, with the state after the last step, a
            pytree like `init`. That of an empty scan is `init`, or zero without one.
        check_associativity: evaluate `combine_fn`, when it is first seen, on some hundred
            random triples, and raise an error if it is not associative by more than
            rounding explains. `mlir_scan.prove` says what they do not: that it is.
            (SCAN_CHECK_ASSOCIATIVITY=0 in the environment turns all checks off.)

    Returns:
        A pytree like `xs` of new tensors, or a pair. Differentiable with respect to all
        leaves and to `init`, any number of times.

    Raises:
        TraceError: (a ScanError) the combine function does what a scan cannot; names
            file and line, and the way out.
        ScanError: leaves that do not fit each other, or a dtype that scans do not have.
        AssociativityError: (a ScanError) a triple refutes `combine_fn`.

    Example:
        >>> a, b = torch.rand(8, 1024, 64), torch.rand(8, 1024, 64)
        >>> def combine(x, y):
        ...     return y[0] * x[0], y[0] * x[1] + y[1]
        >>> products, states = associative_scan(combine, (a, b), dim=1)
        >>> ys, state = associative_scan(combine, (a, b), 1, return_final_state=True)
        >>> more, state = associative_scan(combine, (a, b), 1, init=state,
        ...                                return_final_state=True)  # the chunk after it
        >>> state = associative_scan_step(combine, state, (a[:, 0], b[:, 0]))
    """
    if combine_mode not in ("pointwise", "generic"):
        raise ScanError('combine_mode: expected "pointwise" or "generic", found '
                        f"{combine_mode!r}")
    if not callable(combine_fn):
        raise ScanError(f"combine_fn: expected a function, found {type(combine_fn).__name__}")
    leaves, tree = _flatten(xs)
    states = None if init is None else _flatten_init(init, tree, len(leaves))
    given = leaves if states is None else leaves + states
    key = _plan_key(combine_fn, given, tree, dim, reverse, combine_mode, states is None,
                    return_final_state, check_associativity)
    plan = None if key is None else _plans.find(key)
    if plan is not None:
        return _results(plan(given), len(leaves), tree, return_final_state)
    shape = _check_leaves(leaves, combine_mode)
    if shape is None:
        return _run_generic(combine_fn, leaves, tree, dim, reverse, states, return_final_state,
                            "leaves of different shapes")
    dim = normalize_dim(dim, len(shape))
    layout = Layout(tuple(shape), dim)
    dtypes = tuple(leaf.dtype for leaf in leaves)
    if states is not None:
        _check_init(states, leaves, dim)
    form = (layout.has_columns, bool(reverse), states is not None, bool(return_final_state))
    try:
        text = _text(combine_fn, tree, dtypes, layout.state_shape, leaves[0].device, form,
                     bool(check_associativity))
    except TraceError as error:
        if combine_mode == "pointwise":
            raise
        return _run_generic(combine_fn, leaves, tree, dim, reverse, states, return_final_state,
                            str(error))
    inputs = [layout.fold(leaf) for leaf in leaves]
    if states is not None:
        inputs += [layout.fold_state(state) for state in states]
    outputs = _call.call_text(text, inputs)
    count = len(leaves)
    results = [layout.unfold(output) for output in outputs[:count]]
    results += [layout.unfold_state(output) for output in outputs[count:]]
    if key is not None:
        _plans.keep(key, Plan(text, given, inputs, outputs, results))
    return _results(results, count, tree, return_final_state)


def _plan_key(combine_fn, tensors, *options):
    """What a call depends on, None where that is not known: the function has no key."""
    key = key_of(tensors, *options)
    if key is None:
        return None
    function = function_key(combine_fn)
    return None if function is None else (function, key)


def _results(tensors, count, tree, with_state):
    """The results as the caller gets them: those of the leaves, then the states."""
    ys = _unflatten(tensors[:count], tree)
    return (ys, _unflatten(tensors[count:], tree)) if with_state else ys


def associative_scan_step(combine_fn, state, xs, combine_mode="pointwise", *,
                          check_associativity=True):
    """One step of a scan, ``combine_fn(state, xs)``: decoding after `associative_scan`.

    Args:
        combine_fn, combine_mode, check_associativity: those of the `associative_scan`.
        state: a pytree of tensors without the scanned dimension, such as the final state
            of an `associative_scan`.
        xs: a pytree like `state`: the elements of this step.

    Returns:
        The next state, a pytree like `state` of new tensors. Differentiable. On the CPU it
        has, bit for bit, the numbers of one scan over all steps; float16 and bfloat16 are
        rounded at each step, which one scan does with its results alone.

    Raises:
        What `associative_scan` raises.
    """
    leaves, tree = _flatten(xs)
    for number, leaf in enumerate(leaves):
        require_tensor(leaf, f"leaf {number} of xs")
    # Where there are columns, they stay the last dimension.
    dim = 1 if all(leaf.dim() > 1 for leaf in leaves) else 0
    rows = _unflatten([leaf.unsqueeze(dim) for leaf in leaves], tree)
    return associative_scan(combine_fn, rows, dim, False, combine_mode,
                            init=state, return_final_state=True,
                            check_associativity=check_associativity)[1]


def _flatten(xs):
    """The leaves of a tree, and what `_unflatten` makes a tree of; quick for plain ones."""
    kind = type(xs)
    if kind is torch.Tensor:
        return [xs], None
    if (kind is tuple or kind is list) and all(type(item) is torch.Tensor for item in xs):
        return list(xs), (kind, len(xs))
    return pytree.tree_flatten(xs)


def _unflatten(leaves, tree):
    if tree is None:
        return leaves[0]
    if type(tree) is tuple:
        return leaves if tree[0] is list else tuple(leaves)
    return pytree.tree_unflatten(leaves, tree)


def _check_leaves(leaves, combine_mode):
    """The shape of all leaves; None where "generic" has to do with several."""
    if not leaves:
        raise ScanError("xs: expected at least one tensor, found a tree without leaves")
    for number, leaf in enumerate(leaves):
        require_tensor(leaf, f"leaf {number} of xs")
        if leaf.dim() == 0:
            raise ScanError(f"xs: leaf {number} has no dimension to scan; expected rank 1 or more")
    shape = leaves[0].shape
    for number, leaf in enumerate(leaves):
        if leaf.shape != shape:
            if combine_mode == "generic":
                return None
            raise ScanError(
                f"xs: leaf 0 has the shape {tuple(shape)}, leaf {number} {tuple(leaf.shape)}; "
                "combine_mode=\"pointwise\" takes leaves of one shape: expand them, or use "
                "combine_mode=\"generic\"")
    return shape


def _flatten_init(init, tree, count):
    """The leaves of `init` in the order of those of `xs`."""
    states, init_tree = _flatten(init)
    if init_tree != tree:
        states = flatten_like(init, _unflatten(list(range(count)), tree), "init", ScanError)
    for number, state in enumerate(states):
        require_tensor(state, f"leaf {number} of init")
    return states


def _check_init(states, leaves, dim):
    for number, (state, leaf) in enumerate(zip(states, leaves)):
        expected = (*leaf.shape[:dim], *leaf.shape[dim + 1:])
        if tuple(state.shape) != expected or state.dtype != leaf.dtype:
            raise ScanError(
                f"init: leaf {number} is {state.dtype} of shape {tuple(state.shape)}; expected "
                f"{leaf.dtype} of shape {expected}, that of the leaf of xs without the scanned "
                "dimension")


def _text(combine_fn, tree, dtypes, slice_shape, device, form, checks):
    """The program's text, from the cache where what it depends on is known.

    `form` is what `texts.associative` takes beside the region; `checks`: raise an error if
    random triples refute the function.
    """
    if torch.compiler.is_dynamo_compiling():
        # The leaves' numbers stand for them; their extents are symbols, which programs
        # do not depend on.
        pattern = _unflatten(list(range(len(dtypes))), tree)
        return _constant_text(combine_fn, pattern, dtypes, len(slice_shape), device.type, form,
                              checks)
    return _cached_text(combine_fn, tree, dtypes, tuple(slice_shape), device, form, checks)


@constant
def _constant_text(combine_fn, pattern, dtypes, rank, device, form, checks):
    tree = pytree.tree_structure(pattern)
    text, reads_sizes = _build(combine_fn, tree, dtypes, (2,) * rank, torch.device(device), form)
    if reads_sizes:
        raise TraceError("the combine function reads the extents of its arguments, which "
                         "torch.compile has as symbols; pass them in as numbers")
    if checks:
        proof.check(text, "combine_fn")
    return text


def _cached_text(combine_fn, tree, dtypes, slice_shape, device, form, checks=False):
    function = function_key(combine_fn)
    key = (function, tree, dtypes, len(slice_shape), device, form, checks)
    text = None if function is None else _texts.get(key, _texts.get((key, slice_shape)))
    if text is not None:
        return text
    text, reads_sizes = _build(combine_fn, tree, dtypes, slice_shape, device, form)
    if checks:
        proof.check(text, "combine_fn")
    if function is not None:
        if len(_texts) >= _MAX_TEXTS:
            _texts.pop(next(iter(_texts)), None)
        _texts[(key, slice_shape) if reads_sizes else key] = text
    return text


def proof_text(combine_fn, example):
    """The program whose operator `mlir_scan.prove` asks about; None for other examples."""
    leaves, tree = _flatten(example)
    if not leaves or not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
        return None
    _check_same_shape(leaves)
    return _build(combine_fn, tree, tuple(leaf.dtype for leaf in leaves),
                  tuple(leaves[0].shape), leaves[0].device, (False, False, False, False))[0]


def _check_same_shape(leaves):
    for number, leaf in enumerate(leaves):
        if leaf.shape != leaves[0].shape:
            raise ScanError(f"example: leaf 0 has the shape {tuple(leaves[0].shape)}, leaf "
                            f"{number} {tuple(leaf.shape)}; expected one shape")


def _build(combine_fn, tree, dtypes, slice_shape, device, form):
    elements = [element_of(dtype, f"leaf {number} of xs") for number, dtype in enumerate(dtypes)]
    spec = pytree.tree_structure(_unflatten(list(range(len(dtypes))), tree))
    with outside_of_modes():
        region, reads_sizes = trace_combine(combine_fn, spec, dtypes, slice_shape, device)
    return texts.associative(elements, region, *form), reads_sizes


@functools.lru_cache(maxsize=256)
def _warn_once(reason):
    warnings.warn(f"associative_scan runs through PyTorch's operations: {reason}", stacklevel=4)


def _run_generic(combine_fn, leaves, tree, dim, reverse, states, return_final_state, reason):
    ranks = {leaf.dim() for leaf in leaves}
    dim = normalize_dim(dim, min(ranks))
    if len({leaf.shape[dim] for leaf in leaves}) != 1:
        raise ScanError("xs: the leaves have different extents along dim: "
                        f"{[tuple(leaf.shape) for leaf in leaves]}")
    if states is not None:
        _check_init(states, leaves, dim)
    if not torch.compiler.is_compiling():
        _warn_once(reason)
    spec = pytree.tree_structure(_unflatten(list(range(len(leaves))), tree))
    outputs = _fallback.associative_scan(combine_fn, leaves, spec, dim, bool(reverse), states)
    ys = _unflatten(outputs, tree)
    if not return_final_state:
        return ys
    if leaves[0].shape[dim]:
        finals = [output.select(dim, 0 if reverse else -1).clone() for output in outputs]
    elif states is not None:
        finals = [state.clone() for state in states]
    else:
        finals = [leaf.new_zeros((*leaf.shape[:dim], *leaf.shape[dim + 1:])) for leaf in leaves]
    return ys, _unflatten(finals, tree)
