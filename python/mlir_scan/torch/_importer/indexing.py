# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a graph that read or write elements at places that tensors hold."""

from .view import View, same
from .shapes import expanded, sliced, with_units


def _scatter(importer, args, kwargs):
    """scatter.value and scatter.src: one after the other, the last one counts."""
    view, dim, index, source = args[:4]
    if kwargs.get("reduce") or len(args) > 4:
        importer.fail("a scatter that combines values; only plain ones can be imported")
    graph, (element, shape) = importer.graph, importer.result()
    if not shape:
        importer.fail("a scatter into a tensor of rank 0")
    if isinstance(source, View):
        for d, extent in enumerate(index.shape):
            if not same(source.shape[d], extent):
                source = sliced(importer, source, d, 0, extent)
        source = graph.convert(source, element)
        text = graph.materialize(source)
        kind = graph.type(element, source.shape)
    else:
        text, kind = graph.scalar(source, element), element
    name = graph.op(
        f"scan.scatter {text} into {graph.materialize(view)} at {graph.materialize(index)} "
        f"dim = {dim % len(shape)} : {kind} into {graph.type(element, shape)} at "
        f"{graph.type(index.element, index.shape)}")
    return graph.tensor(name, element, shape)


def _gather(importer, args, kwargs):
    """Elements at computed places of one dimension: gather."""
    view, dim, index = args[:3]
    element, shape = importer.result()
    dim = dim % max(len(shape), 1)
    return _read_at(importer, view, index, range(len(shape)), dim, shape, element,
                    [f"%i{d}" for d in range(len(shape))])


def _index_select(importer, args, kwargs):
    view, dim, index = args
    element, shape = importer.result()
    dim = dim % max(len(shape), 1)
    return _read_at(importer, view, index, [dim], dim, shape, element,
                    [f"%i{d}" for d in range(len(shape))])


def _embedding(importer, args, kwargs):
    view, index = args[:2]
    element, shape = importer.result()
    rank = len(shape)
    return _read_at(importer, view, index, range(rank - 1), 0, shape, element,
                    ["", f"%i{rank - 1}"])


def _read_at(importer, view, index, loops, dim, shape, element, at):
    """view[at], where the index along `dim` is read from a tensor over some loops."""
    graph = importer.graph
    source, index = graph.materialize(view), graph.unflip(graph.resolve(index))
    operands, values, builder = graph.reads([index], [list(loops)], shape)
    lines = [f"%i{d} = linalg.index {d} : index" for d in range(len(shape))]
    lines += builder.lines
    lines.append(f"%at = arith.index_cast {values[0].name} : {values[0].type} to index")
    at = [place if number != dim else "%at" for number, place in enumerate(at)]
    lines.append(f"%e = tensor.extract {source}[{', '.join(at)}] : "
                 f"{graph.type(element, view.shape)}")
    name = graph.generic(operands, element, shape, ["parallel"] * len(shape), range(len(shape)),
                         None, lines, "%e")
    return graph.tensor(name, element, shape)


def _index(importer, args, kwargs):
    """x[:, i, j]: index tensors of one shape, side by side or alone."""
    view, indices = args
    graph, (element, shape) = importer.graph, importer.result()
    places = [number for number, index in enumerate(indices) if index is not None]
    tensors = [graph.unflip(graph.resolve(indices[place])) for place in places]
    if any(index.element == "i1" for index in tensors):
        importer.fail("a mask as index, whose result has no fixed size; use torch.where")
    count = max(len(index.shape) for index in tensors)
    # Where the dimensions of the index tensors stand in the result.
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    labels = [list(range(first + count - len(index.shape), first + count)) for index in tensors]
    operands, values, builder = graph.reads(tensors, labels, shape)
    lines, at = [f"%i{d} = linalg.index {d} : index" for d in range(len(shape))], {}
    for place, value in zip(places, values):
        at[place] = f"%at{place}"
        lines += _wrapped(importer, builder, value, view.shape[place], at[place])
    rest = iter([d for d in range(len(shape)) if not first <= d < first + count])
    names = ", ".join(at[d] if d in at else f"%i{next(rest)}" for d in range(len(view.shape)))
    source = graph.materialize(view)
    lines.append(f"%e = tensor.extract {source}[{names}] : {graph.type(element, view.shape)}")
    name = graph.generic(operands, element, shape, ["parallel"] * len(shape), range(len(shape)),
                         None, lines, "%e")
    return graph.tensor(name, element, shape)


def _wrapped(importer, builder, value, extent, name):
    """Lines that make a place of an index, which counts from the end if it is negative."""
    lines, builder.lines = builder.lines, []
    size = importer.graph.size(extent)
    return [*lines, f"{name}r = arith.index_cast {value.name} : {value.type} to index",
            f"{name}s = arith.addi {name}r, {size} : index",
            f"{name}c = arith.cmpi slt, {name}r, {importer.graph.size(0)} : index",
            f"{name} = arith.select {name}c, {name}s, {name}r : index"]


def _index_put(importer, args, kwargs):
    """y[:, i] = v for one index tensor of rank 1, as a scatter."""
    view, indices, source = args[:3]
    graph, (element, shape) = importer.graph, importer.result()
    places = [number for number, index in enumerate(indices) if index is not None]
    if (args[3] if len(args) > 3 else False) or len(places) != 1 \
            or len(indices[places[0]].shape) != 1 or indices[places[0]].element == "i1":
        importer.fail("an assignment to elements other than by one index tensor of rank 1; use "
                      "torch.where or scatter")
    dim, (index,) = places[0], [indices[place] for place in places]
    index = graph.convert(index, "i64")
    index = graph.elementwise(index.shape, "i64", [index, shape[dim]] if not isinstance(
        shape[dim], int) else [index], lambda b, i, n=None: b.select(
            b.compare("lt", i, b.constant(0, "i64")),
            b.add(i, b.constant(shape[dim], "i64") if n is None else n), i))
    wide = (*shape[:dim], index.shape[0], *shape[dim + 1:])
    thin = tuple(extent if d == dim else 1 for d, extent in enumerate(wide))
    index = expanded(with_units(index, set(range(len(wide))) - {dim}, thin), wide)
    source = graph.convert(expanded(graph.resolve(source), wide), element)
    return _scatter(importer, [view, dim, index, source], {})


OPERATORS = {
    "index": _index, "index_put": _index_put, "scatter": _scatter, "gather": _gather,
    "index_select": _index_select, "embedding": _embedding,
}
