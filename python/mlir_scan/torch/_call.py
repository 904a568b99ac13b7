# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls programs: eagerly, and as the operator `mlir_scan::call`.

Eager code and `torch.func` go through `autograd.Function`, the shorter way.
`torch.compile` and `torch.export` see the registered operator, whose arguments are the
tensors and the program's text; its derivative is the same operator with the text of
the derivative.
"""

import torch

from ..program import load
from . import _run
from ._dtypes import DTYPES

# What comes after autograd, which in calls of compiled code is the backend.
_AFTER_AUTOGRAD = getattr(torch._C, "_after_ADInplaceOrView_keyset", None)
_BACKENDS = (torch._C.DispatchKey.CPU, torch._C.DispatchKey.CUDA)


class _Library(torch.library.Library):
    """PyTorch's, but for a shorter way through the kernel that it makes for autograd.

    Where no gradient is wanted and nobody else has to see the call, that kernel goes
    through the dispatcher once more, which takes as long as all the rest of a small call.
    """

    def impl(self, name, function, dispatch_key="", **options):
        if dispatch_key == "Autograd" and _AFTER_AUTOGRAD is not None:
            function = _shorten(function)
        return super().impl(name, function, dispatch_key, **options)


def _shorten(kernel):
    def call_or_record(keyset, inputs, program):
        if ((keyset & _AFTER_AUTOGRAD).highestPriorityTypeId() in _BACKENDS
                and not (torch.is_grad_enabled() and any(item.requires_grad for item in inputs))):
            return _run.run(load(program), inputs)
        return kernel(keyset, inputs, program)
    return call_or_record


_library = _Library("mlir_scan", "DEF")
_library.define("call(Tensor[] inputs, str program) -> Tensor[]")
# By names of this module: each look-up in another one is a guard of compiled code.
_call_operator = torch.ops.mlir_scan.call.default
_is_compiling = torch.compiler.is_compiling


def _differentiable(dtype):
    return dtype.is_floating_point or dtype.is_complex


def _dtypes(program):
    return [DTYPES[element] for element in program.elements]


class _Eager(torch.autograd.Function):
    """A program with its derivative, for eager tensors."""

    @staticmethod
    def forward(ctx, program, *inputs):
        outputs = _run.run(program, inputs)
        ctx.program = program
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
        fixed = [output for output, dtype in zip(outputs, _dtypes(program))
                 if not _differentiable(dtype)]
        if fixed:
            ctx.mark_non_differentiable(*fixed)
        return tuple(outputs)

    @staticmethod
    def backward(ctx, *cotangents):
        needed = ctx.needs_input_grad[1:]
        return (None, *_gradients(ctx.program, ctx.saved_tensors, needed, cotangents, call))


class _Transformed(torch.autograd.Function):
    """The same for `torch.func`, which takes the context apart and asks for a vmap rule."""

    @staticmethod
    def forward(program, *inputs):
        return tuple(_run.run(program, inputs))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.program = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.set_materialize_grads(False)
        fixed = [tensor for tensor in output if not _differentiable(tensor.dtype)]
        if fixed:
            ctx.mark_non_differentiable(*fixed)

    backward = _Eager.backward

    @staticmethod
    def vmap(info, in_dims, program, *inputs):
        return _batch(info.batch_size, in_dims[1:], program, inputs, call)


def _gradients(program, inputs, needed, cotangents, caller):
    """The gradient for each input, None where none is needed or nothing comes."""
    results = tuple(number for number, cotangent in enumerate(cotangents)
                    if cotangent is not None and _differentiable(DTYPES[program.elements[number]]))
    arguments = tuple(number for number, need in enumerate(needed)
                      if need and _differentiable(inputs[number].dtype))
    gradients = [None] * len(inputs)
    if results and arguments:
        derivative = program.vjp(arguments, results)
        values = caller(derivative, [*inputs, *(cotangents[number] for number in results)])
        for number, value in zip(arguments, values):
            gradients[number] = value
    return gradients


_PLAIN = {torch.Tensor, torch.nn.Parameter}


def _needs_operator(inputs):
    """Whether somebody traces, who has to see an operator."""
    return torch._C._len_torch_dispatch_stack() > 0 or not _PLAIN.issuperset(map(type, inputs))


def _operator(program, inputs):
    return _call_operator(list(inputs), program.text)


def call(program, inputs):
    """The program's results for these tensors, differentiable."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return list(_Transformed.apply(program, *inputs))
    if torch.compiler.is_compiling() or _needs_operator(inputs):
        return _operator(program, inputs)
    if torch.is_grad_enabled():
        for item in inputs:
            if item.requires_grad:
                return _Eager.apply(program, *inputs)
    return _run.run(program, inputs)


def call_text(text, inputs):
    """`call` for a program's text; what `torch.compile` traces."""
    if _is_compiling():
        return _call_operator(inputs, text)
    return call(load(text), inputs)


@torch.library.impl(_library, "call", "CompositeExplicitAutograd")
def _call(inputs, program):
    return _run.run(load(program), inputs)


@torch.library.register_fake("mlir_scan::call", lib=_library)
def _fake(inputs, program):
    program = load(program)
    shapes = program.shapes([item.shape for item in inputs])
    return [inputs[0].new_empty(shape, dtype=dtype)
            for shape, dtype in zip(shapes, _dtypes(program))]


def _setup_context(ctx, inputs, output):
    tensors, program = inputs
    ctx.program = program
    ctx.needed = [tensor.requires_grad for tensor in tensors]
    ctx.save_for_backward(*tensors)
    ctx.set_materialize_grads(False)


def _backward(ctx, cotangents):
    gradients = _gradients(load(ctx.program), ctx.saved_tensors, ctx.needed, cotangents,
                           _operator)
    return gradients, None


torch.library.register_autograd("mlir_scan::call", _backward, setup_context=_setup_context,
                                lib=_library)


def _batch(size, dims, program, inputs, caller):
    """The results for `size` sets of inputs, and where each result has that dimension.

    Where a program's first dimension is a batch, the new one merges into it; other
    programs are called for each set.
    """
    if not program.batch:
        sets = [[item if dim is None else item.select(dim, number)
                 for item, dim in zip(inputs, dims)] for number in range(size)]
        columns = zip(*(caller(program, items) for items in sets))
        outputs = tuple(torch.stack(column) for column in columns)
        return outputs, (0,) * len(outputs)
    merged = []
    for item, dim in zip(inputs, dims):
        moved = item.expand(size, *item.shape) if dim is None else item.movedim(dim, 0)
        merged.append(moved.reshape(size * moved.shape[1], *moved.shape[2:]))
    outputs = tuple(output.reshape(size, output.shape[0] // max(size, 1), *output.shape[1:])
                    for output in caller(program, merged))
    return outputs, (0,) * len(outputs)


def _vmap(info, in_dims, inputs, program):
    outputs, dims = _batch(info.batch_size, in_dims[0], load(program), inputs, _operator)
    return list(outputs), list(dims)


torch.library.register_vmap("mlir_scan::call", _vmap, lib=_library)
