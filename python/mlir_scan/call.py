# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function with its arguments' shapes settled, and its launches."""

import ctypes
import math
import threading

from . import arrays
from .arrays import DeviceArray, Tensor
from .device import Event
from .errors import ScanError
from .expression import evaluate, show

_GRID_LIMITS = (2147483647, 65535, 65535)
_BLOCK_LIMITS = (1024, 1024, 64)
# Of results, temporaries and workspaces.
_ALIGNMENT = 16


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
        if len(arguments) != len(description.arguments):
            raise ScanError(f"function '{self.name}' expects {len(description.arguments)} "
                            f"arguments, found {len(arguments)}")
        names = {}
        self.bound = [_bind(f"function '{self.name}': {argument.name}", argument, value, names)
                      for argument, value in zip(description.arguments, arguments)]
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
        # Of several variants of a scan the one for these extents.
        self.kernels = [PreparedKernel(number, kernel, self.bound, names)
                        for number, kernel in enumerate(description.kernels)
                        if all(evaluate(condition, names) for condition in kernel.conditions)]
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


class Call:
    """A function with its arguments' shapes and scalars settled.

    `results` are the ResultTypes, `internal_bytes` what is allocated beside arguments
    and results. One thread and one stream at a time: launches share temporaries.
    """

    def __init__(self, loaded, arguments, allocator=None):
        self.plan = plan = Plan(loaded.description, arguments)
        self._loaded, self.device, self.name = loaded, loaded.device, loaded.name
        self.results, self.internal_bytes = plan.results, plan.internal_bytes
        self._bound, self._outputs, self._kernels = plan.bound, plan.outputs, plan.kernels
        self._lock, self._event = threading.Lock(), None
        allocator = allocator or arrays.choose_allocator(arguments)
        # The address of each buffer, and what keeps those of our own alive.
        buffers = loaded.description.buffers
        self._addresses, self._internal = [0] * len(buffers), []
        for number, constant in loaded.constants.items():
            self._addresses[number] = constant.address
        for number, shape in plan.temporaries.items():
            self._addresses[number] = self._allocate(allocator, shape, buffers[number].element)
        for kernel in self._kernels:
            kernel.handle = loaded.kernels[kernel.number]
            if not kernel.workspace_bytes:
                continue
            kernel.workspace = self._allocate(allocator, (kernel.workspace_bytes,), "i8")
            if kernel.description.is_workspace_zeroed:
                self.device.fill(kernel.workspace, 0, kernel.workspace_bytes)
                # No stream that launches may be ahead of it.
                self.device.synchronize()

    def _allocate(self, allocator, shape, element):
        memory = allocator(shape, element, self.device)
        self._internal.append(memory)
        view = arrays.view(memory, "allocated memory")
        _check_alignment("allocated memory", view, _ALIGNMENT, "use another allocator")
        return view.address

    def launch(self, *arguments, out=None, stream=None, allocator=None):
        """Launches the kernels on `stream`; returns the results before they are computed.

        `out` has an array for each result, or None for those to allocate. A result that
        is an argument, or a constant of the program, takes none.
        """
        handle = (arrays.current_stream(arguments, self.device) if stream is None
                  else arrays.stream_handle(stream))
        views = self._check_arguments(arguments, handle)
        if out is None:
            out = [None] * len(self.results)
        elif len(out) != len(self.results):
            raise ScanError(f"function '{self.name}' expects {len(self.results)} results "
                            f"in out, found {len(out)}")
        allocator = allocator or arrays.choose_allocator(arguments)
        with self._lock:
            self.device.make_current()
            buffers = self._loaded.description.buffers
            for number, buffer in enumerate(buffers):
                if buffer.kind == "argument" and views[buffer.index]:
                    self._addresses[number] = views[buffer.index].address
            results, outputs = self._place_results(arguments, views, out, allocator, handle)
            self._wait_for_producers([*views, *outputs], handle)
            launched = {kernel.number: kernel for kernel in self._kernels}
            for number, cleared in enumerate(self.plan.cleared):
                self._clear(cleared, handle)
                if number in launched:
                    launched[number].launch(self.device.driver, self._addresses, handle)
        return results

    def _clear(self, cleared, handle):
        driver = self.device.driver
        for number, nbytes in cleared:
            result = driver.cuMemsetD8Async(self._addresses[number], 0, nbytes, handle)
            if result:
                driver.check(result, f"clearing '{self._loaded.description.buffers[number].name}'")

    def _check_arguments(self, arguments, handle):
        """The Views of the arrays, with addresses as the kernels take them."""
        if len(arguments) != len(self._bound):
            raise ScanError(f"function '{self.name}' expects {len(self._bound)} "
                            f"arguments, found {len(arguments)}")
        views = []
        for number, (value, bound) in enumerate(zip(arguments, self._bound)):
            name = f"function '{self.name}': arg{number}"
            if bound.scalar is not None:
                if arrays.is_array(value) or bound.pack(value, name) != bound.scalar:
                    raise ScanError(f"{name}: expected the number that the call was prepared for, "
                                    f"found {value!r}; prepare another call")
                views.append(None)
                continue
            view = arrays.view(value, name, handle)
            if view.shape != bound.shape or _strides(view) != bound.strides:
                raise ScanError(
                    f"{name}: expected the shape {list(bound.shape)} and the strides "
                    f"{list(bound.strides)} that the call was prepared for, found "
                    f"{list(view.shape)} and {list(_strides(view))}; prepare another call")
            if isinstance(value, Tensor):
                raise ScanError(f"{name}: expected an array to launch with, found a Tensor, which "
                                "is a shape only")
            _check_element(name, bound.argument.element, view)
            _check_place(self.device, name, view)
            _check_alignment(name, view, bound.argument.element_bytes,
                             "copy it into an array of its own")
            view.address -= bound.offset * bound.argument.element_bytes
            views.append(view)
        return views

    def _place_results(self, arguments, inputs, out, allocator, handle):
        """The results, and the Views of those that the kernels write."""
        buffers = self._loaded.description.buffers
        results, written, views = [], {}, []
        for number, (result, given) in enumerate(zip(self.results, out)):
            kind = buffers[result.buffer].kind
            name = f"function '{self.name}': result {number}"
            if kind in ("argument", "constant") or result.buffer in written:
                if given is not None:
                    raise ScanError(f"{name}: expected None in out, since it shares the memory of "
                                    f"'{buffers[result.buffer].name}', found an array")
                if kind == "argument":
                    index = buffers[result.buffer].index
                    same = inputs[index].shape == result.shape
                    results.append(arguments[index] if same else _Alias(
                        result, inputs[index].address, arguments[index]))
                elif kind == "constant":
                    results.append(_Alias(result, self._addresses[result.buffer], self._loaded))
                else:
                    memory, address = written[result.buffer]
                    first = self._outputs[result.buffer]
                    same = (first.shape, first.element) == (result.shape, result.element)
                    results.append(memory if same else _Alias(result, address, memory))
                continue
            output = self._outputs[result.buffer]
            if given is None:
                given = allocator(output.shape, output.element, self.device)
            view = arrays.view(given, name, handle)
            _check_element(name, output.element, view)
            if view.shape != tuple(output.shape) or not _is_dense(view):
                raise ScanError(f"{name}: expected a dense array of shape {list(output.shape)}, "
                                f"found shape {list(view.shape)} and strides "
                                f"{list(_strides(view))}; allocate one")
            if view.is_read_only:
                raise ScanError(f"{name}: expected an array to write to, found a read-only one")
            _check_place(self.device, name, view)
            _check_alignment(name, view, _ALIGNMENT, "allocate an array of its own")
            self._check_overlap(name, view.address, output.nbytes, inputs)
            for other, (_, address) in written.items():
                if address < view.address + output.nbytes and (
                        view.address < address + self._outputs[other].nbytes):
                    raise ScanError(f"{name}: expected memory of its own, found that of another "
                                    "result; allocate one for each")
            self._addresses[result.buffer] = view.address
            written[result.buffer] = (given, view.address)
            views.append(view)
            results.append(given)
        return tuple(results), views

    def _check_overlap(self, name, address, size, inputs):
        """Kernels may still read an argument when they write a result."""
        for number, view in enumerate(inputs):
            if view is None or not size or not math.prod(view.shape):
                continue
            argument = self._loaded.description.arguments[number]
            steps = [(extent - 1) * stride for extent, stride in zip(view.shape, _strides(view))]
            first = view.address + self._bound[number].offset * argument.element_bytes
            begin = first + sum(min(step, 0) for step in steps) * argument.element_bytes
            end = first + (sum(max(step, 0) for step in steps) + 1) * argument.element_bytes
            if address < end and begin < address + size:
                raise ScanError(f"{name}: expected memory that no argument is in, found that of "
                                f"arg{number}; allocate an array of its own")

    def _wait_for_producers(self, views, handle):
        """Arrays may say that work on another stream still writes them."""
        streams = {view.stream for view in views if view is not None and view.stream is not None}
        # 0 is the legacy default stream, too, whose handle is 1.
        for stream in streams - {handle, handle or 1}:
            self._event = self._event or Event(self.device)
            self._event.record(stream)
            self._event.hold_back(handle)


class _Alias:
    """A result in memory that something else owns; dense."""

    def __init__(self, result, address, owner):
        self.shape, self.element, self.owner = tuple(result.shape), result.element, owner
        self.nbytes, self.address = result.nbytes, address

    __cuda_array_interface__ = DeviceArray.__cuda_array_interface__


class _Bound:
    """What a call knows of an argument."""

    def __init__(self, argument):
        self.argument, self.scalar = argument, None
        self.shape = self.strides = ()
        self.offset = 0

    def pack(self, value, name):
        return arrays.pack_scalar(value, self.argument.element, name)


def _bind(where, argument, value, names):
    """Checks an argument against its type, and binds the names in it."""
    bound = _Bound(argument)
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
    view = arrays.view(value, where)
    _check_element(where, argument.element, view)
    bound.shape = view.shape
    if len(view.shape) != len(argument.shape):
        expected = ", ".join("?" if isinstance(item, str) else str(item) for item in argument.shape)
        raise ScanError(f"{where}: expected a tensor of shape [{expected}], found one of shape "
                        f"{list(view.shape)}")
    if view.strides is not None and len(view.strides) != len(view.shape):
        raise ScanError(f"{where}: expected {len(view.shape)} strides or none, found "
                        f"{len(view.strides)}")
    if any(extent < 0 for extent in view.shape):
        raise ScanError(f"{where}: negative extent in shape {list(view.shape)}")
    if math.prod(view.shape) >= 2**63:
        raise ScanError(f"{where}: shape {list(view.shape)} has more elements than 64 bits count")
    bound.strides = _strides(view)
    if argument.strides is None and not _is_dense(view):
        raise ScanError(f"{where}: expected a dense tensor, found strides {list(bound.strides)}; "
                        "copy it into a dense one first")
    for dimension, (expected, found) in enumerate(zip(argument.shape, view.shape)):
        _bind_number(f"{where}, dimension {dimension}, extent", expected, found, names)
    if argument.strides is not None:
        for dimension, (expected, found) in enumerate(zip(argument.strides, bound.strides)):
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


def _check_element(what, element, view):
    if view.elements and element not in view.elements:
        raise ScanError(f"{what}: expected elements of type {element}, found {view.type_name}; "
                        "convert it first")


def _check_place(device, what, view):
    if view.ordinal is not None and view.ordinal != device.ordinal:
        raise ScanError(f"{what}: expected memory of GPU {device.ordinal}, found GPU "
                        f"{view.ordinal}; move it first")


def _check_alignment(what, view, alignment, way_out):
    if view.address % alignment and math.prod(view.shape):
        raise ScanError(f"{what}: expected an address that is a multiple of {alignment} bytes, "
                        f"found {view.address:#x}; {way_out}")


def _strides(view):
    """In elements, of dense arrays as well."""
    if view.strides is not None:
        return tuple(view.strides)
    strides, distance = [], 1
    for extent in reversed(view.shape):
        strides.append(distance)
        distance *= extent
    return tuple(reversed(strides))


def _is_dense(view):
    """Row-major; dimensions of extent 1 may have any stride, empty arrays too."""
    if view.strides is None or math.prod(view.shape) == 0:
        return True
    distance = 1
    for extent, stride in zip(reversed(view.shape), reversed(view.strides)):
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


class PreparedKernel:
    """A kernel with all but its pointers settled."""

    def __init__(self, number, description, bound, names):
        self.number, self.description, self.handle = number, description, None
        sizes, self.pointers, self.values = {}, [], []
        self.workspace, self._workspaces = 0, []
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
                self._workspaces.append(number)
            else:
                self.pointers.append((number, parameter.value))
            self.values.append(value)
        self.parameters = (ctypes.c_void_p * max(len(self.values), 1))(
            *[ctypes.addressof(value) for value in self.values])
        self.words = [ctypes.c_uint64.from_buffer(value) for value in self.values]
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

    def launch(self, driver, addresses, stream):
        for number, buffer in self.pointers:
            self.words[number].value = addresses[buffer]
        for number in self._workspaces:
            self.words[number].value = self.workspace
        result = driver.cuLaunchKernel(
            self.handle, *self.grid, *self.block, self.description.dynamic_shared_bytes, stream,
            self.parameters, None)
        if result:
            driver.check(result, f"launching '{self.description.entry}'")
