# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `torch.compile` has to know of this package."""

import contextlib
import functools

import torch


def constant(function):
    """Has `torch.compile` call a function while it traces, and take the result as is.

    That is `torch.compiler.assume_constant_result`, without importing the compiler,
    which takes seconds and most processes never need.
    """
    @functools.wraps(function)
    def plain(*args):
        return function(*args)

    plain._dynamo_marked_constant = True
    return plain


def outside_of_modes():
    """A context in which tensors are real ones although somebody traces (`torch.export`)."""
    if not torch._C._len_torch_dispatch_stack():
        return contextlib.nullcontext()
    from torch.utils._python_dispatch import _disable_current_modes
    return _disable_current_modes()
