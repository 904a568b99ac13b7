# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs over tensors, on the device where they are."""

import torch

from .. import _core
from ..errors import ScanError

_call_torch = _core.call_torch


def run(program, inputs):
    """The results of a program, a list of new tensors. Not differentiable.

    Every call takes this way, so that what is refused is looked for only once something
    has failed. The exchange of tensors sees their elements, whether they require
    gradients or not, and resolves lazy conjugation and negation.
    """
    first = inputs[0]
    try:
        if first.is_cpu:
            return list(_call_torch(_executable(program, inputs), inputs))
        if first.is_cuda:
            return _launch(program, inputs, first.get_device())
    except TypeError:
        _require_one_device(inputs)
        raise
    _require_one_device(inputs)
    raise ScanError(f"tensors on '{first.device.type}' are not supported; expected 'cpu' or "
                    "'cuda'")


def _strides(tensors):
    """What tensors a program has to be compiled for in order to read these where they are."""
    strides = "none"
    for tensor in tensors:
        if not tensor.is_contiguous():
            if tensor.stride(-1) != 1 and tensor.shape[-1] != 1:
                return "any"
            strides = "outer"
    return strides


def _executable(program, tensors):
    strides = _strides(tensors)
    if strides == "none":
        return program.compiled or program.executable
    return program.strided_executable(strides)


def _require_one_device(inputs):
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
    kernels = program.kernels(ordinal, _strides(tensors))
    return _in_own_memory(kernels(*tensors), tensors)


def _in_own_memory(results, arguments):
    """The results, each in memory of its own: a program may return an argument, or two
    views of one buffer."""
    owned, taken = [], set(map(id, arguments))
    for result in results:
        if id(result) in taken or result._is_view():
            result = result.clone(memory_format=torch.contiguous_format)
        taken.add(id(result))
        owned.append(result)
    return owned
