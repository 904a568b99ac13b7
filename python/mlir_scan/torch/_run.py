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
    device = inputs[0].device
    for number, tensor in enumerate(inputs):
        if tensor.device != device:
            raise ScanError(f"tensor 0 is on {device}, tensor {number} on {tensor.device}; "
                            "move them to one device")
    plain = [_plain(tensor) for tensor in inputs]
    if device.type == "cpu":
        return list(_core.call_torch(program.executable, plain))
    if device.type == "cuda":
        # Kernels read dense arrays; launches go to PyTorch's current stream.
        results = program.kernels(device.index)(*(tensor.contiguous() for tensor in plain))
        return list(results)
    raise ScanError(f"tensors on '{device.type}' are not supported; expected 'cpu' or 'cuda'")
