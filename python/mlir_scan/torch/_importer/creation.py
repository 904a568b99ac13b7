# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that a graph makes of numbers: constants, fills, sequences, triangles."""

from ...scalar import Value, is_complex, literal, part_of
from .view import View
from .shapes import with_units


def constant(importer, tensor):
    """The view of a small tensor that becomes part of the program."""
    element, shape = importer.element(tensor.dtype), tuple(tensor.shape)
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if plain.numel() == 1:
        return View(element, shape, number=plain.item())
    graph = importer.graph
    part = part_of(element)
    if is_complex(element):
        def text(number):
            return f"({literal(number.real, part)},{literal(number.imag, part)})"
    else:
        def text(number):
            return literal(number, element)

    def nested(items):
        return f"[{', '.join(map(nested, items))}]" if isinstance(items, list) else text(items)

    if not plain.numel():
        return graph.tensor(graph.empty(element, shape), element, shape)
    name = graph.op(f"arith.constant dense<{nested(plain.tolist())}> : "
                    f"{graph.type(element, shape)}")
    return graph.tensor(name, element, shape)


def _full(number):
    def emit(importer, args, kwargs):
        element, shape = importer.result()
        return View(element, shape, number=args[1] if number is None else number)
    return emit


def _full_like(importer, args, kwargs):
    return _number(importer, args[1])


def _new_full(importer, args, kwargs):
    return _number(importer, args[2])


def _scalar_tensor(importer, args, kwargs):
    return _number(importer, args[0])


def _number(importer, number):
    element, shape = importer.result()
    if isinstance(number, (bool, int, float, complex)):
        return View(element, shape, number=number)
    return importer.graph.elementwise(shape, element, [number],
                                      lambda b, x: b.cast(x, element))


def iota(importer, shape, dim, element="i64", start=0, step=1):
    """The index along a dimension, times step, plus start."""
    graph = importer.graph
    operands, values, builder = graph.reads(
        [item for item in (start, step) if not isinstance(item, (int, float))], [()] * 2, shape)
    values = iter(values)
    wide = "f64" if isinstance(start, float) or isinstance(step, float) else "i64"
    at = builder.cast(Value("%step", "i64"), wide)
    first, by = (builder.constant(item, wide) if isinstance(item, (int, float)) else
                 builder.cast(next(values), wide) for item in (start, step))
    if step != 1:
        at = builder.mul(at, by)
    if start != 0:
        at = builder.add(at, first)
    result = builder.cast(at, element)
    lines = [f"%i = linalg.index {dim} : index", "%step = arith.index_cast %i : index to i64",
             *builder.lines]
    name = graph.generic(operands, element, shape, ["parallel"] * len(shape),
                         range(len(shape)), None, lines, result.name)
    return graph.tensor(name, element, tuple(shape))


def _arange(importer, args, kwargs):
    element, shape = importer.result()
    start, step = 0, 1
    if len(args) > 1:
        start = args[0]
    if len(args) > 2:
        step = args[2]
    return iota(importer, shape, 0, element, start, step)


def _triangle(keeps):
    """tril and triu: elements are kept where `keeps` of column - row and diagonal holds."""
    def emit(importer, args, kwargs):
        view = args[0]
        rank, diagonal = len(view.shape), args[1] if len(args) > 1 else 0
        row = iota(importer, view.shape[-2:-1], 0)
        column = iota(importer, view.shape[-1:], 0)
        row = with_units(row, {1}, (*row.shape, 1))
        return importer.graph.elementwise(
            view.shape, view.element, [view, row, column],
            lambda b, x, i, j: b.select(
                b.compare(keeps, b.sub(j, i), b.constant(diagonal, "i64")), x,
                b.constant(0, view.element))) if rank >= 2 else importer.fail("rank below 2")
    return emit


OPERATORS = {
    "zeros": _full(0), "ones": _full(1), "full": _full(None), "empty": _full(0),
    "new_zeros": _full(0), "new_ones": _full(1), "new_empty": _full(0), "new_full": _new_full,
    "zeros_like": _full(0), "ones_like": _full(1), "empty_like": _full(0),
    "full_like": _full_like, "scalar_tensor": _scalar_tensor, "arange": _arange,
    "tril": _triangle("le"), "triu": _triangle("ge"),
}
