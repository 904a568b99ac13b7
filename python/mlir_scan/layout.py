# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layouts for every scan: [N, T] along the last dimension, [N, T, C] otherwise.

Dimensions before the scanned one become N, those behind it C, which copies nothing
where the tensor is dense. So one program serves all ranks, and N takes up what
`torch.func.vmap` adds.
"""

import math
from dataclasses import dataclass


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
