# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An associative scan of PyTorch operations, for functions that are not scalar code.

Recursive doubling over pairs: neighbours are combined, the half as long sequence is
scanned, and the elements between follow from it (Blelloch, *Prefix Sums and Their
Applications*, 1990; `jax.lax.associative_scan` goes the same way). It combines fewer
than 2 T elements, in O(log T) calls of the function under `torch.vmap`.
"""

import torch
from torch.utils import _pytree as pytree

from ..errors import ScanError
from ._trace import flatten_like


def associative_scan(combine_fn, leaves, spec, dim, reverse, states=None):
    """The results, one for each leaf, differentiable by autograd.

    `states` are those to start from, without `dim`.
    """
    pattern = pytree.tree_unflatten(list(range(len(leaves))), spec)

    def combine(left, right):
        def one(left, right):
            result = combine_fn(pytree.tree_unflatten(list(left), spec),
                                pytree.tree_unflatten(list(right), spec))
            outputs = flatten_like(result, pattern)
            for number, output in enumerate(outputs):
                if not isinstance(output, torch.Tensor):
                    raise ScanError(f"the combine function returns {type(output).__name__} for "
                                    f"leaf {number}; expected a tensor")
            return tuple(outputs)
        outputs = torch.vmap(one)(tuple(left), tuple(right))
        for number, (output, leaf) in enumerate(zip(outputs, left)):
            if output.dtype != leaf.dtype or output.shape[1:] != leaf.shape[1:]:
                raise ScanError(
                    f"the combine function returns {output.dtype} of shape "
                    f"{tuple(output.shape[1:])} for leaf {number}; expected {leaf.dtype} of "
                    f"shape {tuple(leaf.shape[1:])}")
        return list(outputs)

    moved = [leaf.movedim(dim, 0) for leaf in leaves]
    if reverse:
        moved = [leaf.flip(0) for leaf in moved]
    if states is not None and moved[0].shape[0]:
        first = combine([state[None] for state in states], [leaf[:1] for leaf in moved])
        moved = [torch.cat((start, leaf[1:])) for start, leaf in zip(first, moved)]
    outputs = _scan(combine, moved)
    if reverse:
        outputs = [output.flip(0) for output in outputs]
    return [output.movedim(0, dim).contiguous() for output in outputs]


def _scan(combine, leaves):
    steps = leaves[0].shape[0]
    if steps < 2:
        return [leaf.clone() for leaf in leaves]
    pairs = combine([leaf[0:steps - 1:2] for leaf in leaves], [leaf[1::2] for leaf in leaves])
    odd = _scan(combine, pairs)
    rest = (steps - 1) // 2
    even = [leaf[:1] for leaf in leaves]
    if rest:
        later = combine([part[:rest] for part in odd], [leaf[2::2] for leaf in leaves])
        even = [torch.cat((first, part)) for first, part in zip(even, later)]
    return [_interleave(first, second) for first, second in zip(even, odd)]


def _interleave(even, odd):
    """even[0], odd[0], even[1], ...; `even` has as many elements or one more."""
    count = odd.shape[0]
    both = torch.stack((even[:count], odd), 1).flatten(0, 1)
    return both if even.shape[0] == count else torch.cat((both, even[count:]))
