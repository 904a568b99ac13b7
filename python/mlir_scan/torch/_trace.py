# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces a combine function over scalars.

The function is called once with stand-ins: tensors with one element, of the dtype
and rank of a slice, which record through `__torch_function__` what is done with them.
What PyTorch makes of the stand-ins tells each result's dtype, so that its rules of
promotion hold. (`torch.fx` and `__torch_dispatch__` would see the same; the first use
of either in a process takes seconds of imports.)
"""

import os
import sys

import torch
from torch.utils import _pytree as pytree

from ..errors import ScanError
from ..scalar import ScalarBuilder, Unsupported, Value
from . import _pointwise
from ._dtypes import ELEMENTS

_PACKAGES = tuple(os.path.join(os.path.dirname(os.path.abspath(path)), "") for path in (
    torch.__file__, os.path.join(__file__, os.pardir)))
# Attributes that are the same for a stand-in and for a slice.
_PLAIN_ATTRIBUTES = {"dtype", "ndim", "requires_grad", "is_leaf", "layout", "is_sparse",
                     "is_quantized", "is_meta", "is_nested", "names"}
_SIZES = {"shape", "size", "numel", "nelement", "stride", "__len__"}
_VALUES = {"__bool__", "item", "__float__", "__int__", "__index__", "__complex__", "tolist",
           "numpy", "__array__", "data_ptr", "nonzero", "__contains__", "is_nonzero", "equal",
           "allclose"}


class TraceError(ScanError):
    """The combine function does something that a combine region cannot; says where."""


def _where():
    """The user's line that is being executed."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not os.path.abspath(name).startswith(_PACKAGES):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "<unknown>"


def _fail(message):
    raise TraceError(f"{_where()}: {message}")


class _Trace:
    """What is shared by the stand-ins of one trace."""

    def __init__(self, shape, device):
        self.builder = ScalarBuilder()
        self.shape, self.device = torch.Size(shape), device
        # The result depends on the extents of a slice: they belong to the cache's key.
        self.reads_sizes = False


class StandIn(torch.Tensor):
    """A slice while a function is traced: one element, and the value that it stands for."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return _record(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents=None):
        return f"<a slice of dtype {_plain(self).dtype}, while the combine function is traced>"

    __str__ = __repr__

    def __format__(self, spec):
        return repr(self)


def _plain(tensor):
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor)


def _plain_argument(argument):
    """What PyTorch is called with: stand-ins are on the CPU, whatever the leaves are on."""
    if isinstance(argument, StandIn):
        return _plain(argument)
    return argument.detach().cpu() if isinstance(argument, torch.Tensor) else argument


def _stand_in(trace, tensor, value, is_input=False):
    with torch._C.DisableTorchFunctionSubclass():
        result = tensor.as_subclass(StandIn)
    result._trace, result._value, result._is_input = trace, value, is_input
    return result


def _find_trace(args, kwargs):
    for argument in pytree.tree_leaves((args, kwargs)):
        if isinstance(argument, StandIn):
            return argument._trace
    return _fail("a function was called on slices in a way that cannot be followed")


def _attribute(func, tensor):
    """An attribute of a stand-in that PyTorch's getters ask for."""
    name = getattr(func.__self__, "__name__", "")
    if name == "shape":
        tensor._trace.reads_sizes = True
        return tensor._trace.shape if _plain(tensor).dim() else torch.Size(())
    if name == "device":
        return tensor._trace.device
    if name in ("is_cuda", "is_cpu"):
        return tensor._trace.device.type == name[3:]
    if name in _PLAIN_ATTRIBUTES:
        with torch._C.DisableTorchFunctionSubclass():
            return func(tensor)
    if name in ("real", "imag"):
        return _pointwise_call(getattr(torch, name), name, (tensor,), {})
    return _fail(f"the attribute '{name}' of a slice is not known while the combine function "
                 "is traced")


def _record(func, args, kwargs):
    name = getattr(func, "__name__", str(func))
    if name == "__get__":
        return _attribute(func, args[0])
    if name == "__set__":
        return _fail("the combine function changes an attribute of its argument; return new "
                     "tensors instead")
    if name in ("dim", "is_floating_point", "is_complex", "ndimension", "element_size"):
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    if name in _SIZES:
        return _size(name, args, kwargs)
    if name in _VALUES:
        return _fail(f"'{name}' needs the value of a tensor, which is not there while the "
                     "combine function is traced; use torch.where for a choice")
    base = _pointwise.base_name(func)
    if kwargs.get("out") is not None or _is_in_place(name):
        return _in_place(func, name, args, kwargs)
    if not _pointwise.is_pointwise(base):
        return _unknown(name)
    return _pointwise_call(func, base, args, kwargs)


def _unknown(name):
    return _fail(f"'{name}' is no pointwise operation that a combine region can hold; "
                 "combine_mode=\"generic\" runs it through PyTorch instead")


def _size(name, args, kwargs):
    tensor = args[0]
    trace, plain = tensor._trace, _plain(tensor)
    trace.reads_sizes = True
    with torch._C.DisableTorchFunctionSubclass():
        shaped = plain.expand(trace.shape) if plain.dim() else plain
        return getattr(shaped, name)(*args[1:], **kwargs)


def _is_in_place(name):
    if name.startswith("__i") and name.endswith("__"):
        return name not in ("__invert__", "__index__", "__int__")
    return name.endswith("_") and not name.endswith("__") or name in ("__setitem__",)


def _in_place(func, name, args, kwargs):
    """`x += y` and `x.add_(y)`: allowed on what the function itself has computed."""
    target = args[0]
    if kwargs.get("out") is not None or name == "__setitem__" or not isinstance(target, StandIn):
        return _fail(f"'{name}' writes to a tensor; combine functions return new tensors")
    if target._is_input:
        return _fail(f"'{name}' mutates an argument of the combine function; return a new "
                     "tensor instead")
    base = "__" + name[3:] if name.startswith("__i") else name[:-1]
    function = getattr(torch.Tensor, base, None)
    if function is None or not _pointwise.is_pointwise(_pointwise.base_name(function)):
        return _unknown(name)
    result = _record(function, args, kwargs)
    if _plain(result).dtype != _plain(target).dtype:
        return _fail(f"'{name}' gives {_plain(result).dtype}, which a tensor of "
                     f"{_plain(target).dtype} cannot hold")
    target._value = result._value
    return target


def _operand(trace, argument):
    """What the table takes for an argument: a Value, a number, or what it is."""
    if isinstance(argument, StandIn):
        if argument._trace is not trace:
            return _fail("a tensor of another trace is used; the combine function must not "
                         "keep tensors between calls")
        return argument._value
    if isinstance(argument, torch.Tensor):
        if argument.requires_grad or argument.dim() or argument.is_complex():
            return _fail(
                f"the combine function uses a tensor of shape {tuple(argument.shape)} that is "
                "none of its arguments; pass it in as a leaf of xs (expanded to its shape)")
        return argument.item()
    return argument


def _pointwise_call(func, name, args, kwargs):
    trace = _find_trace(args, kwargs)
    plain_args, plain_kwargs = pytree.tree_map(_plain_argument, (args, kwargs))
    try:
        with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
            result = func(*plain_args, **plain_kwargs)
            common = _common_dtype(plain_args)
    except Exception as error:  # PyTorch's own message says what is wrong.
        return _fail(f"{type(error).__name__} in '{name}': {error}")
    if result.dtype not in ELEMENTS:
        return _fail(f"'{name}' gives {result.dtype}, which scans do not have")
    values = tuple(_operand(trace, item) for item in args)
    named = {key: _operand(trace, item) for key, item in kwargs.items()}
    call = _pointwise.Call(trace.builder, values, named, ELEMENTS[result.dtype],
                           ELEMENTS.get(common, ELEMENTS[result.dtype]))
    try:
        value = _pointwise.emit(call, func, name)
    except Unsupported as error:
        return _fail(f"'{name}': {error} is not supported")
    return _stand_in(trace, result, value)


def _common_dtype(args):
    numbers = [item for item in args
               if isinstance(item, (torch.Tensor, int, float, complex))][:2]
    if len(numbers) == 2:
        return torch.result_type(*numbers)
    return numbers[0].dtype if numbers and isinstance(numbers[0], torch.Tensor) else None


def trace_combine(combine_fn, spec, dtypes, shape, device):
    """Calls `combine_fn` on stand-ins; the combine region of a scan over those leaves.

    `spec` is the tree of the leaves, `dtypes` has one for each, `shape` is that of all
    slices. Returns the region's text and whether it depends on the extents in `shape`.
    Raises TraceError, with file and line, for what a region cannot hold.
    """
    trace = _Trace(shape, device)
    leaves, names = [], []
    for side in ("acc", "new"):
        for number, dtype in enumerate(dtypes):
            value = Value(f"%{side}{number}", ELEMENTS[dtype])
            names.append(f"{value.name}: {value.type}")
            one = torch.ones((1,) * len(shape), dtype=dtype, device="cpu")
            leaves.append(_stand_in(trace, one, value, is_input=True))
    count = len(dtypes)
    result = combine_fn(pytree.tree_unflatten(leaves[:count], spec),
                        pytree.tree_unflatten(leaves[count:], spec))
    outputs = flatten_like(result, pytree.tree_unflatten(list(range(count)), spec))
    values = [_result_value(trace, number, output, dtypes[number], shape)
              for number, output in enumerate(outputs)]
    # A region yields fresh values, each once.
    used = set()
    for number, value in enumerate(values):
        if value.name.startswith(("%acc", "%new")) or value.name in used:
            values[number] = trace.builder.clone(value)
        used.add(value.name)
    lines = [f"  ^bb0({', '.join(names)}):", *trace.builder.lines,
             f"    scan.yield {', '.join(value.name for value in values)} : "
             f"{', '.join(value.type for value in values)}"]
    return "\n".join(lines), trace.reads_sizes


def _result_value(trace, number, output, dtype, shape):
    if isinstance(output, (bool, int, float, complex)):
        raise TraceError(f"the combine function returns the number {output!r} for leaf {number}; "
                         "expected a tensor of the leaf's dtype and shape")
    if not isinstance(output, torch.Tensor):
        raise TraceError(f"the combine function returns {type(output).__name__} for leaf "
                         f"{number}; expected a tensor")
    if not isinstance(output, StandIn) or output._trace is not trace:
        raise TraceError(f"the combine function returns for leaf {number} a tensor that does "
                         "not depend on its arguments; expected one computed from them")
    plain = _plain(output)
    if plain.dtype != dtype:
        raise TraceError(f"the combine function returns {plain.dtype} for leaf {number}, which "
                         f"has {dtype}; convert the result with .to({dtype})")
    if plain.dim() != len(shape):
        raise TraceError(f"the combine function returns a tensor of rank {plain.dim()} for leaf "
                         f"{number}; expected the rank {len(shape)} of its slices")
    return output._value


def flatten_like(tree, pattern, what="the result of the combine function", kind=TraceError):
    """The leaves of `tree` in the order of `pattern`, whose leaves are numbers.

    Dictionaries are matched by key: PyTorch's pytrees keep the order in which keys
    were inserted, which a combine function is free to change. Where the trees differ it
    raises `kind`, with `what` as the name of the tree.
    """
    found = {}
    _match(tree, pattern, found, what, kind)
    return [found[number] for number in range(len(found))]


def _match(tree, pattern, found, path, kind):
    if isinstance(pattern, int):
        found[pattern] = tree
        return
    if isinstance(pattern, dict):
        if not isinstance(tree, dict) or set(tree) != set(pattern):
            keys = sorted(map(str, tree)) if isinstance(tree, dict) else type(tree).__name__
            raise kind(f"{path}: expected a dict with the keys {sorted(map(str, pattern))}, "
                       f"found {keys}")
        for key, part in pattern.items():
            _match(tree[key], part, found, f"{path}[{key!r}]", kind)
        return
    parts, spec = pytree.tree_flatten(pattern, is_leaf=lambda item: item is not pattern)
    pieces, other = pytree.tree_flatten(tree, is_leaf=lambda item: item is not tree)
    if type(tree) is not type(pattern) or len(parts) != len(pieces) or spec != other:
        raise kind(f"{path}: expected {_describe(pattern)} like that of xs, found "
                   f"{_describe(tree)}")
    for number, (part, piece) in enumerate(zip(parts, pieces)):
        _match(piece, part, found, f"{path}[{number}]", kind)


def _describe(tree):
    if isinstance(tree, (list, tuple)):
        return f"a {type(tree).__name__} of {len(tree)}"
    return f"a {type(tree).__name__}"
