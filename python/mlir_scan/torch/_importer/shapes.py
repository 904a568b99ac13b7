# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a graph that move elements or make tensors of numbers."""

import sympy
from torch.utils._sympy.functions import Max, Min

from ...scalar import part_of
from .view import View, extents, is_static, same, same_shape


def _dim(rank, dim):
    return dim % max(rank, 1)


# ---- what stays in the view ---------------------------------------------------


def permuted(view, dims):
    """The view with dimension dims[i] as its i-th."""
    place = {dim: number for number, dim in enumerate(dims)}
    return view.replace(
        shape=tuple(view.shape[dim] for dim in dims),
        map=tuple(None if dim is None else place[dim] for dim in view.map),
        flips=frozenset(place[dim] for dim in view.flips), origin=None)


def expanded(view, shape):
    """The view repeated to a shape, of the same or a higher rank."""
    lead = len(shape) - len(view.shape)
    if view.number is not None:
        return view.replace(shape=tuple(shape))
    gone = {dim for dim, extent in enumerate(view.shape)
            if extent == 1 and shape[dim + lead] != 1}
    return view.replace(
        shape=tuple(shape),
        map=tuple(None if dim is None or dim in gone else dim + lead for dim in view.map),
        flips=frozenset(dim + lead for dim in view.flips - gone), origin=None)


def with_units(view, dims, shape):
    """The view with the dimensions `dims` of a shape added, whose extents are 1."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    return view.replace(
        shape=tuple(shape), map=tuple(None if dim is None else kept[dim] for dim in view.map),
        flips=frozenset(kept[dim] for dim in view.flips), origin=None)


def without(view, dims):
    """The view without the dimensions `dims`, whose extents are 1."""
    kept = [dim for dim in range(len(view.shape)) if dim not in dims]
    return view.replace(
        shape=tuple(view.shape[dim] for dim in kept),
        map=tuple(None if dim is None or dim in dims else kept.index(dim) for dim in view.map),
        flips=frozenset(kept.index(dim) for dim in view.flips if dim not in dims), origin=None)


def _permute(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    return permuted(view, [_dim(len(view.shape), dim) for dim in args[1]])


def _transpose(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    rank = len(view.shape)
    dims = list(range(rank))
    one, two = (args[1:] if len(args) > 1 else (0, 1))
    if rank > 1:
        one, two = _dim(rank, one), _dim(rank, two)
        dims[one], dims[two] = dims[two], dims[one]
    return permuted(view, dims)


def _movedim(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    rank = len(view.shape)
    source, target = ([_dim(rank, dim) for dim in (item if isinstance(item, list) else [item])]
                      for item in args[1:3])
    dims = [dim for dim in range(rank) if dim not in source]
    for place, dim in sorted(zip(target, source)):
        dims.insert(place, dim)
    return permuted(view, dims)


def _expand(importer, args, kwargs):
    return expanded(importer.graph.resolve(args[0]), importer.result()[1])


def _unsqueeze(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    shape = importer.result()[1]
    return with_units(view, {_dim(len(shape), args[1])}, shape)


def _squeeze(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    rank = len(view.shape)
    dims = range(rank) if len(args) < 2 else args[1] if isinstance(args[1], list) else [args[1]]
    return without(view, {dim % rank for dim in dims if rank and view.shape[dim % rank] == 1})


def _reshape(importer, args, kwargs):
    view, shape = args[0], importer.result()[1]
    if len(args) > 1 and isinstance(args[1], list) and len(args[1]) == len(shape):
        # What the caller says is a number, PyTorch may have as an expression.
        shape = tuple(wanted if is_static(wanted) and wanted != -1 else extent
                      for wanted, extent in zip(args[1], shape))
    source = view.origin or view
    if same_shape(source.shape, shape):
        return source
    if view.number is not None:
        return view.replace(shape=shape)
    # Extents of 1 come and go without being written.
    plain = importer.graph.resolve(view) if view.origin is None else source
    if plain.origin is None:
        kept = [extent for extent in plain.shape if extent != 1]
        if same_shape(kept, [extent for extent in shape if extent != 1]):
            units = {dim for dim, extent in enumerate(plain.shape) if extent == 1}
            return with_units(without(plain, units),
                              {dim for dim, extent in enumerate(shape) if extent == 1}, shape)
    return View(view.element, shape, origin=source)


def _flip(importer, args, kwargs):
    view = importer.graph.resolve(args[0])
    if view.number is not None:
        return view
    dims = {_dim(len(view.shape), dim) for dim in args[1]}
    varying = {dim for dim in dims if dim in view.map}
    return view.replace(flips=view.flips ^ varying, origin=None)


# ---- slices and what is put together -----------------------------------------


def sliced(importer, view, dim, start, length, step=1):
    """The elements start, start + step, ... of a dimension."""
    graph = importer.graph
    view = graph.resolve(view)
    old = view.shape[dim]
    if same(old, length) and start == 0 and step == 1:
        return view
    shape = (*view.shape[:dim], length, *view.shape[dim + 1:])
    if view.number is not None or dim not in view.map:
        return view.replace(shape=shape, origin=None)
    if dim in view.flips:
        if step != 1:
            view = graph.unflip(view)
        else:
            start = extents((old - start - length,))[0] if not (
                is_static(old) and is_static(start) and is_static(length)) \
                else old - start - length
    axis = view.map.index(dim)
    base_shape = (*view.base_shape[:axis], length, *view.base_shape[axis + 1:])
    offsets = ["0"] * len(base_shape)
    offsets[axis] = graph.mixed(start)
    strides = ["1"] * len(base_shape)
    strides[axis] = str(step)
    name = graph.op(
        f"tensor.extract_slice {view.base}[{', '.join(offsets)}] "
        f"[{', '.join(map(graph.mixed, base_shape))}] [{', '.join(strides)}] : "
        f"{graph.type(view.element, view.base_shape)} to {graph.type(view.element, base_shape)}")
    return view.replace(base=name, base_shape=base_shape, shape=shape, origin=None)


def _start(index, extent, length, step):
    """Where a slice of Python starts; `length` is what PyTorch says it has."""
    if index is None:
        return 0
    if is_static(index) and is_static(extent):
        return min(max(index + extent if index < 0 else index, 0), extent)
    negative = is_static(index) and index < 0 or getattr(index, "is_negative", False)
    place = sympy.sympify(index) + extent if negative else sympy.sympify(index)
    # The length says that nothing was cut off.
    if step == 1 and (same(place + length, extent)
                      or is_static(length) and length > 0 and not negative):
        return extents((place,))[0]
    return extents((Min(Max(place, 0), extent),))[0]


def _slice(importer, args, kwargs):
    view, dim, start, _, step = (*args, *(0, None, None, 1)[len(args) - 1:])
    dim = _dim(len(view.shape), dim)
    length = importer.result()[1][dim]
    return sliced(importer, view, dim, _start(start, view.shape[dim], length, step), length, step)


def _select(importer, args, kwargs):
    view, dim, index = args
    if isinstance(view, Parts):
        return view.part(importer, index)
    dim = _dim(len(view.shape), dim)
    if not is_static(index) or index < 0:
        index = extents((view.shape[dim] + index,))[0] if not is_static(view.shape[dim]) \
            else view.shape[dim] + index if is_static(index) and index < 0 else index
    return without(sliced(importer, view, dim, index, 1), {dim})


def _parts(importer, view, lengths, dim):
    dim, start, parts = _dim(len(view.shape), dim), 0, []
    for length in lengths:
        parts.append(sliced(importer, view, dim, start, length))
        start = extents((start + length,))[0]
    return parts


def _split_with_sizes(importer, args, kwargs):
    dim = args[2] if len(args) > 2 else 0
    return _parts(importer, args[0], args[1], dim)


def _split(importer, args, kwargs):
    dim = _dim(len(args[0].shape), args[2] if len(args) > 2 else 0)
    return _parts(importer, args[0],
                  [extents(value.shape)[dim] for value in importer.node.meta["val"]], dim)


def _unbind(importer, args, kwargs):
    dim = _dim(len(args[0].shape), args[1] if len(args) > 1 else 0)
    count = len(importer.node.meta["val"])
    return [without(part, {dim}) for part in _parts(importer, args[0], [1] * count, dim)]


def inserted(importer, source, target, dim, start, step=1):
    """`target` (its name and shape) with `source` written to a slice of one dimension."""
    graph = importer.graph
    name, shape = target
    offsets, strides = ["0"] * len(shape), ["1"] * len(shape)
    offsets[dim], strides[dim] = graph.mixed(start), str(step)
    kind = graph.type(source.element, source.shape)
    source_name = graph.materialize(source)
    return graph.op(
        f"tensor.insert_slice {source_name} into {name}[{', '.join(offsets)}] "
        f"[{', '.join(map(graph.mixed, source.shape))}] [{', '.join(strides)}] : {kind} into "
        f"{graph.type(source.element, shape)}")


def _cat(importer, args, kwargs):
    graph, (element, shape) = importer.graph, importer.result()
    dim = _dim(len(shape), args[1] if len(args) > 1 else kwargs.get("dim", 0))
    name, start = graph.empty(element, shape), 0
    for view in args[0]:
        if view.shape == (0,) and len(shape) != 1:
            continue
        name = inserted(importer, graph.convert(view, element), (name, shape), dim, start)
        start = extents((start + view.shape[dim],))[0]
    return graph.tensor(name, element, shape)


def _stack(importer, args, kwargs):
    shape = importer.result()[1]
    dim = _dim(len(shape), args[1] if len(args) > 1 else kwargs.get("dim", 0))
    one = (*shape[:dim], 1, *shape[dim + 1:])
    views = [with_units(importer.graph.resolve(view), {dim}, one) for view in args[0]]
    return _cat(importer, [views, dim], {})


def _pad(importer, args, kwargs):
    view, pads, value = (*args, 0)[:3]
    graph, (element, shape) = importer.graph, importer.result()
    rank, placed = len(shape), []
    for pair in range(len(pads) // 2):
        dim, before, after = rank - 1 - pair, pads[2 * pair], pads[2 * pair + 1]
        if not (is_static(before) and is_static(after)):
            importer.fail("padding by a dynamic number")
        cut = max(-before, 0)
        length = extents((view.shape[dim] - cut - max(-after, 0),))[0]
        view = sliced(importer, view, dim, cut, length)
        placed.append((dim, max(before, 0), max(after, 0)))
    for dim, before, after in placed:
        if before or after:
            wide = (*view.shape[:dim], extents((view.shape[dim] + before + after,))[0],
                    *view.shape[dim + 1:])
            name = inserted(importer, view, (graph.fill(value or 0, element, wide), wide), dim,
                            before)
            view = graph.tensor(name, element, wide)
    return view


def _slice_scatter(importer, args, kwargs):
    view, source, dim, start, _, step = (*args, *(0, None, None, 1)[len(args) - 2:])
    graph, (element, shape) = importer.graph, importer.result()
    dim = _dim(len(shape), dim)
    source = graph.convert(source, element)
    length = source.shape[dim]
    if same_shape(source.shape, shape):
        return source
    place = _start(start, shape[dim], length, step)
    name = inserted(importer, source, (graph.materialize(view), shape), dim, place, step)
    return graph.tensor(name, element, shape)


def _select_scatter(importer, args, kwargs):
    view, source, dim, index = args
    dim = _dim(len(view.shape), dim)
    one = (*view.shape[:dim], 1, *view.shape[dim + 1:])
    source = with_units(importer.graph.resolve(source), {dim}, one)
    if is_static(index) and index < 0:
        index = extents((view.shape[dim] + index,))[0]
    name = inserted(importer, importer.graph.convert(source, view.element),
                    (importer.graph.materialize(view), view.shape), dim, index)
    return importer.graph.tensor(name, view.element, view.shape)


def _roll(importer, args, kwargs):
    """Each dimension as two slices that change places."""
    view, shifts, dims = (*args, [])[:3]
    shifts, dims = ([item] if is_static(item) else item for item in (shifts, dims))
    if not dims:
        source, view = view, View(view.element, (_size(view.shape),), origin=view)
        return View(view.element, source.shape, origin=_rolled(importer, view, shifts[0], 0))
    for shift, dim in zip(shifts, dims):
        view = _rolled(importer, view, shift, _dim(len(view.shape), dim))
    return view


def _size(shape):
    result = 1
    for extent in shape:
        result = result * extent
    return extents((result,))[0]


def _rolled(importer, view, shift, dim):
    graph, extent = importer.graph, view.shape[dim]
    if not is_static(extent):
        shift = extents((sympy.sympify(shift) % extent,))[0]
    elif extent:
        shift %= extent
    rest = extents((extent - shift,))[0]
    name = graph.empty(view.element, view.shape)
    for start, length, place in ((rest, shift, 0), (0, rest, shift)):
        part = sliced(importer, view, dim, start, length)
        name = inserted(importer, part, (name, view.shape), dim, place)
    return graph.tensor(name, view.element, view.shape)


def _repeat(importer, args, kwargs):
    view, repeats = importer.graph.resolve(args[0]), args[1]
    shape = importer.result()[1]
    lead = len(shape) - len(view.shape)
    inner = (1,) * lead + view.shape
    # [2, 3] times [4, 1] is [1, 2, 1, 3] expanded to [4, 2, 1, 3] and merged.
    apart = tuple(part for extent in inner for part in (1, extent))
    view = with_units(view, {dim for dim in range(len(apart)) if dim % 2 == 0
                             or dim < 2 * lead}, apart)
    view = expanded(view, tuple(part for repeat, extent in zip(repeats, inner)
                                for part in (repeat, extent)))
    return View(view.element, shape, origin=view)


# ---- complex numbers as pairs -------------------------------------------------


def _copy(importer, args, kwargs):
    element, shape = importer.result()
    return importer.graph.convert(expanded(importer.graph.resolve(args[1]), shape), element)


def _detach(importer, args, kwargs):
    return args[0]


class Parts:
    """A complex tensor seen as pairs of real numbers."""

    def __init__(self, view):
        self.view = view

    def part(self, importer, index):
        """The real parts (0) or the imaginary ones (1)."""
        method = ("real", "imag")[index]
        return importer.graph.elementwise(
            self.view.shape, part_of(self.view.element), [self.view],
            lambda builder, x: getattr(builder, method)(x))


def whole(importer, item):
    """An argument of a node without pairs that were not written: they are now."""
    if not isinstance(item, Parts):
        return item
    one = (*item.view.shape, 1)
    pair = [with_units(item.part(importer, number), {len(one) - 1}, one) for number in (0, 1)]
    element, shape = pair[0].element, (*one[:-1], 2)
    name = importer.graph.empty(element, shape)
    for number, view in enumerate(pair):
        name = inserted(importer, view, (name, shape), len(shape) - 1, number)
    return importer.graph.tensor(name, element, shape)


def _view_as_real(importer, args, kwargs):
    return Parts(args[0])


def _view_as_complex(importer, args, kwargs):
    dim = len(args[0].shape) - 1
    real, imag = (without(part, {dim}) for part in _parts(importer, args[0], [1, 1], dim))
    element, shape = importer.result()
    return importer.graph.elementwise(shape, element, [real, imag],
                                      lambda b, x, y: b.complex(x, y))


OPERATORS = {
    "permute": _permute, "t": _transpose, "transpose": _transpose, "movedim": _movedim,
    "expand": _expand, "expand_as": _expand, "broadcast_to": _expand,
    "unsqueeze": _unsqueeze, "squeeze": _squeeze,
    "view": _reshape, "_unsafe_view": _reshape, "reshape": _reshape, "flatten": _reshape,
    "unflatten": _reshape, "view_copy": _reshape, "flip": _flip, "slice": _slice,
    "select": _select, "split_with_sizes": _split_with_sizes, "split": _split, "chunk": _split,
    "unbind": _unbind, "cat": _cat, "stack": _stack, "constant_pad_nd": _pad,
    "slice_scatter": _slice_scatter, "select_scatter": _select_scatter, "repeat": _repeat,
    "roll": _roll, "copy": _copy, "detach": _detach, "lift_fresh_copy": _detach,
    "view_as_real": _view_as_real, "view_as_complex": _view_as_complex,
}
