# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointwise operations of a graph, by the table that combine functions are traced with."""

import torch
from torch.utils import _pytree as pytree

from ...scalar import ScalarBuilder, Unsupported, Value
from .. import _pointwise
from .._dtypes import ELEMENTS
from .view import View, same_shape

# What gives its argument, converted.
_COPIES = {"clone", "contiguous", "alias", "_to_copy", "to", "positive", "resolve_conj",
           "resolve_neg"}


# Names of operations that are lazy in PyTorch.
_EAGER = {"_conj": "conj", "_neg_view": "neg"}


def is_pointwise(name):
    """Whether the table has it."""
    # `aten.rand` is no `Tensor.__rand__`.
    return name != "rand" and _pointwise.is_pointwise(_EAGER.get(name, name))


def emit(importer, node, name, args, kwargs):
    """The view of the result of a pointwise node."""
    name = _EAGER.get(name, name)
    element, shape = importer.result()
    if name in _COPIES and args[0].element == element:
        return args[0]
    # Reshapes of reshapes are none, whatever is computed between them element by element.
    operands, places = [], {}

    def collect(item):
        if isinstance(item, View) or _is_symbolic(item):
            places[id(item)] = len(operands)
            operands.append(item)
    pytree.tree_map(collect, (args, kwargs), is_leaf=lambda item: isinstance(item, View))
    common = ELEMENTS.get(_common_dtype(node.args), element)
    args, kwargs = _as_written(name, args, kwargs)

    def function(builder, *values):
        def value(item):
            return values[places[id(item)]] if id(item) in places else item
        mapped, named = pytree.tree_map(value, (tuple(args), kwargs),
                                        is_leaf=lambda item: isinstance(item, View))
        call = _pointwise.Call(builder, mapped, named, element, common)
        try:
            return _pointwise.emit(call, node.target, name)
        except Unsupported as error:
            return importer.fail(f"{error} is not supported")
        except AttributeError:  # A number where the table asks a value for its type.
            return importer.fail("a number where a tensor is expected")

    through = _through_reshapes(importer, operands, shape)
    if through is not None:
        views, inner = through
        result = importer.graph.elementwise(inner, element, views, function)
        return View(element, shape, origin=result)
    return importer.graph.elementwise(shape, element, operands, function)


def _as_written(name, args, kwargs):
    """The arguments of an ATen operator as the table has them, which are Python's."""
    kwargs = {key: value for key, value in kwargs.items()
              if key not in ("dtype", "layout", "device", "pin_memory", "memory_format",
                             "non_blocking")}
    if name in ("add", "sub", "rsub") and len(args) > 2:
        args, kwargs = args[:2], {**kwargs, "alpha": args[2]}
    if name == "elu":
        args, kwargs = args[:2], {**kwargs, **dict(zip(("scale", "input_scale"), args[2:]))}
    return tuple(args), kwargs


def _through_reshapes(importer, operands, shape):
    """The operands before their reshapes, and their shape, if all have the same one."""
    views = [item for item in operands if isinstance(item, View) and item.number is None]
    if not views or any(view.origin is None or view.base is not None for view in views):
        return None
    inner = views[0].origin.shape
    if not all(same_shape(view.shape, shape) and same_shape(view.origin.shape, inner)
               for view in views):
        return None
    if any(isinstance(item, View) and item.number is not None and item.shape
           for item in operands):
        return None
    return [item.origin if isinstance(item, View) and item.number is None else item
            for item in operands], inner


def _is_symbolic(item):
    return hasattr(item, "free_symbols")


def _common_dtype(args):
    """What PyTorch promotes the first two operands to."""
    numbers = []
    for item in args:
        if isinstance(item, torch.fx.Node):
            item = item.meta.get("val")
        if isinstance(item, torch.SymInt):
            item = 1
        if isinstance(item, (torch.Tensor, int, float, complex)):
            numbers.append(item)
    if len(numbers) >= 2:
        return torch.result_type(*numbers[:2])
    return numbers[0].dtype if numbers and isinstance(numbers[0], torch.Tensor) else None


def combine_region(importer, module, elements):
    """The region of a scan from the graph of a combine function over slices.

    Its placeholders are the accumulated values and the new ones. Returns the text.
    """
    builder, env, names = ScalarBuilder(), {}, []
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for number, node in enumerate(placeholders):
        side = "acc" if number < len(elements) else "new"
        value = Value(f"%{side}{number % len(elements)}", elements[number % len(elements)])
        env[node] = value
        names.append(f"{value.name}: {value.type}")
    outer = importer.node
    for node in module.graph.nodes:
        importer.node = node
        if node.op == "call_function":
            env[node] = _scalar(importer, builder, env, node)
        elif node.op == "get_attr":
            importer.fail("a constant tensor in a combine function; pass it in as a leaf")
        elif node.op == "output":
            outputs = [env[output] for output in node.args[0]]
    importer.node = outer
    for number, value in enumerate(outputs):
        fresh = value.name not in {other.name for other in outputs[:number]}
        if value.name.startswith(("%acc", "%new")) or not fresh:
            outputs[number] = builder.clone(value)
    lines = [f"  ^bb0({', '.join(names)}):", *builder.lines,
             f"    scan.yield {', '.join(value.name for value in outputs)} : "
             f"{', '.join(value.type for value in outputs)}"]
    return "\n".join(lines)


def _scalar(importer, builder, env, node):
    name = _pointwise.base_name(node.target)
    if not is_pointwise(name) or not isinstance(node.meta.get("val"), torch.Tensor):
        return importer.fail("no pointwise operation, which a combine function is made of")
    element = importer.element(node.meta["val"].dtype)
    args, kwargs = importer.value(env, node.args), importer.value(env, node.kwargs)
    common = ELEMENTS.get(_common_dtype(node.args), element)
    args, kwargs = _as_written(name, args, kwargs)
    call = _pointwise.Call(builder, args, kwargs, element, common)
    try:
        return _pointwise.emit(call, node.target, name)
    except Unsupported as error:
        return importer.fail(f"{error} is not supported")
