# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function with its arguments' shapes settled, and its launches.

What follows from shapes and scalars is computed once, by the Plan. The kernels' parameters
point into a table with the address of each buffer, so that a launch writes the addresses of
arguments and results there, and calls the driver. What there is to check of an array but for
its address follows from its Layout, and is checked when that is another one than at the
last launch.
"""

import ctypes
import math
import threading

from . import arrays
from .arrays import DeviceArray
from .device import Event
from .errors import ScanError
from .plan import Plan, check_argument, check_count, check_output

# Of results, temporaries and workspaces.
_ALIGNMENT = 16
# The value of no argument.
_NONE = object()


class Call:
    """A function with its arguments' shapes and scalars settled.

    `results` are the ResultTypes, `internal_bytes` what is allocated beside arguments
    and results. One thread and one stream at a time: launches share temporaries.
    """

    def __init__(self, loaded, arguments, allocator=None):
        self.plan = plan = Plan(loaded.description, arguments)
        self._loaded, self.device, self.name = loaded, loaded.device, loaded.name
        self.results, self.internal_bytes = plan.results, plan.internal_bytes
        self._lock, self._event = threading.Lock(), None
        allocator = allocator or arrays.choose_allocator(arguments)
        # The address of each buffer, and what keeps those of our own alive.
        buffers = loaded.description.buffers
        self._addresses, self._internal = (ctypes.c_uint64 * len(buffers))(), []
        for number, constant in loaded.constants.items():
            self._addresses[number] = constant.address
        for number, shape in plan.temporaries.items():
            self._addresses[number] = self._allocate(allocator, shape, buffers[number].element)
        self._inputs = [_Input(number, self.name, bound, value)
                        for number, (bound, value) in enumerate(zip(plan.bound, arguments))]
        # Those that a result must not be written over.
        self._read = [item for item in self._inputs if item.begin < item.end]
        # The number of a buffer that is an argument, and the argument.
        self._passed = [(number, self._inputs[buffer.index])
                        for number, buffer in enumerate(buffers)
                        if buffer.kind == "argument" and not self._inputs[buffer.index].is_scalar]
        self._no_arrays = (None,) * len(self.results)
        self._statuses = loaded.statuses
        self._places = self._make_places()
        self._steps = self._make_steps(allocator)

    def _allocate(self, allocator, shape, element):
        memory = allocator(shape, element, self.device)
        self._internal.append(memory)
        address, layout, _ = arrays.read(memory, "allocated memory")
        if address % _ALIGNMENT and math.prod(layout.shape):
            _fail_alignment("allocated memory", _ALIGNMENT, address, "use another allocator")
        return address

    def _make_places(self):
        """Where each result is."""
        buffers, outputs, places = self._loaded.description.buffers, {}, []
        for number, result in enumerate(self.results):
            buffer = buffers[result.buffer]
            first = outputs.get(result.buffer)
            if buffer.kind == "result" and first is None:
                first = _Output(number, self.name, self.plan.outputs[result.buffer])
                outputs[result.buffer] = first
            places.append(_Place(number, self.name, result, buffer, first))
        return places

    def _make_steps(self, allocator):
        """What a launch asks of the driver, in order: functions of the stream."""
        steps, launches = [], {kernel.number: self._make_launch(kernel, allocator)
                               for kernel in self.plan.kernels}
        repeats = iter(self.plan.repeats)
        repeat, count = next(repeats, (None, 0))
        for number, cleared in enumerate(self.plan.cleared):
            steps += [self._make_clear(buffer, nbytes) for buffer, nbytes in cleared]
            if repeat and number == repeat.first:
                inside = range(number, number + repeat.count)
                steps.append(self._make_repeat(repeat.name, count, [
                    launches.pop(inner) for inner in inside if inner in launches]))
                repeat, count = next(repeats, (None, 0))
            elif number in launches:
                steps.append(launches[number])
        return steps

    def _make_launch(self, kernel, allocator):
        for parameter, status in kernel.statuses:
            kernel.values[parameter][:8] = self._loaded.statuses.address(status).to_bytes(
                8, "little")
        launch = _make_launch(self.device.driver, kernel, self._loaded.kernels[kernel.number],
                              self._addresses, self._make_workspace(kernel, allocator))
        if not kernel.of_step:
            return launch
        names = self.plan.names

        def launch_step(stream):
            kernel.set_step(names)
            launch(stream)

        return launch_step

    def _make_repeat(self, name, count, launches):
        names = self.plan.names

        def repeat(stream):
            for step in range(count):
                names[name] = step
                for launch in launches:
                    launch(stream)

        return repeat

    def _make_workspace(self, kernel, allocator):
        if not kernel.workspace_bytes:
            return 0
        workspace = self._allocate(allocator, (kernel.workspace_bytes,), "i8")
        if kernel.description.is_workspace_zeroed:
            self.device.fill(workspace, 0, kernel.workspace_bytes)
            # No stream that launches may be ahead of it.
            self.device.synchronize()
        return workspace

    def _make_clear(self, buffer, nbytes):
        addresses, driver = self._addresses, self.device.driver
        what = f"clearing '{self._loaded.description.buffers[buffer].name}'"

        def clear(stream):
            result = driver.cuMemsetD8Async(addresses[buffer], 0, nbytes, stream)
            if result:
                driver.check(result, what)

        return clear

    def check(self):
        """Fails with what kernels of the function have found wrong so far and was not raised
        yet: offsets of packed sequences that do not start with 0, decrease or do not end with
        the extent of the scan dimension. Waits for nothing: synchronize first to know of all
        launches, replays of graphs included. Results of such a launch mean nothing."""
        if self._statuses is not None:
            self._statuses.check()

    def launch(self, *arguments, out=None, stream=None, allocator=None):
        """Launches the kernels on `stream`; returns the results before they are computed.

        `out` has an array for each result, or None for those to allocate. A result that
        is an argument, or a constant of the program, takes none. Where kernels of an earlier
        launch of the function have found something wrong, that is raised (see `check`), and
        nothing is launched.
        """
        handle = (arrays.current_stream(arguments, self.device) if stream is None
                  else arrays.stream_handle(stream))
        check_count(self.plan.description, arguments)
        found = [None if item.is_scalar else arrays.read(value, item.name, handle)
                 for value, item in zip(arguments, self._inputs)]
        return self.launch_read(arguments, found, out, handle, allocator)

    def launch_read(self, arguments, found, out, handle, allocator):
        """`launch`, where each argument that is an array was read: what was found."""
        if self._statuses is not None:
            self._statuses.check()
        producers = []
        for value, read, item in zip(arguments, found, self._inputs):
            if item.is_scalar:
                item.check_number(value)
                continue
            address, layout, producer = read
            if layout is not item.layout or address & item.misaligned:
                item.check(self.device, value, address, layout)
            if producer is not None:
                producers.append(producer)
        if out is None:
            out = self._no_arrays
        elif len(out) != len(self.results):
            raise ScanError(f"function '{self.name}' expects {len(self.results)} results "
                            f"in out, found {len(out)}")
        with self._lock:
            self.device.make_current()
            for number, item in self._passed:
                self._addresses[number] = found[item.number][0] - item.shift
            results = self._place_results(arguments, found, out, allocator, handle, producers)
            if producers:
                self._wait_for(producers, handle)
            for step in self._steps:
                step(handle)
        return results

    def _place_results(self, arguments, found, out, allocator, handle, producers):
        """The results, with the addresses of those that the kernels write in place."""
        results, written = [], {}
        for place, given in zip(self._places, out):
            output = place.output
            if output is None or output.buffer in written:
                if given is not None:
                    place.refuse_array()
                results.append(self._share(place, arguments, written))
                continue
            if given is None:
                allocator = allocator or arrays.choose_allocator(arguments)
                given = allocator(output.type.shape, output.type.element, self.device)
            address, layout, producer = arrays.read(given, output.name, handle)
            if layout is not output.layout or address & output.misaligned:
                output.check(self.device, address, layout)
            if producer is not None:
                producers.append(producer)
            end = address + output.nbytes
            for item in self._read if output.nbytes else ():
                first = found[item.number][0]
                if address < first + item.end and first + item.begin < end:
                    output.refuse_overlap(item)
            for other, begin, _ in written.values():
                if begin < end and address < begin + other.nbytes:
                    output.refuse_sharing()
            self._addresses[output.buffer] = address
            written[output.buffer] = (output, address, given)
            results.append(given)
        return tuple(results)

    def _share(self, place, arguments, written):
        """A result in memory that is an argument's, the program's or another result's."""
        address = self._addresses[place.result.buffer]
        if place.kind == "constant":
            return _Alias(place.result, address, self._loaded)
        if place.kind == "argument":
            owner, shape = arguments[place.index], self._inputs[place.index].bound.shape
            same = shape == place.result.shape
        else:
            output, _, owner = written[place.result.buffer]
            first = output.type
            same = (first.shape, first.element) == (place.result.shape, place.result.element)
        return owner if same else _Alias(place.result, address, owner)

    def _wait_for(self, producers, handle):
        """Arrays may say that work on another stream still writes them."""
        # 0 is the legacy default stream, too, whose handle is 1.
        for stream in set(producers) - {handle, handle or 1}:
            self._event = self._event or Event(self.device)
            self._event.record(stream)
            self._event.hold_back(handle)


def _make_launch(driver, kernel, handle, addresses, workspace):
    """The launch of a PreparedKernel, a function of the stream. Parameters that are pointers
    are read from `addresses`, a table that outlives it."""
    places = [ctypes.addressof(value) for value in kernel.values]
    for number, buffer in kernel.pointers:
        places[number] = ctypes.addressof(addresses) + buffer * ctypes.sizeof(ctypes.c_uint64)
    for number in kernel.workspaces:
        kernel.values[number][:8] = workspace.to_bytes(8, "little")
    parameters = (ctypes.c_void_p * max(len(places), 1))(*places)
    # Converted once. The kernel has the values that `parameters` points to.
    settled = [ctypes.c_uint(number) for number in
               (*kernel.grid, *kernel.block, kernel.description.dynamic_shared_bytes)]
    launch_kernel = driver.cuLaunchKernel

    def launch(stream):
        result = launch_kernel(handle, *settled, stream, parameters, None)
        if result:
            driver.check(result, f"launching '{kernel.description.entry}'")

    return launch


class _Input:
    """An argument of a call: what is checked of it at a launch."""

    def __init__(self, number, function, bound, value):
        self.number, self.bound, self.name = number, bound, f"function '{function}': arg{number}"
        self.is_scalar = bound.scalar is not None
        # The layout, or the number, that was checked last.
        self.layout, self._value = None, value if type(value) in arrays.NUMBERS else _NONE
        size = bound.argument.element_bytes
        self.shift = bound.offset * size
        # Bytes from its address to where its memory begins and ends.
        self.begin, self.end = bound.span or (0, 0)
        # The bits of an address that have to be 0; empty arrays need not be aligned.
        self.misaligned = size - 1 if bound.span else 0

    def check(self, device, value, address, layout):
        """Fails unless the call was prepared for this array."""
        check_argument(device, self.name, self.bound, value, layout)
        self.layout = layout
        if address & self.misaligned:
            _fail_alignment(self.name, self.misaligned + 1, address,
                            "copy it into an array of its own")

    def check_number(self, value):
        """Fails unless the call was prepared for this number."""
        if value is self._value:
            return
        bound = self.bound
        if arrays.is_array(value) or bound.pack(value, self.name) != bound.scalar:
            raise ScanError(f"{self.name}: expected the number that the call was prepared for, "
                            f"found {value!r}; prepare another call")
        # Objects of other types may change.
        self._value = value if type(value) in arrays.NUMBERS else _NONE


class _Output:
    """A buffer that kernels write and a result is in: what is checked of its array."""

    def __init__(self, number, function, result_type):
        self.name, self.type = f"function '{function}': result {number}", result_type
        self.buffer, self.nbytes = result_type.buffer, result_type.nbytes
        # As of an _Input.
        self.layout, self.misaligned = None, _ALIGNMENT - 1 if self.nbytes else 0

    def check(self, device, address, layout):
        """Fails unless the result can be in this array."""
        check_output(device, self.name, self.type, layout)
        self.layout = layout
        if address & self.misaligned:
            _fail_alignment(self.name, _ALIGNMENT, address, "allocate an array of its own")

    def refuse_overlap(self, item):
        """Kernels may still read an argument when they write a result."""
        raise ScanError(f"{self.name}: expected memory that no argument is in, found that of "
                        f"arg{item.number}; allocate an array of its own")

    def refuse_sharing(self):
        raise ScanError(f"{self.name}: expected memory of its own, found that of another "
                        "result; allocate one for each")


class _Place:
    """Where a result is: in an `output`, or else in an argument or a constant."""

    def __init__(self, number, function, result, buffer, output):
        self.result, self.kind, self.index, self.output = result, buffer.kind, buffer.index, output
        self._what, self._buffer = f"function '{function}': result {number}", buffer.name

    def refuse_array(self):
        raise ScanError(f"{self._what}: expected None in out, since it shares the memory of "
                        f"'{self._buffer}', found an array")


class _Alias:
    """A result in memory that something else owns; dense."""

    def __init__(self, result, address, owner):
        self.shape, self.element, self.owner = tuple(result.shape), result.element, owner
        self.nbytes, self.address = result.nbytes, address

    __cuda_array_interface__ = DeviceArray.__cuda_array_interface__


def _fail_alignment(what, alignment, address, way_out):
    raise ScanError(f"{what}: expected an address that is a multiple of {alignment} bytes, "
                    f"found {address:#x}; {way_out}")
