# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, products of matrices and convolutions of a graph.

Sums and products of matrices are `linalg.generic`, which fuse into scans and which can be
differentiated. A reduction with another operator is the final state of a scan: that
one, too, has a derivative. Narrow floating-point types are summed up in f32.
"""

from ...scalar import ScalarBuilder, Value
from .view import View, extents, is_static, same
from .creation import iota
from .scans import associative, dims_of, pair_region
from .shapes import expanded, inserted, sliced, with_units, without

# Taps of a convolution, which are written out.
_MAX_TAPS = 64


def _units(view, dims, keepdim):
    """A reduced view with the dimensions `dims` again, if asked for."""
    if not keepdim:
        return view
    rank, rest = len(view.shape) + len(dims), iter(view.shape)
    return with_units(view, set(dims),
                      tuple(1 if dim in dims else next(rest) for dim in range(rank)))


def summed(importer, view, dims, element, keepdim=False):
    """The sum over dimensions, as elements of that type."""
    view = importer.graph.resolve(view)
    rank, dims = len(view.shape), set(dims)
    # The order in a sum is free: what is flipped along it needs no care.
    out = [dim for dim in range(rank) if dim not in dims]
    view = view.replace(flips=view.flips - dims)
    result = importer.graph.contract([importer.graph.convert(view, element) if element in (
        "i64", "i32") and view.element != element else view], [range(rank)], out, view.shape,
        element)
    return _units(result, dims, keepdim)


def _sum(importer, args, kwargs):
    dims = dims_of(len(args[0].shape), args[1] if len(args) > 1 else None)
    keepdim = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    return summed(importer, args[0], dims, importer.result()[0], keepdim)


def _count(view, dims):
    result = 1
    for dim in dims:
        result = result * view.shape[dim]
    return extents((result,))[0]


def _divided(importer, view, count, correction=0):
    """The view divided by a count, less a correction; by nothing gives NaN or infinity."""
    def function(builder, x, n=None):
        total = builder.constant(count, view.element) if n is None else \
            builder.cast(n, view.element)
        if correction:
            zero = builder.constant(0, view.element)
            total = builder.maximum(
                builder.sub(total, builder.constant(correction, view.element)), zero)
        return builder.div(x, total)
    operands = [view] if is_static(count) else [view, count]
    return importer.graph.elementwise(view.shape, view.element, operands, function)


def averaged(importer, view, dims, element, keepdim=False):
    """The mean over dimensions."""
    wide = "f32" if element in ("f16", "bf16") else element
    total = summed(importer, view, dims, wide, keepdim)
    return importer.graph.convert(_divided(importer, total, _count(view, dims)), element)


def _mean(importer, args, kwargs):
    dims = dims_of(len(args[0].shape), args[1] if len(args) > 1 else None)
    keepdim = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    return averaged(importer, args[0], dims, importer.result()[0], keepdim)


def _variance(importer, view, dims, correction, keepdim):
    graph, wide = importer.graph, "f32" if view.element in ("f16", "bf16") else view.element
    mean = averaged(importer, view, dims, wide, True)
    square = graph.elementwise(view.shape, wide, [view, mean], _square_of_difference)
    total = summed(importer, square, dims, wide, keepdim)
    return mean, _divided(importer, total, _count(view, dims), correction)


def _square_of_difference(builder, x, mean):
    difference = builder.sub(builder.cast(x, mean.type), mean)
    return builder.mul(difference, difference)


def _var(importer, args, kwargs):
    view = args[0]
    dims = dims_of(len(view.shape), args[1] if len(args) > 1 else None)
    correction = kwargs.get("correction", 1)
    variance = _variance(importer, view, dims, 1 if correction is None else correction,
                         kwargs.get("keepdim", False))[1]
    return importer.graph.convert(variance, importer.result()[0])


def _layer_norm(importer, args, kwargs):
    view, shape, weight, bias, eps = (*args, None, None, 1e-5)[:5] if len(args) < 5 else args[:5]
    graph, (element, _) = importer.graph, importer.result()
    rank = len(view.shape)
    dims = range(rank - len(shape), rank)
    mean, variance = _variance(importer, view, dims, 0, True)
    operands = [view, mean, variance, *(item for item in (weight, bias) if item is not None)]

    def function(builder, x, mean, variance, *rest):
        kind = mean.type
        root = builder.call("rsqrt", builder.add(variance, builder.constant(eps, kind)))
        value = builder.mul(builder.sub(builder.cast(x, kind), mean), root)
        rest = [builder.cast(item, kind) for item in rest]
        if weight is not None:
            value = builder.mul(value, rest.pop(0))
        if bias is not None:
            value = builder.add(value, rest.pop(0))
        return builder.cast(value, element)
    return graph.elementwise(view.shape, element, operands, function)


def _rms_norm(importer, args, kwargs):
    """What RMS norms are on GPUs, with the inverse of the root as second result."""
    view, shape, weight, eps = args
    graph, (element, _), (kind, _) = importer.graph, importer.result(0), importer.result(1)
    if eps is None:
        eps = 2.0**-23 if kind in ("f32", "complex<f32>") else 2.0**-52

    def square(builder, x):
        x = builder.cast(x, kind)
        return builder.mul(x, x)

    def inverse_root(builder, mean):
        return builder.call("rsqrt", builder.add(mean, builder.constant(eps, kind)))

    def function(builder, x, rate, *weight):
        value = builder.mul(builder.cast(x, kind), rate)
        for factor in weight:
            value = builder.mul(value, builder.cast(factor, kind))
        return builder.cast(value, element)
    rank = len(view.shape)
    mean = averaged(importer, graph.elementwise(view.shape, kind, [view], square),
                    range(rank - len(shape), rank), kind, keepdim=True)
    rate = graph.elementwise(mean.shape, kind, [mean], inverse_root)
    operands = [view, rate] if weight is None else [view, rate, weight]
    return graph.elementwise(view.shape, element, operands, function), rate


def _batch_norm(importer, args, kwargs):
    """Batch normalization in evaluation: elementwise, by the running statistics."""
    view, eps = args[0], args[6]
    element, shape = importer.result(0)
    columns = [None if item is None else with_units(
        importer.graph.resolve(item), set(range(1, len(shape) - 1)),
        (shape[1], *(1,) * (len(shape) - 2))) for item in args[1:5]]
    weight, bias, mean, variance = columns
    operands = [view, mean, variance, *(item for item in (weight, bias) if item is not None)]

    def function(builder, x, mean, variance, *rest):
        rest, kind = list(rest), mean.type
        root = builder.call("rsqrt", builder.add(variance, builder.constant(eps, kind)))
        value = builder.mul(builder.sub(builder.cast(x, kind), mean), root)
        if weight is not None:
            value = builder.mul(value, builder.cast(rest.pop(0), kind))
        if bias is not None:
            value = builder.add(value, builder.cast(rest.pop(0), kind))
        return builder.cast(value, element)
    nothing = View(element, (0,), number=0)
    return [importer.graph.elementwise(shape, element, operands, function), nothing, nothing]


# ---- other operators: final states of scans -----------------------------------


def reduced(importer, view, dims, method, keepdim=False):
    """A reduction by a method of ScalarBuilder, one dimension after the other."""
    for dim in sorted(dims, reverse=True):
        builder = ScalarBuilder()
        result = getattr(builder, method)(Value("%acc0", view.element),
                                          Value("%new0", view.element))
        region = pair_region([view.element], builder, [result])
        view = associative(importer, [view], dim, region, final=True)[0]
    return _units(view, set(dims), keepdim)


def _reduction(method, element=None):
    def emit(importer, args, kwargs):
        view = args[0] if element is None else importer.graph.convert(args[0], element)
        dims = dims_of(len(view.shape), args[1] if len(args) > 1 else None)
        keepdim = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
        if method == "mul":
            view = importer.graph.convert(view, importer.result()[0])
        return reduced(importer, view, dims, method, keepdim)
    return emit


def _extremum(predicate, method, only_index=False):
    def emit(importer, args, kwargs):
        if not only_index and len(args) < 2:
            return reduced(importer, args[0], dims_of(len(args[0].shape), None), method)
        if not only_index and isinstance(args[1], View):  # torch.max(x, y).
            return importer.graph.elementwise(
                importer.result()[1], importer.result()[0], args[:2],
                lambda b, x, y: getattr(b, method)(x, y))
        view, dim, keepdim = (*args, *(None, False)[len(args) - 1:])
        if dim is None:
            size = _count(view, range(len(view.shape)))
            shape, view = view.shape, View(view.element, (size,), origin=view)
            result = _place(importer, view, 0, predicate)[1]
            return result if not keepdim else with_units(
                result, set(range(len(shape))), (1,) * len(shape))
        dim = dim % max(len(view.shape), 1)
        both = [_units(part, {dim}, keepdim) for part in _place(importer, view, dim, predicate)]
        return both[1] if only_index else both
    return emit


def _place(importer, view, dim, predicate):
    """The first extreme element along a dimension, NaN before others, and its index."""
    element = view.element
    builder = ScalarBuilder()
    acc, new = Value("%acc0", element), Value("%new0", element)
    # A number gives way to a later NaN, a NaN to nothing.
    takes = builder.bitwise("or", builder.compare(predicate, new, acc), builder.is_nan(new))
    takes = builder.bitwise("and", takes, builder.invert(builder.is_nan(acc)))
    results = [builder.select(takes, new, acc),
               builder.select(takes, Value("%new1", "i64"), Value("%acc1", "i64"))]
    region = pair_region([element, "i64"], builder, results)
    steps = iota(importer, view.shape[dim:dim + 1], 0)
    rank = len(view.shape)
    steps = with_units(steps, set(range(rank)) - {dim},
                       tuple(view.shape[d] if d == dim else 1 for d in range(rank)))
    return associative(importer, [view, expanded(steps, view.shape)], dim, region, final=True)


def _softmax(logarithm):
    def emit(importer, args, kwargs):
        view, dim = args[0], args[1] % max(len(args[0].shape), 1)
        graph, (element, shape) = importer.graph, importer.result()
        wide = "f32" if element in ("f16", "bf16") else element
        view = graph.convert(view, wide)
        top = reduced(importer, view, [dim], "maximum", True)
        shifted = graph.elementwise(shape, wide, [view, top], lambda b, x, m: b.sub(x, m))
        exps = graph.elementwise(shape, wide, [shifted], lambda b, x: b.call("exp", x))
        total = summed(importer, exps, [dim], wide, True)
        if logarithm:
            result = graph.elementwise(shape, wide, [shifted, total],
                                       lambda b, x, s: b.sub(x, b.call("log", s)))
        else:
            result = graph.elementwise(shape, wide, [exps, total], lambda b, x, s: b.div(x, s))
        return graph.convert(result, element)
    return emit


# ---- products of matrices -------------------------------------------------------


def _einsum(importer, args, kwargs):
    equation, views = args[0].replace(" ", ""), args[1]
    left, _, right = equation.partition("->")
    if "->" not in equation or "." in equation or any(
            len(set(term)) != len(term) for term in left.split(",")):
        importer.fail("an equation with '...', without '->', or with a letter twice in a term; "
                      "write all dimensions out")
    letters = "".join(dict.fromkeys(right + "".join(left.split(","))))
    return _contract(importer, views, left.split(","), right, letters)


def _contract(importer, views, terms, right, letters):
    shape = [1] * len(letters)
    for view, term in zip(views, terms):
        for letter, extent in zip(term, view.shape):
            if extent != 1:
                shape[letters.index(letter)] = extent
    labels = [[letters.index(letter) for letter in term] for term in terms]
    return importer.graph.contract(views, labels, [letters.index(letter) for letter in right],
                                   tuple(shape), importer.result()[0])


def _matmul(importer, args, kwargs):
    x, y = args[:2]
    batch = "abcdefgh"[:max(len(x.shape), len(y.shape), 2) - 2]
    left = "k" if len(x.shape) == 1 else batch[len(batch) - len(x.shape) + 2:] + "mk"
    right = "k" if len(y.shape) == 1 else batch[len(batch) - len(y.shape) + 2:] + "kn"
    out = batch + "m" * (len(x.shape) > 1) + "n" * (len(y.shape) > 1)
    return _contract(importer, [x, y], [left, right], out, out + "k")


def _linear(importer, args, kwargs):
    x, weight, bias = (*args, None)[:3]
    batch = "abcdefgh"[:len(x.shape) - 1]
    result = _contract(importer, [x, weight], [batch + "k", "nk"], batch + "n", batch + "nk")
    return result if bias is None else _plus(importer, result, bias)


def _plus(importer, x, y, alpha=1, beta=1):
    """alpha x + beta y."""
    def scaled(builder, value, factor):
        return value if factor == 1 else builder.mul(value,
                                                     builder.constant(factor, value.type))
    element, shape = importer.result()
    return importer.graph.elementwise(
        shape, element, [x, y],
        lambda b, p, q: b.add(scaled(b, b.cast(p, element), alpha),
                              scaled(b, b.cast(q, element), beta)))


def _addmm(importer, args, kwargs):
    product = _matmul(importer, args[1:3], {})
    return _plus(importer, product, args[0], kwargs.get("alpha", 1), kwargs.get("beta", 1))


def _outer(importer, args, kwargs):
    return _contract(importer, args[:2], ["m", "n"], "mn", "mn")


def _convolution(importer, args, kwargs):
    """One dimension; the taps are slices, of which depthwise ones are one sum."""
    x, weight, bias, stride, padding, dilation, transposed, _, groups = args
    graph, (element, shape) = importer.graph, importer.result()
    if transposed or len(x.shape) != 3 or not is_static(weight.shape[2]) \
            or weight.shape[2] > _MAX_TAPS:
        importer.fail(f"a convolution other than one over one dimension with up to {_MAX_TAPS} "
                      "taps, which is not transposed")
    if padding[0]:
        zeros = [padding[0], padding[0]]
        x = _pad(importer, x, zeros)
    length = shape[2]
    taps = [sliced(importer, x, 2, tap * dilation[0],
                   length if stride[0] == 1 else length, stride[0])
            for tap in range(weight.shape[2])]
    factors = [without(sliced(importer, weight, 2, tap, 1), {2})
               for tap in range(weight.shape[2])]
    wide = "f32" if element in ("f16", "bf16") else element
    if groups == 1:
        result = None
        for tap, factor in zip(taps, factors):
            part = graph.contract([tap, factor], [[0, 3, 2], [1, 3]], [0, 1, 2],
                                  (*shape, x.shape[1]), wide)
            result = part if result is None else graph.elementwise(
                shape, wide, [result, part], lambda b, p, q: b.add(p, q))
    elif same(groups, x.shape[1]) and same(shape[1], x.shape[1]):
        columns = [with_units(without(factor, {1}), {1}, (shape[1], 1)) for factor in factors]

        def function(builder, *values):
            half, total = len(values) // 2, None
            for value, factor in zip(values[:half], values[half:]):
                term = builder.mul(builder.cast(value, wide), builder.cast(factor, wide))
                total = term if total is None else builder.add(total, term)
            return total
        result = graph.elementwise(shape, wide, [*taps, *columns], function)
    else:
        importer.fail("a convolution in groups that is not depthwise, with one output a channel")
    if bias is not None:
        result = _plus(importer, result, with_units(graph.resolve(bias), {1}, (shape[1], 1)))
    return graph.convert(result, element)


def _pad(importer, view, pads):
    wide = (*view.shape[:2], extents((view.shape[2] + sum(pads),))[0])
    name = importer.graph.fill(0, view.element, wide)
    name = inserted(importer, view, (name, wide), 2, pads[0])
    return importer.graph.tensor(name, view.element, wide)


def _dot(importer, args, kwargs):
    return _contract(importer, args[:2], ["k", "k"], "", "k")


OPERATORS = {
    "sum": _sum, "mean": _mean, "var": _var, "layer_norm": _layer_norm,
    "_fused_rms_norm": _rms_norm,
    "amax": _reduction("maximum"), "amin": _reduction("minimum"), "prod": _reduction("mul"),
    "any": _reduction("add", "i1"), "all": _reduction("mul", "i1"),
    "max": _extremum("gt", "maximum"), "min": _extremum("lt", "minimum"),
    "argmax": _extremum("gt", "maximum", True), "argmin": _extremum("lt", "minimum", True),
    "softmax": _softmax(False), "_softmax": _softmax(False),
    "log_softmax": _softmax(True), "_log_softmax": _softmax(True),
    "mm": _matmul, "bmm": _matmul, "mv": _matmul, "matmul": _matmul, "dot": _dot,
    "addmm": _addmm, "baddbmm": _addmm, "linear": _linear, "einsum": _einsum, "outer": _outer,
    "convolution": _convolution, "_native_batch_norm_legit_no_training": _batch_norm,
}
