"""Exports a function, imports the program, and compares its numbers on two targets."""

import torch
from torch.export import Dim

import mlir_scan.torch as scan


def data(*shape, seed=0, dtype=torch.float32):
    """Normally distributed numbers, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype)


class Wrapped(torch.nn.Module):
    """A function as a module, which torch.export wants."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def export(function, args, dims=None, **options):
    """The exported program; `dims` has for each argument its dynamic dimensions."""
    model = function if isinstance(function, torch.nn.Module) else Wrapped(function)
    shapes = None
    if dims is not None:
        shapes = tuple({dim: Dim.AUTO for dim in entry} or None for entry in dims)
        if not isinstance(function, torch.nn.Module):
            shapes = (shapes,)
    return torch.export.export(model, tuple(args), dynamic_shapes=shapes, **options)


def flat(outputs):
    """Tensors of a result, which may be one or several."""
    return list(torch.utils._pytree.tree_leaves(outputs))


def check(function, args, dims=None, others=(), rtol=None, atol=None):
    """The module of a function whose numbers are those of PyTorch, on CPU and interpreter.

    `others` are further lists of arguments, of other extents.
    """
    program = export(function, args, dims)
    module = scan.import_exported(program)
    module.verify()
    owned = list(scan.exported_arguments(program).values())
    for target in ("reference", "cpu"):
        compiled = module.compile("forward", target)
        for inputs in (args, *others):
            expected = flat(function(*inputs))
            found = [torch.from_dlpack(item) for item in compiled(
                *(item.detach() for item in (*inputs, *owned)))]
            assert [item.dtype for item in found] == [item.dtype for item in expected]
            torch.testing.assert_close(found, [item.detach() for item in expected],
                                       rtol=rtol, atol=atol, equal_nan=True)
    return module
