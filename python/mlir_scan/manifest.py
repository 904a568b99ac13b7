# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a launch manifest: what docs/manifest.md describes, checked."""

import dataclasses
import json
from typing import Optional, Union

from . import expression
from .errors import ScanError

ELEMENT_BYTES = {
    "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "index": 8, "f16": 2, "bf16": 2,
    "f32": 4, "f64": 8, "complex<f32>": 8, "complex<f64>": 16,
}

# An integer or an expression, as mlir_scan.expression has them.
Number = Union[int, str, list]


@dataclasses.dataclass
class Argument:
    """An argument of a function; `strides` is None where the tensor is dense."""

    name: str
    element: str
    element_bytes: int
    is_scalar: bool
    shape: list = dataclasses.field(default_factory=list)
    strides: Optional[list] = None
    offset: Number = 0


@dataclasses.dataclass
class Buffer:
    """Memory that a kernel or a result refers to; `data` is that of constants."""

    name: str
    kind: str
    index: int
    element: str
    element_bytes: int
    shape: list
    data: bytes = b""


@dataclasses.dataclass
class Result:
    """A result: the buffer, by number, and how it is to be read."""

    buffer: int
    element: str
    element_bytes: int
    shape: list


@dataclasses.dataclass
class Parameter:
    """A parameter of a kernel.

    kind      value
    pointer   the number of the buffer
    workspace nothing
    status    its number
    number    an expression in the function's names; `is_size`: the grid may use it
    scalar    the number of the function's argument
    constant  its bytes

    `size` is how many bytes the parameter has.
    """

    name: str
    kind: str
    value: object = None
    is_size: bool = False
    size: int = 8


@dataclasses.dataclass
class Kernel:
    """`conditions`, in the function's names, all have to hold for a launch."""

    entry: str
    conditions: list
    parameters: list
    grid: list
    block: list
    dynamic_shared_bytes: int
    workspace_bytes: Number
    is_workspace_zeroed: bool
    schedule: str


@dataclasses.dataclass
class Repeat:
    """`count` kernels, from number `first` on, that are launched in this order `steps` times,
    with the number of the repetition as `name`."""

    first: int
    count: int
    name: str
    steps: Number


@dataclasses.dataclass
class Cleared:
    """A buffer, by number, whose bytes become zero in front of kernel number `before`."""

    buffer: int
    before: int


@dataclasses.dataclass
class Function:
    name: str
    arguments: list
    results: list
    buffers: list
    kernels: list
    cleared: list
    # For each status the number of the argument that the offsets are; None where the function
    # computes them.
    statuses: list = dataclasses.field(default_factory=list)
    # Comparisons in the function's names, all of which have to hold.
    requirements: list = dataclasses.field(default_factory=list)
    # In the order of the kernels, of which none is in two of them.
    repeats: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Manifest:
    """`hash` is the SHA-256 of the PTX; empty where the manifest does not say it."""

    chip: str
    functions: list
    hash: bytes = b""


def read(text):
    """The manifest in `text`. Fails with one line that says where it is wrong."""
    try:
        json_value = json.loads(text)
    except (ValueError, RecursionError):
        raise ScanError("the manifest is not valid: it is no JSON text") from None
    version = _count(json_value, "version", "the whole")
    if not 1 <= version <= 6:
        raise ScanError(f"expected a manifest of version 1 to 6, found version {version}; "
                        "a newer launcher is needed")
    chip = _get(json_value, "chip", str, "the whole")
    has_hash = "ptx_sha256" in json_value
    digest = _hex(json_value, "ptx_sha256", 32, "the whole") if has_hash else b""
    reader = _Reader(version)
    functions = [reader.function(entry)
                 for entry in _get(json_value, "functions", list, "the whole")]
    return Manifest(chip, functions, digest)


def _fail(where, what):
    raise ScanError(f"the manifest is not valid: {where}: {what}")


def _type_name(value):
    """As JSON calls the type."""
    for kind, name in ((bool, "boolean"), ((int, float), "number"), (str, "string"),
                       (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "null"


def _is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _get(entry, key, kind, where):
    """The entry `key` of a JSON object, which has to be of type `kind`, if given."""
    if not isinstance(entry, dict):
        _fail(where, f"expected an object, found {_type_name(entry)}")
    if key not in entry:
        _fail(where, f"expected an entry '{key}', found none")
    value = entry[key]
    if kind and not (_is_integer(value) if kind is int else isinstance(value, kind)):
        _fail(where, f"'{key}' has an unexpected type, {_type_name(value)}")
    return value


def _count(entry, key, where):
    value = _get(entry, key, int, where)
    if value < 0:
        _fail(where, f"'{key}' is negative")
    return value


def _number_or_name(value, where):
    if not _is_integer(value) and not isinstance(value, str):
        _fail(where, f"expected an integer or a name, found {_type_name(value)}")
    return value


def _element(entry, where):
    element = _get(entry, "element", str, where)
    if element not in ELEMENT_BYTES:
        _fail(where, f"unknown element type '{element}'")
    return element, ELEMENT_BYTES[element]


def _hex(entry, key, size, where):
    digits = _get(entry, key, str, where)
    if set(digits) - set("0123456789abcdef"):
        _fail(where, f"'{key}' has other than hexadecimal digits")
    if len(digits) % 2 or (size and len(digits) != 2 * size):
        _fail(where, f"'{key}' has {len(digits)} digits")
    return bytes.fromhex(digits)


def _argument(entry, where):
    name = _get(entry, "name", str, where)
    element, size = _element(entry, where)
    kind = _get(entry, "kind", str, where)
    if kind not in ("scalar", "tensor"):
        _fail(where, f"unknown kind '{kind}'")
    argument = Argument(name, element, size, kind == "scalar")
    if argument.is_scalar:
        return argument
    argument.shape = [_number_or_name(item, where) for item in _get(entry, "shape", list, where)]
    if "strides" not in entry:
        return argument
    strides = _get(entry, "strides", list, where)
    argument.strides = [_number_or_name(item, where) for item in strides]
    if len(argument.strides) != len(argument.shape):
        _fail(where, "'strides' and 'shape' differ in length")
    argument.offset = _number_or_name(_get(entry, "offset", None, where), where)
    return argument


def _status(entry, arguments, where):
    kind = _get(entry, "kind", str, where)
    if kind != "segment-offsets":
        _fail(where, f"unknown kind '{kind}'")
    if "argument" not in entry:
        return None
    name = _get(entry, "argument", str, where)
    for number, argument in enumerate(arguments):
        if argument.name == name:
            return number
    return _fail(where, f"'{name}' is no argument of the function")


def _find_buffer(buffers, name, where):
    for number, buffer in enumerate(buffers):
        if buffer.name == name:
            return number
    return _fail(where, f"unknown buffer '{name}'")


class _Reader:
    """Reads the functions of a manifest of one version."""

    def __init__(self, version):
        self.version = version

    def expression(self, value, where, is_comparison=False, key="when"):
        is_text = self.version < 4
        if is_comparison and not isinstance(value, str if is_text else list):
            _fail(where, f"expected a comparison in '{key}', found {_type_name(value)}")
        try:
            # Until version 3 strings were texts, and there were no trees.
            if is_text and isinstance(value, str):
                return expression.parse(value, is_comparison)
            if is_text and isinstance(value, list):
                raise ScanError("expected an integer or an expression, found array")
            expression.check(value, _type_name, is_comparison)
        except ScanError as error:
            _fail(where, str(error))
        return value

    def expressions(self, entry, key, where):
        return [self.expression(value, where) for value in _get(entry, key, list, where)]

    def require(self, version, where, what):
        if self.version < version:
            _fail(where, f"{what}, which version {self.version} has none of")

    def function(self, entry):
        name = _get(entry, "name", str, "functions")
        where = f"function {name}"
        arguments = [_argument(item, where) for item in _get(entry, "arguments", list, where)]
        buffers = [self.buffer(item, where) for item in _get(entry, "buffers", list, where)]
        for buffer in buffers:
            if buffer.kind == "argument" and buffer.index >= len(arguments):
                _fail(where, f"buffer '{buffer.name}' is no argument")
        results = []
        for item in _get(entry, "results", list, where):
            buffer = _find_buffer(buffers, _get(item, "buffer", str, where), where)
            shape = self.expressions(item, "shape", where)
            results.append(Result(buffer, *_element(item, where), shape))
        statuses = [_status(item, arguments, where)
                    for item in (_get(entry, "status", list, where) if "status" in entry else ())]
        kernels = [self.kernel(item, arguments, buffers, where)
                   for item in _get(entry, "kernels", list, where)]
        for kernel in kernels:
            for parameter in kernel.parameters:
                if parameter.kind == "status" and parameter.value >= len(statuses):
                    _fail(f"kernel {kernel.entry}",
                          f"'{parameter.name}' is a status that is not listed")
        repeats = []
        for item in _get(entry, "repeat", list, where) if "repeat" in entry else ():
            repeats.append(self.repeat(item, kernels, repeats, where))
        cleared = [self.cleared(item, buffers, len(kernels), repeats, where)
                   for item in (_get(entry, "cleared", list, where) if "cleared" in entry else ())]
        requirements = [
            self.expression(item, where, is_comparison=True, key="requires")
            for item in (_get(entry, "requires", list, where) if "requires" in entry else ())]
        return Function(name, arguments, results, buffers, kernels, cleared, statuses,
                        requirements, repeats)

    def repeat(self, entry, kernels, before, where):
        repeat = Repeat(_count(entry, "first", where), _count(entry, "kernels", where),
                        _get(entry, "step", str, where),
                        self.expression(_get(entry, "steps", None, where), where))
        self.require(6, where, "it has launches that are repeated")
        if not expression.is_name(repeat.name):
            _fail(where, f"expected a name, found '{repeat.name}'")
        behind = before[-1].first + before[-1].count if before else 0
        if not repeat.count or not behind <= repeat.first <= len(kernels) - repeat.count:
            _fail(where, f"expected 'repeat' to be of kernels from {behind} to {len(kernels)}, "
                         f"found {repeat.count} from {repeat.first} on")
        # The grid is that of all steps.
        for kernel in kernels[repeat.first:repeat.first + repeat.count]:
            for parameter in kernel.parameters:
                if parameter.is_size and expression.mentions(parameter.value, repeat.name):
                    _fail(f"kernel {kernel.entry}",
                          f"'{parameter.name}' is a size that depends on the step")
        return repeat

    def cleared(self, entry, buffers, num_kernels, repeats, where):
        cleared = Cleared(_find_buffer(buffers, _get(entry, "buffer", str, where), where),
                          _count(entry, "before", where))
        self.require(3, where, "it has buffers to be cleared")
        if cleared.before > num_kernels:
            _fail(where, f"'before' is {cleared.before}, more than the number of kernels")
        if any(repeat.first < cleared.before < repeat.first + repeat.count for repeat in repeats):
            _fail(where, "a buffer is cleared among launches that are repeated")
        if buffers[cleared.buffer].kind == "constant":
            _fail(where, "a constant is to be cleared")
        return cleared

    def buffer(self, entry, where):
        buffer = Buffer(_get(entry, "name", str, where), "", _count(entry, "index", where),
                        *_element(entry, where), self.expressions(entry, "shape", where))
        buffer.kind = _get(entry, "kind", str, where)
        if buffer.kind not in ("argument", "result", "temporary", "constant"):
            _fail(where, f"unknown kind '{buffer.kind}'")
        if buffer.kind == "constant":
            buffer.data = _hex(entry, "data", 0, where)
        return buffer

    def parameter(self, entry, arguments, buffers, where):
        parameter = self.read_parameter(entry, arguments, buffers, where)
        if entry["kind"] == "scalar":
            _, parameter.size = _element(entry, where)
        size = _count(entry, "bytes", where)
        if size != parameter.size:
            _fail(where, f"expected {parameter.size} bytes for '{parameter.name}', found {size}")
        return parameter

    def read_parameter(self, entry, arguments, buffers, where):
        name = _get(entry, "name", str, where)
        kind = _get(entry, "kind", str, where)
        if kind == "pointer":
            buffer = _find_buffer(buffers, _get(entry, "buffer", str, where), where)
            return Parameter(name, "pointer", buffer)
        if kind == "workspace":
            return Parameter(name, "workspace")
        if kind == "status":
            self.require(5, where, "it has a status")
            return Parameter(name, "status", _count(entry, "index", where))
        if kind in ("size", "stride", "offset"):
            value = self.expression(_get(entry, "value", None, where), where)
            return Parameter(name, "number", value, kind == "size")
        if kind != "scalar":
            _fail(where, f"unknown kind '{kind}'")
        if "constant" in entry:
            _, size = _element(entry, where)
            return Parameter(name, "constant", _hex(entry, "constant", size, where))
        value = _get(entry, "value", None, where)
        for number, argument in enumerate(arguments):
            if argument.name == value and argument.is_scalar:
                element, size = _element(entry, where)
                # Narrow integers are the first bytes of wide ones.
                is_narrow = element[0] == argument.element[0] == "i" and (
                    size <= argument.element_bytes)
                if element != argument.element and not is_narrow:
                    _fail(where, f"'{name}' is of type {element}, expected that of '{value}', "
                                 f"{argument.element}")
                return Parameter(name, "scalar", number)
        if _get(entry, "element", str, where).startswith("i"):
            # Computed from extents. Little-endian: narrow integers come first.
            return Parameter(name, "number", self.expression(value, where), False)
        return _fail(where, f"'{expression.show(value)}' is no scalar argument of the function")

    def kernel(self, entry, arguments, buffers, where):
        name = _get(entry, "entry", str, where)
        where = f"kernel {name}"
        conditions = [self.expression(item, where, is_comparison=True)
                      for item in (_get(entry, "when", list, where) if "when" in entry else ())]
        if "when" in entry:
            self.require(3, where, "it has conditions")
        parameters = [self.parameter(item, arguments, buffers, where)
                      for item in _get(entry, "arguments", list, where)]
        grid = self.expressions(entry, "grid", where)
        block = self.expressions(entry, "block", where)
        if len(grid) != 3 or len(block) != 3:
            _fail(where, "expected three extents in 'grid' and in 'block'")
        dynamic = _count(_get(entry, "shared_bytes", dict, where), "dynamic", where)
        if dynamic >= 2**31:
            _fail(where, f"expected 'dynamic' to be a number of 31 bits, found {dynamic}")
        workspace = _get(entry, "workspace", dict, where)
        size = self.expression(_get(workspace, "bytes", None, where), where)
        zeroed = _get(workspace, "zeroed", bool, where)
        if size != 0:
            self.require(2, where, "it asks for a workspace")
        else:
            for parameter in parameters:
                if parameter.kind == "workspace":
                    _fail(where, f"'{parameter.name}' is a workspace of 0 bytes")
        # For people, and not needed to launch.
        schedule = entry.get("schedule")
        schedule = ", ".join(f"{key} = {value}" for key, value in schedule.items()) if isinstance(
            schedule, dict) else ""
        return Kernel(name, conditions, parameters, grid, block, dynamic, size, zeroed, schedule)
