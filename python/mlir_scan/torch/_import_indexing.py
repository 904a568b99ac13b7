# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a graph that read or write elements at places that tensors hold."""

from ._graph import View, same
from ._import_views import sliced


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
    graph, (element, shape) = importer.graph, importer.result()
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
    lines += [*builder.lines, f"%at = arith.index_cast {values[0].name} : {values[0].type} to index"]
    at = [place if number != dim else "%at" for number, place in enumerate(at)]
    lines.append(f"%e = tensor.extract {source}[{', '.join(at)}] : "
                 f"{graph.type(element, view.shape)}")
    name = graph.generic(operands, element, shape, ["parallel"] * len(shape), range(len(shape)),
                         None, lines, "%e")
    return graph.tensor(name, element, shape)


OPERATORS = {"scatter": _scatter, "gather": _gather, "index_select": _index_select,
             "embedding": _embedding}
