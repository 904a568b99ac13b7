# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs over tensors, on the device where they are."""

import torch

from .. import _core
from ..errors import ScanError


def _plain(tensor):
    """The tensor as memory: without gradient, lazy conjugation and lazy negation."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return tensor.detach() if tensor.requires_grad else tensor


def run(program, inputs):
    """The results of a program, a list of new tensors. Not differentiable."""
    first = inputs[0]
    if first.is_cpu:
        try:
            # Which reads tensors with gradients and lazy views itself.
            return list(_core.call_torch(program.executable, inputs))
        except TypeError:
            _check_devices(inputs)
            raise
    _check_devices(inputs)
    if first.is_cuda:
        return _launch(program, [_plain(tensor) for tensor in inputs], first.device.index)
    raise ScanError(f"tensors on '{first.device.type}' are not supported; expected 'cpu' or "
                    "'cuda'")


def _check_devices(inputs):
    device = inputs[0].device
    for number, tensor in enumerate(inputs):
        if tensor.device != device:
            raise ScanError(f"tensor 0 is on {device}, tensor {number} on {tensor.device}; "
                            "move them to one device")


def _launch(program, tensors, ordinal):
    """Launches the kernels on PyTorch's current stream of that GPU."""
    if ordinal != torch.cuda.current_device():
        # A launch selects its GPU for the thread; PyTorch's own choice comes back.
        with torch.cuda.device(ordinal):
            return _launch(program, tensors, ordinal)
    # Kernels read dense arrays.
    dense = [tensor.contiguous() for tensor in tensors]
    return _in_own_memory(program.kernels(ordinal)(*dense), dense)


def _in_own_memory(results, arguments):
    """The results, each in memory of its own: a program may return an argument as it is."""
    taken = set(map(id, arguments))
    owned = []
    for result in results:
        if id(result) in taken:
            result = result.clone()
        taken.add(id(result))
        owned.append(result)
    return owned
