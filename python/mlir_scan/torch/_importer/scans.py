# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans of a graph: cumulative functions and PyTorch's higher-order operators.

A scan runs along a dimension of the tensors as they lie: what PyTorch moves to the
front for its operators, or flips for `reverse`, is moved and flipped back.
"""

import sympy

from ...scalar import ScalarBuilder, Value
from .affine import make_affine
from .view import View, extents, is_static, same
from .creation import iota
from .elementwise import combine_region
from .shapes import expanded, permuted, with_units, without


def dims_of(rank, dims):
    """Dimensions of a reduction, counted from the front; all without any."""
    if dims is None or dims == []:
        return list(range(rank))
    return [dim % max(rank, 1) for dim in (dims if isinstance(dims, list) else [dims])]


def pair_region(elements, builder, results):
    """The region of a scan whose step `builder` has computed, from %acc0... and %new0...."""
    names = [f"%{side}{number}: {element}" for side in ("acc", "new")
             for number, element in enumerate(elements)]
    types = ", ".join(result.type for result in results)
    return "\n".join([f"  ^bb0({', '.join(names)}):", *builder.lines,
                      f"    scan.yield {', '.join(result.name for result in results)} : {types}"])


def aligned(importer, views, dim):
    """Tensors to scan along a dimension, and how the result is seen.

    Returns names, shape and dimension of the tensors, whether the scan runs in reverse,
    and a function from a name and a type to the view of a result.
    """
    graph = importer.graph
    views = [graph.resolve(view) if view.number is None else
             graph.tensor(graph.materialize(view), view.element, view.shape) for view in views]
    first = views[0]
    rank = len(first.shape)
    is_reverse = all(dim in view.flips for view in views)
    views = [graph.unflip(view) if view.flips - {dim} or (dim in view.flips) != is_reverse
             else view.replace(flips=frozenset()) for view in views]
    order = tuple(place for place in first.map if place is not None)
    if sorted(order) == list(range(rank)) and len(first.map) == rank \
            and all(view.map == order for view in views):
        names, shape = [view.base for view in views], first.base_shape
    else:
        order = tuple(range(rank))
        names, shape = [graph.materialize(view) for view in views], first.shape
    flips = frozenset([dim] if is_reverse else [])

    def result(name, element):
        return View(element, tuple(first.shape), name, tuple(shape), order, flips)
    return names, tuple(shape), order.index(dim), is_reverse, result


def associative(importer, views, dim, region, reverse=False, init="", attributes="",
                final=False):
    """scan.associative over views of one shape; views of its results, or final states."""
    graph = importer.graph
    elements = [view.element for view in views]
    names, shape, axis, is_reverse, result = aligned(importer, views, dim)
    types = [graph.type(element, shape) for element in elements]
    states = [graph.type(element, (*shape[:axis], *shape[axis + 1:])) for element in elements]
    outputs = types + states * final
    name, count = graph.name(), len(outputs)
    graph.lines += [
        f"  {name}{f':{count}' if count > 1 else ''} = scan.associative ins({', '.join(names)} : "
        f"{', '.join(types)}){init} dim = {axis}{' reverse' * (reverse != is_reverse)}"
        f"{attributes} {{"]
    graph.lines += [line if line.lstrip().startswith("^") else line + graph.location
                    for line in region.split("\n")]
    graph.lines.append(f"  }} -> {', '.join(outputs)}{graph.location}")
    results = [f"{name}#{number}" if count > 1 else name for number in range(count)]
    if not final:
        return [result(name, element) for name, element in zip(results, elements)]
    views = []
    for name, element in zip(results[len(types):], elements):
        whole = result(name, element)
        # The state has the dimensions of the scan but for one.
        kept = [place for place in whole.map if place != dim]
        view = View(element, tuple(e for d, e in enumerate(whole.shape) if d != dim), name,
                    (*shape[:axis], *shape[axis + 1:]),
                    tuple(place - (place > dim) for place in kept))
        views.append(view)
    return views


# ---- cumulative functions --------------------------------------------------------


def _cumulative(method):
    def emit(importer, args, kwargs):
        element, shape = importer.result()
        view = importer.graph.convert(args[0], element)
        if not shape:
            return view
        builder = ScalarBuilder()
        step = getattr(builder, method)(Value("%acc0", element), Value("%new0", element))
        region = pair_region([element], builder, [step])
        return associative(importer, [view], args[1] % len(shape), region)[0]
    return emit


def _cumulative_extremum(predicate):
    def emit(importer, args, kwargs):
        view, rank = args[0], len(args[0].shape)
        if not rank:
            return [view, View("i64", (), number=0)]
        dim, element = args[1] % rank, view.element
        builder = ScalarBuilder()
        acc, new = Value("%acc0", element), Value("%new0", element)
        takes = builder.bitwise("or", builder.compare(predicate, new, acc), builder.is_nan(new))
        results = [builder.select(takes, new, acc),
                   builder.select(takes, Value("%new1", "i64"), Value("%acc1", "i64"))]
        steps = with_units(iota(importer, view.shape[dim:dim + 1], 0), set(range(rank)) - {dim},
                           tuple(view.shape[d] if d == dim else 1 for d in range(rank)))
        return associative(importer, [view, expanded(steps, view.shape)], dim,
                           pair_region([element, "i64"], builder, results))
    return emit


# ---- PyTorch's higher-order operators ---------------------------------------------


def _higher_order_associative(importer, args, kwargs):
    module, leaves, captured = args[0], args[1], (args[2] if len(args) > 2 else [])
    if captured:
        importer.fail("the combine function captures tensors; pass them in as leaves")
    # Symbols that PyTorch has not related may stand for one extent: that is checked when
    # the program runs.
    if not all(len(leaf.shape) == len(leaves[0].shape) and all(
            same(mine, theirs) or not is_static(mine) and not is_static(theirs)
            for mine, theirs in zip(leaf.shape, leaves[0].shape)) for leaf in leaves):
        importer.fail("leaves of different shapes; expand them to one")
    region = combine_region(importer, module, [leaf.element for leaf in leaves])
    return associative(importer, leaves, 0, region)


def _higher_order_scan(importer, args, kwargs):
    """A loop over slices: carries and stacked outputs are its iteration arguments."""
    module, inits, sequences, captured = args
    graph, values = importer.graph, importer.node.meta["val"]
    steps = sequences[0].shape[0]
    sequences = [graph.resolve(view) for view in sequences]
    names = [graph.materialize(view) for view in inits]
    kinds = [(view.element, view.shape) for view in inits]
    # Outputs lie as the sequences do, so that a scan along them needs no transposition.
    place = _time_axis(sequences[0])
    for value in values[len(inits):]:
        element, (time, *rest) = importer.element(value.dtype), extents(value.shape)
        axis = min(place, len(rest))
        kinds.append((element, (*rest[:axis], time, *rest[axis:])))
        names.append(graph.empty(*kinds[-1]))
    types = [graph.type(*kind) for kind in kinds]
    zero, one, count = graph.size(0), graph.size(1), graph.size(steps)
    loop, index = graph.name("loop"), graph.name("i")
    # A loop over flipped sequences runs in reverse over what they are views of.
    is_reverse = all(0 in view.flips for view in sequences)
    if is_reverse:
        sequences = [view.replace(flips=view.flips - {0}) for view in sequences]
    inner = [graph.name("c") for _ in names]
    pairs = ", ".join(f"{mine} = {name}" for mine, name in zip(inner, names))
    graph.open(f"{loop}:{len(names)} = scf.for {index} = {zero} to {count} step {one} "
               f"iter_args({pairs}) -> ({', '.join(types)}) {{")
    if is_reverse:
        last = graph.size(sympy.sympify(steps) - 1)
        index = graph.op(f"arith.subi {last}, {index} : index")
    carried = [graph.tensor(name, *kind) for name, kind in zip(inner, kinds)]
    slices = [_slice_at(importer, view, index, steps) for view in sequences]
    outputs = importer.inline(make_affine(module, len(inits)),
                              [*carried[:len(inits)], *slices, *captured])
    results = []
    for number, (output, (element, shape)) in enumerate(zip(outputs, kinds)):
        if output.element != element:
            importer.fail(f"the function returns {output.element} where {element} goes in")
        if number < len(inits):
            results.append(graph.materialize(output))
        else:
            results.append(_write_at(importer, output, inner[number], shape, index,
                                     min(place, len(shape) - 1)))
    graph.line(f"scf.yield {', '.join(results)} : {', '.join(types)}")
    graph.close()
    loops = [graph.tensor(f"{loop}#{number}", *kind) for number, kind in enumerate(kinds)]
    stacked = []
    for view in loops[len(inits):]:
        axis = min(place, len(view.shape) - 1)
        view = permuted(view, [axis, *(d for d in range(len(view.shape)) if d != axis)])
        stacked.append(view.replace(flips=frozenset([0] if is_reverse else [])))
    return loops[:len(inits)] + stacked


def _time_axis(view):
    """Where time lies in the base of a sequence whose other dimensions are in order."""
    rest = [place for place in view.map if place != 0]
    return view.map.index(0) if 0 in view.map and rest == list(range(1, len(view.shape))) else 0


def _slice_at(importer, view, index, steps):
    """The slice of a view at an index of its first dimension."""
    graph = importer.graph
    if view.number is not None or 0 not in view.map:
        return without(view.replace(shape=(1, *view.shape[1:])), {0})
    if 0 in view.flips:
        last = graph.size(sympy.sympify(steps) - 1)
        index = graph.op(f"arith.subi {last}, {index} : index")
        view = view.replace(flips=view.flips - {0})
    axis = view.map.index(0)
    offsets = ["0"] * len(view.base_shape)
    offsets[axis] = index
    sizes = [graph.mixed(extent) for extent in view.base_shape]
    sizes[axis] = "1"
    rest = (*view.base_shape[:axis], *view.base_shape[axis + 1:])
    name = graph.op(
        f"tensor.extract_slice {view.base}[{', '.join(offsets)}] [{', '.join(sizes)}] "
        f"[{', '.join('1' * len(offsets))}] : {graph.type(view.element, view.base_shape)} to "
        f"{graph.type(view.element, rest)}")
    places = [place for number, place in enumerate(view.map) if number != axis]
    return View(view.element, view.shape[1:], name, rest,
                tuple(None if place is None else place - 1 for place in places),
                frozenset(dim - 1 for dim in view.flips))


def _write_at(importer, output, name, shape, index, axis):
    """A tensor with a slice written at an index of a dimension."""
    graph = importer.graph
    source = graph.materialize(output)
    offsets, sizes = ["0"] * len(shape), [graph.mixed(extent) for extent in shape]
    offsets[axis], sizes[axis] = index, "1"
    return graph.op(
        f"tensor.insert_slice {source} into {name}[{', '.join(offsets)}] [{', '.join(sizes)}] "
        f"[{', '.join('1' * len(shape))}] : {graph.type(output.element, output.shape)} into "
        f"{graph.type(output.element, shape)}")


OPERATORS = {
    "cumsum": _cumulative("add"), "cumprod": _cumulative("mul"),
    "logcumsumexp": _cumulative("log_add_exp"), "cummax": _cumulative_extremum("ge"),
    "cummin": _cumulative_extremum("le"),
    "higher_order.associative_scan": _higher_order_associative,
    "higher_order.scan": _higher_order_scan,
}
