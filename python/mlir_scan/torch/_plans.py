# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call found out, for the next one with the same arguments but other numbers.

Checks, layout and program of a scan follow from shapes, dtypes and options. Looking them
up takes a fraction of the time that they take, which is what calls on small tensors
consist of.
"""

import torch

from ..program import load
from . import _call

_MAX_PLANS = 4096
_is_compiling = torch.compiler.is_compiling


class Plan:
    """A program, and the shapes in which it takes and gives tensors (None: as they are).

    Made from one call: the arguments as they were `given` and as the program has `taken`
    them, what it has `returned`, and the `results` that the caller got.
    """

    __slots__ = ("program", "taken", "results")

    def __init__(self, text, given, taken, returned, results):
        self.program = load(text)
        self.taken = [_shape_unless(inner, outer) for inner, outer in zip(taken, given)]
        self.results = [_shape_unless(outer, inner) for inner, outer in zip(returned, results)]

    def __call__(self, tensors):
        tensors = [tensor if shape is None else tensor.reshape(shape)
                   for tensor, shape in zip(tensors, self.taken)]
        return [output if shape is None else output.reshape(shape)
                for output, shape in zip(_call.call(self.program, tensors), self.results)]


class Plans:
    """Plans by what they depend on; all go when there are too many."""

    def __init__(self):
        self._plans = {}

    def find(self, key):
        """The plan for that key, None where there is none."""
        return self._plans.get(key)

    def keep(self, key, plan):
        """Keeps a plan. Other threads may do the same."""
        if len(self._plans) >= _MAX_PLANS:
            self._plans.clear()
        self._plans[key] = plan


def key_of(tensors, *options):
    """What a plan for plain tensors depends on; None for others and while somebody traces.

    Shapes are numbers then: of a subclass, or under a compiler, they may be symbols.
    """
    if _is_compiling() or not tensors:
        return None
    key = list(options)
    for tensor in tensors:
        if type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
            return None
        key += (tensor.shape, tensor.dtype, tensor.layout)
    # Which combine functions may ask for.
    key.append(tensors[0].get_device())
    return tuple(key)


def _shape_unless(tensor, other):
    """The tensor's shape, None where it is that of the other."""
    return None if tensor.shape == other.shape else tuple(tensor.shape)
