# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jit`: a whole function of tensors as one program, with its derivative.

A function is exported (`torch.export`), imported (`_import`) and kept for the shapes
that it holds for. The first trace of a process costs what importing torch.export and
SymPy costs, about 3 s; later ones take 0.1 to 0.5 s, and the compilation to machine
code as much. Calls that find their program cost some tens of microseconds more than
the program itself.
"""

import contextlib
import functools
import inspect
import threading
import warnings

import torch
from torch.utils import _pytree as pytree

from .. import program as programs
from ..errors import ScanError
from . import _call
from ._dtypes import element_of, require_tensor
from ._importer.view import GraphError
from ._keys import key_of

# Programs of one function that are kept; the oldest goes.
_MAX_PROGRAMS = 64
# What has no leaves but itself.
_LEAVES = {torch.Tensor, torch.nn.Parameter, bool, int, float, complex, str, type(None)}


def jit(function=None, *, dynamic=None):
    """Compiles a function of tensors to one program, forward and backward.

    Gates, scans and what reads their states are fused as `mlir-scan`'s passes do it: what
    lies between them does not go through memory. The backward pass is a program, too,
    made by `--scan-differentiate`; it computes again what it needs of the forward pass, so
    that nothing but the arguments is kept.

    Args:
        function: takes tensors, numbers and pytrees of them, by position or name, and
            returns a tensor or a pytree of tensors. Or an `nn.Module`, whose parameters
            and buffers become arguments. It may call the functions of this module and
            all operations that `import_exported` knows; products of matrices become
            plain loops, so that large ones are better left outside, to PyTorch.
        dynamic: which dimensions have extents that may change without compiling anew: a
            dict from names of arguments to tuples of dimensions. None: those that have
            changed between calls. All others are compiled in, which for small ones (the
            states of a model) is faster.

    Returns:
        A function with the same arguments. Its results are differentiable any number of
        times with respect to all tensors of floating-point or complex numbers, and work
        on the CPU and on CUDA. Under `torch.compile`, `torch.export` and where somebody
        traces, the function itself is called.

    The function is traced for each structure of its arguments, dtypes, ranks, numbers,
    extents that are not dynamic (0 and 1 never are), and for what its code reads as
    numbers or functions in closures and globals; what else it reads is read when it is
    traced. Its Python code does not run afterwards.

    Raises:
        GraphError: (a ScanError, when it is called) an operation that has no
            counterpart, a captured tensor that requires a gradient, or a gradient through
            `detach` or `torch.no_grad`; names file and line.

    Example:
        >>> @scan.jit
        ... def gated(x, gate):
        ...     a = torch.sigmoid(gate)
        ...     return scan.linear_recurrence(a, (1 - a) * x)
        >>> h = gated(x, gate)                                          # [B, T, C]
    """
    if function is None:
        return lambda function: jit(function, dynamic=dynamic)
    if not callable(function):
        raise ScanError(f"jit: expected a function, found {type(function).__name__}")
    return Jitted(function, dynamic)


class _Entry:
    """One program, and the shapes that it holds for."""

    def __init__(self, program, holds, out_spec, has_detach):
        self.program, self.holds = program, holds
        self.out_spec, self.has_detach = out_spec, has_detach


class _Family:
    """The programs for one structure of arguments."""

    def __init__(self):
        self.entries = []
        # Shapes of the last trace, and for each tensor the dimensions that have changed.
        self.shapes, self.changed = None, None


class Jitted:
    """What `jit` returns."""

    def __init__(self, function, dynamic):
        self._function, self._dynamic = function, dynamic
        self._families, self._lock = {}, threading.Lock()
        functools.update_wrapper(self, function, updated=())
        self._module = function if isinstance(function, torch.nn.Module) else None

    def __call__(self, *args, **kwargs):
        if torch.compiler.is_compiling():
            return self._function(*args, **kwargs)
        leaves, spec = self._flatten(args, kwargs)
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if not tensors:
            raise ScanError(f"{self._name}: expected at least one tensor among the arguments")
        if _call._needs_operator(tensors):
            return self._function(*args, **kwargs)
        entry = self._find(leaves, spec, tensors)
        if entry.has_detach and torch.is_grad_enabled() \
                and any(item.requires_grad for item in tensors):
            raise GraphError(
                f"{self._name}: 'detach' or torch.no_grad() inside of a function whose gradient "
                "is asked for, which is that of the whole program; compute what has no gradient "
                "before, and pass it in detached")
        outputs = _call.call(entry.program, tensors)
        if entry.out_spec.is_leaf():
            return outputs[0]
        return pytree.tree_unflatten(list(outputs), entry.out_spec)

    def _flatten(self, args, kwargs):
        """The leaves of all arguments and their tree; quick for tensors and numbers alone."""
        if self._module is None and not kwargs:
            for item in args:
                if type(item) not in _LEAVES:
                    break
            else:
                return list(args), len(args)
        owned = () if self._module is None else (
            dict(self._module.named_parameters()), dict(self._module.named_buffers()))
        return pytree.tree_flatten((owned, args, kwargs))

    @staticmethod
    def _unflatten(leaves, spec):
        """Owned tensors, args and kwargs."""
        if type(spec) is int:
            return (), tuple(leaves), {}
        return pytree.tree_unflatten(leaves, spec)

    def __repr__(self):
        return f"<jit of {self._name}>"

    @property
    def _name(self):
        return getattr(self._function, "__qualname__", type(self._function).__name__)

    def programs(self):
        """The programs that were made so far, MLIR text, the last one first."""
        return [entry.program.text.partition(" | ")[2] for family in self._families.values()
                for entry in family.entries]

    # ---- which program ---------------------------------------------------------

    def _find(self, leaves, spec, tensors):
        shapes = [tuple(item.shape) for item in tensors]
        family = self._family(leaves, spec)
        for entry in family.entries:
            if entry.holds(shapes):
                return entry
        with self._lock:
            for entry in family.entries:
                if entry.holds(shapes):
                    return entry
            entry = self._trace(family, leaves, spec, tensors, shapes)
            family.entries.insert(0, entry)
            del family.entries[_MAX_PROGRAMS:]
            return entry

    def _family(self, leaves, spec):
        function = id(self._module) if self._module is not None else key_of(self._function)
        training = self._module.training if self._module is not None else None
        kinds = tuple((leaf.dtype, leaf.dim()) if isinstance(leaf, torch.Tensor)
                      else (type(leaf), leaf) for leaf in leaves)
        key = (function, training, spec, kinds)
        try:
            family = self._families.get(key)
        except TypeError as error:
            raise ScanError(f"{self._name}: an argument is no tensor and cannot be compared with "
                            f"those of later calls ({error})") from None
        if family is None:
            family = self._families.setdefault(key, _Family())
        return family

    def _trace(self, family, leaves, spec, tensors, shapes):
        from ._importer import exported as importer
        for number, item in enumerate(tensors):
            require_tensor(item, f"{self._name}: tensor {number}")
            element_of(item.dtype, f"{self._name}: tensor {number}")
        changed = family.changed or [set() for _ in shapes]
        for number, (old, new) in enumerate(zip(family.shapes or shapes, shapes)):
            changed[number] |= {dim for dim, pair in enumerate(zip(old, new))
                                if pair[0] != pair[1]}
        family.shapes, family.changed = shapes, changed
        if self._dynamic is not None:
            changed = self._declared(leaves, spec, shapes)
        # Extents of 0 and 1 are always compiled in: broadcasting depends on them.
        marked = tuple({dim: torch.export.Dim.AUTO for dim in dims if shape[dim] > 1} or None
                       for dims, shape in zip(changed, shapes))
        # Dense tensors of their own, whose strides and identities say nothing.
        with torch._C._DisableFuncTorch():
            examples = tuple(torch.empty(shape, dtype=item.dtype, device=item.device)
                             for shape, item in zip(shapes, tensors))
        traced = _Traced(self._function, self._module, leaves, spec)
        with _plain_context():
            exported = self._export(traced, examples, marked)
            imported = importer.translate(exported)
        if len(imported.arguments) != len(imported.inputs):
            raise GraphError(f"{self._name}: captures a tensor that is none of its arguments "
                             f"({imported.arguments[len(imported.inputs)]}); pass it in")
        module = importer.to_module(imported, f"<{self._name}>")
        results = [(element, _places(shape, imported.inputs))
                   for element, shape in imported.results]
        # With locations: what cannot be differentiated is named by its line.
        text = programs.make_text(results, False, module.to_text(locations=True))
        return _Entry(programs.load(text), _guard(exported, imported.inputs),
                      exported.call_spec.out_spec, _stops_gradients(exported.graph_module))

    def _export(self, traced, examples, marked):
        from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
        try:
            return torch.export.export(traced, examples, dynamic_shapes=(marked,))
        except GuardOnDataDependentSymNode as error:
            raise GraphError(f"{self._name}: what the function does depends on the value of a "
                             "tensor, which is not there when it is traced; use torch.where for "
                             "a choice") from error

    def _declared(self, leaves, spec, shapes):
        """The dynamic dimensions of each tensor, by the names of the arguments."""
        _, args, kwargs = self._unflatten(leaves, spec)
        bound = inspect.signature(self._function).bind(*args, **kwargs).arguments
        unknown = set(self._dynamic) - set(inspect.signature(self._function).parameters)
        if unknown:
            raise ScanError(f"{self._name}: dynamic has {sorted(unknown)}, which are no arguments; "
                            f"expected some of {list(bound)}")
        # Which tensor is of which argument: by identity, as they are flattened.
        owner = {}
        for name, value in bound.items():
            for leaf in pytree.tree_leaves(value):
                owner.setdefault(id(leaf), name)
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        result = []
        for leaf, shape in zip(tensors, shapes):
            dims = self._dynamic.get(owner.get(id(leaf)), ())
            dims = (dims,) if isinstance(dims, int) else dims
            result.append({dim % len(shape) for dim in dims if -len(shape) <= dim < len(shape)})
        return result


class _Traced(torch.nn.Module):
    """The function as a module of its tensors, for torch.export."""

    def __init__(self, function, module, leaves, spec):
        super().__init__()
        # Not registered: the parameters of a module come in as tensors.
        self.__dict__["_call_it"] = (function, module, leaves, spec)

    def forward(self, *tensors):
        function, module, leaves, spec = self.__dict__["_call_it"]
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        owned, args, kwargs = Jitted._unflatten(leaves, spec)
        with _Captured():
            if module is not None:
                return torch.func.functional_call(module, owned, args, kwargs)
            return _anchored(function)(*args, **kwargs)


def _anchored(function):
    """The function, whose lines torch.fx notes for the operations that it calls."""
    from torch.fx.traceback import annotate_fn
    return annotate_fn({"mlir_scan": "jit"})(function) if hasattr(function, "__code__") \
        else function


class _Captured(torch.overrides.TorchFunctionMode):
    """Refuses tensors of elsewhere whose gradient would be lost."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        for item in pytree.tree_leaves((args, kwargs)):
            if isinstance(item, torch.Tensor) and item.requires_grad \
                    and type(item) in (torch.Tensor, torch.nn.Parameter):
                from ._trace import _where
                raise GraphError(
                    f"{_where()}: '{getattr(func, '__name__', func)}' uses a tensor of shape "
                    f"{tuple(item.shape)} that requires a gradient and is none of the arguments "
                    "of the function; pass it in")
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _plain_context():
    """Neither transforms nor modes that the caller is in, which a program does not know."""
    with torch._C._DisableFuncTorch(), torch.inference_mode(False), torch.enable_grad(), \
            torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False), \
            warnings.catch_warnings():
        # torch.export copies what it itself deprecates.
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _stops_gradients(module):
    for node in module.graph.nodes:
        name = str(node.target)
        if node.op == "call_function" and (name.startswith("aten.detach.") or
                                           name == "wrap_with_set_grad_enabled"):
            return True
    return False


def _places(shape, inputs):
    """Where the extents of a result are found: "argument.dimension", or "?"."""
    known = {}
    for number, (_, _, extents) in enumerate(inputs):
        for dim, extent in enumerate(extents):
            known.setdefault(extent, f"{number}.{dim}")
    return [str(extent) if isinstance(extent, int) else known.get(extent, "?")
            for extent in shape]


def _guard(exported, inputs):
    """A function that says whether a program holds for a list of shapes."""
    symbols, conditions = {}, []
    for number, (_, _, extents) in enumerate(inputs):
        for dim, extent in enumerate(extents):
            place = f"s[{number}][{dim}]"
            if isinstance(extent, int):
                conditions.append(f"{place} == {extent}")
            elif extent in symbols:
                conditions.append(f"{place} == {symbols[extent]}")
            else:
                symbols[extent] = place
    for symbol, values in exported.range_constraints.items():
        if symbol in symbols:
            if values.lower.is_Integer:
                conditions.append(f"{symbols[symbol]} >= {int(values.lower)}")
            if values.upper.is_Integer:
                conditions.append(f"{symbols[symbol]} <= {int(values.upper)}")
    for text in getattr(exported, "_guards_code", None) or []:
        if "L['tensors']" in text:
            text = text.replace("L['tensors']", "s").replace(".size()", "")
            if "stride" not in text and "L[" not in text:
                conditions.append(f"({text})")
    code = compile(" and ".join(conditions) or "True", "<guard>", "eval")
    names = {"__builtins__": {"max": max, "min": min, "Max": max, "Min": min}}
    return lambda shapes: eval(code, names, {"s": shapes})  # noqa: S307
