# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layouts for every scan: [N, T] along the last dimension, [N, T, C] otherwise.

Dimensions before the scanned one become N, those behind it C, which copies nothing
where the tensor is dense. So one program serves all ranks, and N takes up what
`torch.func.vmap` adds.
"""

import math
from dataclasses import dataclass

from .errors import ScanError


def normalize_dim(dim, rank):
    """A dimension counted from the front; IndexError if there is none."""
    if not -rank <= dim < rank:
        raise IndexError(f"expected dim in [{-rank}, {rank - 1}], found {dim}")
    return dim % rank


@dataclass(frozen=True)
class Layout:
    """How tensors of one shape are seen."""

    shape: tuple
    dim: int

    @property
    def has_columns(self):
        """Whether the layout is [N, T, C]."""
        return self.dim + 1 < len(self.shape)

    @property
    def dims(self):
        """The canonical shape."""
        front, steps = math.prod(self.shape[:self.dim]), self.shape[self.dim]
        if not self.has_columns:
            return (front, steps)
        return (front, steps, math.prod(self.shape[self.dim + 1:]))

    @property
    def is_canonical(self):
        """Whether tensors of `shape` are in the layout as they are."""
        return self.dim == 1 and len(self.shape) <= 3

    def fold(self, tensor):
        """A tensor of `shape` in the canonical layout."""
        return tensor if self.is_canonical else tensor.reshape(self.dims)

    def unfold(self, tensor, steps=None):
        """Back from the canonical layout; `steps` stands in the scan dimension's place."""
        if self.is_canonical:
            return tensor
        shape = self.shape
        if steps is not None:
            shape = (*shape[:self.dim], steps, *shape[self.dim + 1:])
        return tensor.reshape(shape)

    @property
    def state_shape(self):
        """The shape without the scan dimension."""
        return (*self.shape[:self.dim], *self.shape[self.dim + 1:])

    def fold_state(self, tensor):
        """A tensor of `state_shape` in the canonical layout, [N] or [N, C]."""
        if self.is_canonical:
            return tensor
        front, _, *columns = self.dims
        return tensor.reshape((front, *columns))

    def unfold_state(self, tensor):
        """A state in the canonical layout as one of `state_shape`."""
        return tensor if self.is_canonical else tensor.reshape(self.state_shape)


def fit_coefficients(shape, layout):
    """How coefficients of `shape` are broadcast to the shape of a layout.

    Returns their shape with leading ones, the shape to expand them to, and whether
    dimensions in front and behind the scanned one stay 1 and are repeated without a copy.
    Raises ScanError where they do not fit.
    """
    target, dim = layout.shape, layout.dim
    if len(shape) > len(target):
        raise ScanError(f"a has the shape {tuple(shape)}, b {target}; expected a to be "
                        "broadcast to b")
    shape = (1,) * (len(target) - len(shape)) + tuple(shape)
    for number, (mine, theirs) in enumerate(zip(shape, target)):
        if mine != theirs and mine != 1:
            raise ScanError(f"a has the shape {shape}, b {target}: extents {mine} and {theirs} of "
                            f"dimension {number} do not fit")
    repeated = tuple(len(part) > 0 and all(shape[d] == 1 for d in part)
                     and any(target[d] != 1 for d in part)
                     for part in (range(dim), range(dim + 1, len(target))))
    full = tuple(target[d] if d == dim or not repeated[0 if d < dim else 1] else 1
                 for d in range(len(target)))
    return shape, full, repeated
