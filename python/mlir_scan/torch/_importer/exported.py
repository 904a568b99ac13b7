# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`import_exported`: programs of `torch.export` as modules of MLIR.

The graph is brought to functional form by PyTorch (`run_decompositions`), which also
takes apart what is not known here, and imported node by node: pointwise operations by
the table that combine functions are traced with (`_pointwise`), others by `OPERATORS`,
to which the modules for kinds of operations add theirs.
"""

import functools
import operator
import warnings
from dataclasses import dataclass

import torch

from ... import compiler
from .. import _pointwise
from .._dtypes import ELEMENTS
from . import calls, creation, elementwise, indexing, reductions, scans, shapes
from .graph import Graph
from .view import GraphError, View, extents
from .source import where

# Constants of at most so many elements are part of the program.
_MAX_CONSTANT = 64
OPERATORS = {**shapes.OPERATORS, **creation.OPERATORS, **reductions.OPERATORS,
             **scans.OPERATORS, **calls.OPERATORS, **indexing.OPERATORS}
# What only checks or says something about tensors.
_IGNORED = {"_assert_scalar", "_assert_async", "_assert_tensor_metadata", "sym_size",
            "sym_constrain_range", "sym_constrain_range_for_size", "select_copy"}


# Operators with overloads that PyTorch's decompositions make one of.
_GENERAL = {"var"}


@dataclass
class Imported:
    """What a graph became."""

    text: str
    # For each argument its FX placeholder's name and, where the program owns the value
    # (parameters, buffers, constants), that.
    arguments: list
    # For each result (element, shape).
    results: list
    # Extents and dtypes of the arguments that the caller brings.
    inputs: list


def import_exported(program):
    """A module with the function `forward`, which computes what an exported program does.

    Args:
        program: what `torch.export.export` returned, with static or dynamic shapes;
            symbolic extents become dynamic dimensions. The operators of this package,
            `torch.cumsum` and its kind, and PyTorch's `associative_scan` and `scan`
            (as higher-order operators) become scans; a `scan` is a loop over slices,
            and a scan again where `--scan-raise-recurrence` recognises a recurrence.

    Returns:
        A `mlir_scan.Module`. Its function takes the program's inputs, flattened, in
        their order, and then its parameters, buffers and constants as
        `exported_arguments` has them; it returns the outputs, flattened. Operations
        have the locations of the lines of Python that they come from.

    Raises:
        GraphError: (a ScanError) an operation that has no counterpart here, a dtype that
            scans do not have, an output that is no tensor or an input that is changed;
            names the operation, and file and line.

    Example:
        >>> program = torch.export.export(model, (x,), dynamic_shapes=({1: Dim("time")},))
        >>> forward = mlir_scan.compile(import_exported(program))
        >>> y, = forward(x, *exported_arguments(program).values())
    """
    return to_module(translate(program))


def exported_arguments(program):
    """What `import_exported(program)` takes after the inputs: a dict of tensors by name.

    Parameters, buffers and constants of more than 64 elements that the program uses, in
    the order of its signature. Smaller constants are part of the module.
    """
    return {name: value for name, value in _owned(program)
            if not _is_small_constant(program, name, value)}


def to_module(imported, name="<exported>"):
    """The module of an imported graph: functions inlined, recurrences recognised."""
    module = compiler.parse(imported.text, name)
    if "func.func private" in imported.text:
        module.run("inline,symbol-dce")
    if "scf.for" in imported.text:
        module.run("scan-raise-recurrence")
    module.run("canonicalize,cse")
    return module


@functools.cache
def _decompositions():
    """PyTorch's decompositions of all operators but those that are imported as they are."""
    table = torch.export.default_decompositions()
    aten = torch.ops.aten
    table.update(torch._decomp.get_decompositions([
        aten.hardtanh, aten.linalg_vector_norm, aten.var_mean, aten.std_mean]))
    for overload in list(table):
        name = _pointwise.base_name(overload)
        known = name in OPERATORS or _pointwise.is_pointwise(name)
        if known and name not in _GENERAL and not _aliases(overload):
            del table[overload]
    return table


def _aliases(overload):
    schema = getattr(overload, "_schema", None)
    return schema is None or any(item.alias_info is not None
                                 for item in (*schema.arguments, *schema.returns))


def translate(program):
    """An exported program as text, with what it takes and returns."""
    if not isinstance(program, torch.export.ExportedProgram):
        raise GraphError("import_exported: expected what torch.export.export returns, found "
                         f"{type(program).__name__}")
    with warnings.catch_warnings():
        # torch.export copies what it itself deprecates.
        warnings.simplefilter("ignore", FutureWarning)
        functional = program.run_decompositions(_decompositions())
    return _Importer(functional).run()


def _owned(program):
    """(name, tensor) of what a program owns, in the order of its signature."""
    signature = program.graph_signature
    for spec in signature.input_specs:
        if spec.kind.name in ("PARAMETER", "BUFFER"):
            persistent = spec.kind.name == "PARAMETER" or spec.persistent
            store = program.state_dict if persistent else program.constants
            yield spec.target, store[spec.target]
        elif spec.kind.name == "CONSTANT_TENSOR":
            yield spec.target, program.constants[spec.target]


def _is_small_constant(program, name, value):
    signature = program.graph_signature
    return (name in signature.lifted_tensor_constants and value.numel() <= _MAX_CONSTANT
            or value.numel() == 1 and name in getattr(signature, "lifted_tensor_constants", ()))


class _Importer:
    """Imports one exported program."""

    def __init__(self, program):
        self.program = program
        self.graph = Graph(self.fail)
        self.node = None
        self.functions = []

    # ---- what the emitters ask for -------------------------------------------

    def fail(self, message):
        """Raises GraphError with the line of the node."""
        path, line = where(self.node)
        place = f"{path}:{line}: " if path else ""
        target = "" if self.node is None or self.node.op == "output" else \
            f"'{self.node.target}': "
        raise GraphError(f"{place}{target}{message}")

    def element(self, dtype):
        """The element type of a dtype."""
        if dtype not in ELEMENTS:
            self.fail(f"the dtype {dtype} is none that scans have; convert it to another one")
        return ELEMENTS[dtype]

    def result(self, number=None):
        """Element type and shape of the node's result, or of one of its results."""
        value = self.node.meta["val"]
        if number is not None:
            value = value[number]
        return self.element(value.dtype), extents(value.shape)

    # ---- the walk ------------------------------------------------------------

    def run(self):
        """The text of the function."""
        signature = self.program.graph_signature
        owned = dict(_owned(self.program))
        placeholders = [node for node in self.program.graph.nodes if node.op == "placeholder"]
        env, callers, owns = {}, [], []
        for node, spec in zip(placeholders, signature.input_specs):
            self.node = node
            kind = spec.kind.name
            if kind == "USER_INPUT":
                value = node.meta.get("val")
                if not isinstance(value, torch.Tensor):
                    if isinstance(value, torch.SymInt) or value is None and node.users:
                        self.fail("a dynamic number as input; pass a tensor, or a number that "
                                  "is fixed when the program is exported")
                    env[node] = value
                    continue
                callers.append((node, spec))
            elif kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
                value = owned[spec.target]
                if _is_small_constant(self.program, spec.target, value):
                    env[node] = creation.constant(self, value)
                else:
                    owns.append((node, spec))
            elif node.users:
                self.fail(f"an input of the kind {kind}, which is no tensor")
        arguments = []
        for number, (node, spec) in enumerate(callers + owns):
            value = node.meta["val"]
            element, shape = self.element(value.dtype), extents(value.shape)
            name = f"%arg{number}"
            env[node] = self.graph.tensor(name, element, shape)
            kind = self.graph.type(element, shape)
            arguments.append(f"{name}: {kind}")
            for dim, extent in enumerate(shape):
                if getattr(extent, "is_Symbol", False):
                    self.graph.bind(extent, name, kind, dim)
        outputs = self.walk(self.program.graph_module, env)
        return self.finish(callers, owns, arguments, outputs)

    def finish(self, callers, owns, arguments, outputs):
        """The function around the operations."""
        values = []
        for spec, output in zip(self.program.graph_signature.output_specs, outputs):
            if spec.kind.name != "USER_OUTPUT":
                self.fail(f"the program changes '{spec.target}' ({spec.kind.name.lower()}); "
                          "return the new value instead")
            output = shapes.whole(self, output)
            if not isinstance(output, View):
                self.fail(f"the program returns {output!r}, which is no tensor")
            values.append(output)
        # What is still a view is written where it was computed.
        names, (sources, *_) = [], next(iter(reversed(self.program.graph.nodes))).args
        for value, source in zip(values, sources):
            self.graph.at(*where(source))
            names.append(self.graph.materialize(value))
        types = ", ".join(self.graph.type(value.element, value.shape) for value in values)
        body = "\n".join(self.graph.body())
        text = (f"func.func @forward({', '.join(arguments)}) -> ({types}) {{\n{body}\n"
                f"  return {', '.join(names)} : {types}\n}}\n{''.join(self.functions)}")
        return Imported(
            text, [(spec.target or node.name) for node, spec in callers + owns],
            [(value.element, value.shape) for value in values],
            [(node.name, node.meta["val"].dtype, extents(node.meta["val"].shape))
             for node, _ in callers])

    def walk(self, module, env):
        """Imports the nodes of a graph whose placeholders are in `env`; its outputs."""
        for node in module.graph.nodes:
            self.node = node
            self.graph.at(*where(node))
            if node.op == "output":
                outputs = node.args[0]
                outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
                return [self.value(env, output) for output in outputs]
            if node.op == "get_attr":
                env[node] = self.attribute(module, node)
            elif node.op == "call_function":
                env[node] = self.call(node, env)
        return []

    def inline(self, module, arguments):
        """Imports the graph of a higher-order operator for these arguments."""
        node, location = self.node, self.graph.location
        placeholders = [item for item in module.graph.nodes if item.op == "placeholder"]
        outputs = self.walk(module, dict(zip(placeholders, arguments)))
        self.node, self.graph.location = node, location
        return outputs

    def attribute(self, module, node):
        """A graph of a higher-order operator, or a tensor that a graph holds."""
        value = functools.reduce(getattr, node.target.split("."), module)
        if isinstance(value, torch.Tensor):
            if value.numel() > _MAX_CONSTANT:
                self.fail(f"a constant of {value.numel()} elements inside the graph; make it a "
                          "buffer or an input")
            return creation.constant(self, value)
        return value

    def value(self, env, item):
        """An argument of a node: nodes as what they became, extents as expressions."""
        if isinstance(item, torch.fx.Node):
            return env[item]
        if isinstance(item, (tuple, list)):
            return [self.value(env, part) for part in item]
        if isinstance(item, dict):
            return {key: self.value(env, part) for key, part in item.items()}
        return item

    def call(self, node, env):
        """What a call becomes: a View, a list of them, an extent."""
        if node.target is operator.getitem:
            return env[node.args[0]][node.args[1]]
        value = node.meta.get("val")
        if isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool):
            return extents((value,))[0]
        name = _pointwise.base_name(node.target)
        if name in _IGNORED or isinstance(value, (bool, torch.SymBool)):
            return None
        args, kwargs = self.value(env, node.args), self.value(env, node.kwargs)
        if name != "select":
            args = [shapes.whole(self, item) for item in args]
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            name = f"higher_order.{node.target.name()}"
        elif getattr(node.target, "namespace", "aten") == "mlir_scan":
            name = f"mlir_scan.{name}"
        if name in OPERATORS:
            return OPERATORS[name](self, args, kwargs)
        if elementwise.is_pointwise(name) and isinstance(value, torch.Tensor):
            return elementwise.emit(self, node, name, args, kwargs)
        return self.fail("an operation that cannot be imported")
