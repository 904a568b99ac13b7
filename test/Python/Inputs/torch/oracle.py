"""What scans mean, as loops over PyTorch's slices: what the tests compare with."""

import torch
from torch.utils import _pytree as pytree


def associative_scan(combine_fn, xs, dim, reverse=False):
    """The left fold, step by step, stacked along `dim`."""
    leaves, spec = pytree.tree_flatten(xs)
    steps = leaves[0].shape[dim]
    order = range(steps - 1, -1, -1) if reverse else range(steps)
    states, state = [None] * steps, None
    for step in order:
        new = [leaf.select(dim, step) for leaf in leaves]
        if state is None:
            state = new
        else:
            result = combine_fn(pytree.tree_unflatten(state, spec),
                                pytree.tree_unflatten(new, spec))
            state = pytree.tree_leaves(result)
        states[step] = state
    if not steps:
        return pytree.tree_unflatten([leaf.clone() for leaf in leaves], spec)
    stacked = [torch.stack([entry[number] for entry in states], dim)
               for number in range(len(leaves))]
    return pytree.tree_unflatten(stacked, spec)


def linear_recurrence(a, b, h0=None, dim=1, reverse=False, segments=None):
    """h[t] = a[t] h[t-1] + b[t]; the states, and the last one (one per segment)."""
    a = a.expand_as(b) if a.dim() == b.dim() else a.expand(b.shape)
    steps = b.shape[dim]
    bounds = [0, steps] if segments is None else segments.tolist()
    states, finals = [None] * steps, []
    for number, (start, end) in enumerate(zip(bounds[:-1], bounds[1:])):
        state = torch.zeros_like(b.select(dim, 0)) if steps else None
        if h0 is not None:
            state = h0 if segments is None else h0.select(dim, number)
        for step in (range(end - 1, start - 1, -1) if reverse else range(start, end)):
            state = a.select(dim, step) * state + b.select(dim, step)
            states[step] = state
        finals.append(state)
    h = torch.stack(states, dim) if steps else b.clone()
    return h, (finals[0] if segments is None else torch.stack(finals, dim))
