# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator of this package, `mlir_scan::call`, in a graph."""

import sympy

from ... import program as programs
from . import recognize
from .view import View, extents, same, same_shape
from .scans import aligned, associative
from .shapes import permuted


def _call(importer, args, kwargs):
    """The operator of this package: a program by its text."""
    inputs, text = args
    known = recognize.recognize(text)
    results = [importer.result(number) for number in range(len(importer.node.meta["val"]))]
    if known is not None:
        unfolded = _unfold(known, inputs, results)
        if unfolded is not None:
            return unfolded(importer)
    return _call_function(importer, inputs, text, results)


def _call_function(importer, inputs, text, results):
    """A call of the program as a private function, which is inlined later."""
    graph, module = importer.graph, programs.load(text).module
    entry = programs.load(text).entry
    signature = module.signature(entry)
    name = f"call{len(importer.functions)}"
    names, types = [], []
    for view, kind in zip(inputs, signature.inputs):
        wide = tuple("?" if extent is None else extent for extent in kind.shape)
        types.append(graph.type(view.element, wide))
        names.append(graph.cast(graph.materialize(view), view.element, view.shape, wide))
    outputs = [(kind.dtype, tuple("?" if extent is None else extent for extent in kind.shape))
               for kind in signature.outputs]
    call, count = graph.name(), len(outputs)
    graph.line(f"{call}{f':{count}' if count > 1 else ''} = func.call @{name}"
               f"({', '.join(names)}) : ({', '.join(types)}) -> "
               f"({', '.join(graph.type(*kind) for kind in outputs)})")
    importer.functions.append(recognize.renamed(str(module), entry, name))
    views = []
    for number, ((element, wide), (_, shape)) in enumerate(zip(outputs, results)):
        part = f"{call}#{number}" if count > 1 else call
        views.append(graph.tensor(graph.cast(part, element, wide, shape), element, shape))
    return views


def _unfold(known, inputs, results):
    """The scan over the tensors before they were folded to [N, T, C]; None if unknown.

    Results are reshapes to the folded shape, which the reshape that follows undoes.
    """
    leaf = inputs[1] if known.kind == "recurrence" else inputs[0]
    source = leaf.origin if leaf.origin is not None else leaf
    shape, folded = source.shape, leaf.shape
    dim = _scan_dim(shape, folded)
    if dim is None:
        return None

    def origin(view):
        return view.origin if view.origin is not None else view

    def fold(views):
        return [view if same_shape(view.shape, kind[1]) else View(
            view.element, kind[1], origin=view) for view, kind in zip(views, results)]

    if known.kind != "recurrence":
        views = [origin(view) for view in inputs]
        if not all(same_shape(view.shape, shape) for view in views):
            return None
        return lambda importer: fold([
            view for region, reverse, init, attributes in known.scans(importer.graph)
            for view in associative(importer, views, dim, region, reverse, init, attributes)])
    a = origin(inputs[0])
    state = (*shape[:dim], *shape[dim + 1:])
    if len(a.shape) != len(shape) or not all(
            same(mine, theirs) or mine == 1 and number != dim
            for number, (mine, theirs) in enumerate(zip(a.shape, shape))):
        return None
    if known.has_init and not same_shape(origin(inputs[2]).shape, state):
        return None
    if known.offsets and len(shape) != len(folded):
        return None
    init = origin(inputs[2]) if known.has_init else None
    return lambda importer: fold(_recurrence(importer, known, a, source, init, inputs[-1], dim,
                                             results))


def _scan_dim(shape, folded):
    """The dimension of `shape` that is the second one of the folded shape."""
    def product(part):
        result = sympy.Integer(1)
        for extent in part:
            result *= extent
        return result
    for dim, extent in enumerate(shape):
        if same(extent, folded[1]) and same(product(shape[:dim]), folded[0]) and (
                same(product(shape[dim + 1:]), folded[2]) if len(folded) == 3
                else dim + 1 == len(shape)):
            return dim
    return None


def _recurrence(importer, known, a, b, init, offsets, dim, results):
    graph = importer.graph
    a, b = graph.resolve(a), graph.resolve(b)
    # Where the coefficients are only repeated, they are read as of extent 1.
    if a.number is None and b.number is None:
        thin = tuple(extent if d == dim or d in a.map else 1 for d, extent in enumerate(a.shape))
        a = a.replace(shape=thin, origin=None)
    names, shape, axis, is_reverse, result = aligned(importer, [b], dim)
    order = result("", b.element).map
    if is_reverse:
        a = a.replace(flips=a.flips ^ {dim}) if dim in a.map else a
    a_shape = tuple(a.shape[place] for place in order)
    a_view = _permuted(a, order)
    names.insert(0, graph.materialize(a_view))
    element = b.element
    types = [graph.type(element, a_shape), graph.type(element, shape)]
    text = f"ins({', '.join(names)} : {', '.join(types)})"
    rest = [place - (place > dim) for place in order if place != dim]
    state_shape = tuple(extent for number, extent in enumerate(shape) if number != axis)
    if init is not None:
        if known.offsets:
            state_shape = (*shape[:axis], init.shape[dim], *shape[axis + 1:])
            rest = order
        init = _permuted(graph.resolve(init), rest)
        text += f" init({graph.materialize(init)} : {graph.type(element, state_shape)})"
    elif known.offsets:
        state_shape = (*shape[:axis], extents((offsets.shape[0] - 1,))[0], *shape[axis + 1:])
        rest = order
    if known.offsets:
        text += (f" segments({graph.materialize(offsets)} : "
                 f"{graph.type(offsets.element, offsets.shape)})")
    state = graph.type(element, state_shape)
    text = (f"scan.linear_recurrence {text} dim = {axis}"
            f"{' reverse' * (known.reverse != is_reverse)} -> {types[1]}")
    if not known.has_final:
        return [result(graph.op(text), element)]
    name = graph.name()
    graph.line(f"{name}:2 = {text}, {state}")
    last = View(element, tuple(state_shape[rest.index(d)] for d in range(len(rest))),
                f"{name}#1", state_shape, tuple(rest))
    return [result(f"{name}#0", element), last]


def _permuted(view, dims):
    return permuted(view, list(dims))


OPERATORS = {"mlir_scan.call": _call}
