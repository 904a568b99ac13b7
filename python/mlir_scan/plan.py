# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call of a function is once shapes and scalars are settled; needs no GPU."""

import ctypes
import math

from . import arrays
from .arrays import Tensor
from .errors import ScanError
from .expression import evaluate, mentions, show

_GRID_LIMITS = (2147483647, 65535, 65535)
_BLOCK_LIMITS = (1024, 1024, 64)


class ResultType:
    """What a result is: `shape`, `element` and `nbytes`, and the place where it is."""

    def __init__(self, shape, element, nbytes, buffer):
        self.shape, self.element, self.nbytes, self.buffer = shape, element, nbytes, buffer


class Plan:
    """What a call of a function is once shapes and scalars are settled; needs no GPU.

    `results` are the ResultTypes, `kernels` the PreparedKernels that are launched, with
    their grids, `internal_bytes` what is to be allocated beside arguments and results.
    """

    def __init__(self, description, arguments):
        self.description, self.name = description, description.name
        check_count(description, arguments)
        names = {}
        self.bound = [bind(f"function '{self.name}': {argument.name}", argument, value, names)
                      for argument, value in zip(description.arguments, arguments)]
        check_requirements(description, names)
        # The buffers that hold results, by number; and the temporaries' shapes.
        self.outputs, self.temporaries, self.results = {}, {}, []
        for result in description.results:
            shape, nbytes = _shape(result.shape, result.element_bytes, names)
            self.results.append(ResultType(shape, result.element, nbytes, result.buffer))
            buffer = description.buffers[result.buffer]
            if buffer.kind == "result":
                shape, nbytes = _shape(buffer.shape, buffer.element_bytes, names)
                self.outputs[result.buffer] = ResultType(shape, buffer.element, nbytes,
                                                         result.buffer)
        conditions = [all(evaluate(condition, names) for condition in kernel.conditions)
                      for kernel in description.kernels]
        self.repeats = _prepare_repeats(description, names)
        # Of several variants of a scan the one for these extents.
        self.kernels = [PreparedKernel(number, kernel, self.bound, names)
                        for number, kernel in enumerate(description.kernels)
                        if conditions[number]]
        for kernel in self.kernels:
            for repeat, _ in self.repeats:
                if repeat.first <= kernel.number < repeat.first + repeat.count:
                    kernel.find_of_step(repeat.name)
        self.names = names
        # The buffers to be cleared, by number, with their bytes: in front of each kernel
        # and behind the last one.
        self.cleared = [[] for _ in range(len(description.kernels) + 1)]
        for cleared in description.cleared:
            buffer = description.buffers[cleared.buffer]
            _, nbytes = _shape(buffer.shape, buffer.element_bytes, names)
            if nbytes:
                self.cleared[cleared.before].append((cleared.buffer, nbytes))
        self.internal_bytes = sum(kernel.workspace_bytes for kernel in self.kernels)
        for number, buffer in enumerate(description.buffers):
            if buffer.kind in ("temporary", "result") and number not in self.outputs:
                self.temporaries[number], nbytes = _shape(buffer.shape, buffer.element_bytes, names)
                self.internal_bytes += nbytes


def _prepare_repeats(description, names):
    """The Repeats of a function, each with how often it is done. All begin with the step 0,
    with which what is the same in all steps is settled."""
    repeats = []
    for repeat in description.repeats:
        steps = evaluate(repeat.steps, names)
        if steps < 0:
            raise ScanError(f"function '{description.name}': expected 0 or more repetitions, found "
                            f"{steps} from {show(repeat.steps)}")
        repeats.append((repeat, steps))
    names.update((repeat.name, 0) for repeat in description.repeats)
    return repeats


def check_count(description, arguments):
    if len(arguments) != len(description.arguments):
        raise ScanError(f"function '{description.name}' expects {len(description.arguments)} "
                        f"arguments, found {len(arguments)}")


def check_requirements(description, names):
    """Fails unless all that the function requires holds of `names`."""
    for requirement in description.requirements:
        try:
            holds = evaluate(requirement, names)
        except ScanError as error:
            raise ScanError(f"function '{description.name}': {error}") from None
        if not holds:
            raise ScanError(f"function '{description.name}': "
                            + _describe_requirement(description, requirement, names))


def _describe_requirement(description, requirement, names):
    """What is wrong where `requirement` does not hold."""
    places = {name: f"dimension {dimension} of {argument.name}"
              for argument in reversed(description.arguments)
              for dimension, name in reversed(list(enumerate(argument.shape)))
              if isinstance(name, str)}
    relation, *sides = requirement
    left, right = (evaluate(side, names) for side in sides)
    first, second = (places.get(side) if isinstance(side, str) else None for side in sides)
    if relation == "==" and first and isinstance(sides[1], int):
        return f"expected {first} to have the extent {right}, found {left}"
    found = f", found {left} and {right}"
    if relation == "==" and first and second:
        return f"expected {first} and {second} to have the same extent{found}"
    if relation == "<=" and first and second:
        return f"expected the extent of {first} to be at most that of {second}{found}"
    return f"expected extents with {show(requirement)}{found}"


class PreparedKernel:
    """A kernel with all but its pointers settled.

    `values` are its parameters, `pointers` those that are addresses of buffers, as
    (parameter, buffer), `workspaces` those that are the workspace, and `statuses` those that
    are statuses, as (parameter, status); by number. `of_step` are those, as (parameter,
    expression), that are other numbers in each step of a repetition.
    """

    def __init__(self, number, description, bound, names):
        self.number, self.description = number, description
        sizes, self.pointers, self.values = {}, [], []
        self.workspaces, self.statuses, self.of_step = [], [], []
        for number, parameter in enumerate(description.parameters):
            # As long as the longest scalar; the kernel reads as much as it takes.
            value = (ctypes.c_uint8 * 16)()
            if parameter.kind == "number":
                result = evaluate(parameter.value, names)
                value[:8] = result.to_bytes(8, "little", signed=True)
                if parameter.is_size:
                    sizes[parameter.name] = result
            elif parameter.kind == "constant":
                value[:len(parameter.value)] = parameter.value
            elif parameter.kind == "scalar":
                scalar = bound[parameter.value].scalar
                value[:len(scalar)] = scalar
            elif parameter.kind == "workspace":
                self.workspaces.append(number)
            elif parameter.kind == "status":
                self.statuses.append((number, parameter.value))
            else:
                self.pointers.append((number, parameter.value))
            self.values.append(value)
        self.workspace_bytes = evaluate(description.workspace_bytes, sizes)
        if self.workspace_bytes < 0:
            raise ScanError(f"kernel '{description.entry}': expected a workspace of 0 bytes or "
                            f"more, found {self.workspace_bytes}")
        self.grid = [evaluate(expression, sizes) for expression in description.grid]
        self.block = [evaluate(expression, sizes) for expression in description.block]
        for dimension, (blocks, threads) in enumerate(zip(self.grid, self.block)):
            if not 1 <= blocks <= _GRID_LIMITS[dimension] or not (
                    1 <= threads <= _BLOCK_LIMITS[dimension]):
                raise ScanError(f"kernel '{description.entry}': no launch can have {blocks} blocks "
                                f"of {threads} threads in dimension {dimension}")


    def find_of_step(self, name):
        for number, parameter in enumerate(self.description.parameters):
            if parameter.kind == "number" and mentions(parameter.value, name):
                self.of_step.append((number, parameter.value))

    def set_step(self, names):
        """Settles what the kernel has for each step of a repetition anew."""
        for number, expression in self.of_step:
            self.values[number][:8] = evaluate(expression, names).to_bytes(8, "little",
                                                                           signed=True)


class Bound:
    """An argument with its shape, or its number, settled."""

    def __init__(self, argument):
        self.argument, self.scalar = argument, None
        self.shape = self.strides = ()
        self.offset = 0

    def pack(self, value, name):
        return arrays.pack_scalar(value, self.argument.element, name)

    @property
    def span(self):
        """The bytes from the first element to where the array begins and ends in memory; None
        for what has no elements."""
        if self.scalar is not None or not math.prod(self.shape):
            return None
        steps = [(extent - 1) * stride for extent, stride in zip(self.shape, self.strides)]
        size = self.argument.element_bytes
        return (sum(min(step, 0) for step in steps) * size,
                (sum(max(step, 0) for step in steps) + 1) * size)


def bind(where, argument, value, names):
    """Checks an argument against its type, and binds the names in it."""
    bound = Bound(argument)
    if argument.is_scalar:
        if arrays.is_array(value) and not hasattr(value, "__index__"):
            raise ScanError(f"{where}: expected a number of type {argument.element}, found "
                            f"{type(value).__name__}")
        bound.scalar = bound.pack(value, where)
        if argument.element.startswith("i"):
            names[argument.name] = int.from_bytes(bound.scalar, "little",
                                                  signed=argument.element != "i1")
        return bound
    if not arrays.is_array(value):
        raise ScanError(f"{where}: expected an array on a GPU, found {type(value).__name__}")
    _, layout, _ = arrays.read(value, where)
    check_element(where, argument.element, layout)
    bound.shape = layout.shape
    if len(layout.shape) != len(argument.shape):
        expected = ", ".join("?" if isinstance(item, str) else str(item) for item in argument.shape)
        raise ScanError(f"{where}: expected a tensor of shape [{expected}], found one of shape "
                        f"{list(layout.shape)}")
    if layout.strides is not None and len(layout.strides) != len(layout.shape):
        raise ScanError(f"{where}: expected {len(layout.shape)} strides or none, found "
                        f"{len(layout.strides)}")
    if any(extent < 0 for extent in layout.shape):
        raise ScanError(f"{where}: negative extent in shape {list(layout.shape)}")
    if math.prod(layout.shape) >= 2**63:
        raise ScanError(f"{where}: shape {list(layout.shape)} has more elements than 64 bits count")
    bound.strides = strides_of(layout)
    if argument.strides is None and not is_dense(layout):
        raise ScanError(f"{where}: expected a dense tensor, found strides {list(bound.strides)}; "
                        "copy it into a dense one first (contiguous()), or compile with "
                        "--strided-arguments")
    for dimension, (expected, found) in enumerate(zip(argument.shape, layout.shape)):
        _bind_number(f"{where}, dimension {dimension}, extent", expected, found, names)
    if argument.strides is not None:
        is_empty = math.prod(layout.shape) == 0
        for dimension, (expected, found) in enumerate(zip(argument.strides, bound.strides)):
            # The stride of a dimension without neighbours says nothing.
            if isinstance(expected, int) and (is_empty or layout.shape[dimension] == 1):
                continue
            _bind_number(f"{where}, dimension {dimension}, stride", expected, found, names)
        # Arrays point to their first element: a static distance from it is taken off.
        bound.offset = argument.offset if isinstance(argument.offset, int) else 0
        _bind_number(f"{where}, offset", argument.offset, bound.offset, names)
    return bound


def _bind_number(what, expected, found, names):
    """Binds a name; one that is bound already, and a number, have to agree."""
    if isinstance(expected, str):
        number = names.setdefault(expected, found)
        if number != found:
            raise ScanError(f"{what}: expected {number}, which is '{expected}' of another "
                            f"dimension, found {found}")
    elif expected != found:
        raise ScanError(f"{what}: expected {expected}, found {found}")


def check_argument(device, name, bound, value, layout):
    """Fails unless an array of that layout is what the call was prepared for."""
    if layout.shape != bound.shape or strides_of(layout) != bound.strides:
        raise ScanError(
            f"{name}: expected the shape {list(bound.shape)} and the strides "
            f"{list(bound.strides)} that the call was prepared for, found "
            f"{list(layout.shape)} and {list(strides_of(layout))}; prepare another call")
    if isinstance(value, Tensor):
        raise ScanError(f"{name}: expected an array to launch with, found a Tensor, which "
                        "is a shape only")
    check_element(name, bound.argument.element, layout)
    _check_place(device, name, layout)


def check_output(device, name, output, layout):
    """Fails unless an array of that layout can hold the ResultType."""
    check_element(name, output.element, layout)
    if layout.shape != tuple(output.shape) or not is_dense(layout):
        raise ScanError(f"{name}: expected a dense array of shape {list(output.shape)}, "
                        f"found shape {list(layout.shape)} and strides "
                        f"{list(strides_of(layout))}; allocate one")
    if layout.is_read_only:
        raise ScanError(f"{name}: expected an array to write to, found a read-only one")
    _check_place(device, name, layout)


def check_element(what, element, layout):
    if layout.elements and element not in layout.elements:
        raise ScanError(f"{what}: expected elements of type {element}, found {layout.type_name}; "
                        "convert it first")


def _check_place(device, what, layout):
    if layout.ordinal is not None and layout.ordinal != device.ordinal:
        raise ScanError(f"{what}: expected memory of GPU {device.ordinal}, found GPU "
                        f"{layout.ordinal}; move it first")


def strides_of(layout):
    """In elements, of dense arrays as well."""
    if layout.strides is not None:
        return tuple(layout.strides)
    strides, distance = [], 1
    for extent in reversed(layout.shape):
        strides.append(distance)
        distance *= extent
    return tuple(reversed(strides))


def is_dense(layout):
    """Row-major; dimensions of extent 1 may have any stride, empty arrays too."""
    if layout.strides is None or math.prod(layout.shape) == 0:
        return True
    distance = 1
    for extent, stride in zip(reversed(layout.shape), reversed(layout.strides)):
        if extent > 1 and stride != distance:
            return False
        distance *= extent
    return True


def _shape(expressions, element_bytes, names):
    """The extents and the bytes of a dense array."""
    shape, nbytes = [], element_bytes
    for expression in expressions:
        extent = evaluate(expression, names)
        nbytes *= extent
        if extent < 0 or nbytes >= 2**63:
            raise ScanError("expected an extent of 0 or more and bytes below 2^63, found extent "
                            f"{extent} from {show(expression)}")
        shape.append(extent)
    return tuple(shape), nbytes
