# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU: its memory, events, and waiting for it."""

import ctypes

from .arrays import DeviceArray, stream_handle
from .driver import get_driver
from .errors import ScanError

# CUdevice_attribute.
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76


class Device:
    """A GPU, with its primary context, which it shares with whatever else the process uses."""

    def __init__(self, ordinal=0):
        """Opens GPU number `ordinal`. Fails with one line where there is none."""
        self.driver = driver = get_driver()
        count, handle = ctypes.c_int(), ctypes.c_int()
        driver.check(driver.cuDeviceGetCount(count), "counting the GPUs")
        if not 0 <= ordinal < count.value:
            raise ScanError(f"expected a GPU number below {count.value}, the number of GPUs, "
                            f"found {ordinal}")
        self.ordinal = ordinal
        driver.check(driver.cuDeviceGet(handle, ordinal), "finding the GPU")
        name = ctypes.create_string_buffer(256)
        driver.check(driver.cuDeviceGetName(name, 255, handle), "asking the GPU's name")
        self.name = name.value.decode()
        self._handle = handle.value
        self.compute_capability = (10 * self._attribute(_CAPABILITY_MAJOR)
                                   + self._attribute(_CAPABILITY_MINOR))
        self._context = ctypes.c_void_p()
        driver.check(driver.cuDevicePrimaryCtxRetain(self._context, handle), "opening the GPU")

    def _attribute(self, number):
        value = ctypes.c_int()
        self.driver.check(self.driver.cuDeviceGetAttribute(value, number, self._handle),
                          "asking the compute capability")
        return value.value

    def make_current(self):
        result = self.driver.cuCtxSetCurrent(self._context)
        if result:
            self.driver.check(result, "selecting the GPU")

    def allocate(self, size):
        """The address of `size` bytes; 0 for none."""
        address = ctypes.c_uint64()
        self.make_current()
        if size:
            self.driver.check(self.driver.cuMemAlloc_v2(address, size), f"allocating {size} bytes")
        return address.value

    def free(self, address):
        if address:
            self.make_current()
            self.driver.check(self.driver.cuMemFree_v2(address), "freeing memory")

    def copy_to_device(self, address, source, size):
        """`source` is an address on the host or bytes."""
        self.make_current()
        if size:
            self.driver.check(self.driver.cuMemcpyHtoD_v2(address, source, size),
                              "copying to the GPU")

    def copy_to_host(self, target, address, size):
        self.make_current()
        if size:
            self.driver.check(self.driver.cuMemcpyDtoH_v2(target, address, size),
                              "copying from the GPU")

    def fill(self, address, byte, size):
        """Sets every byte."""
        self.make_current()
        if size:
            self.driver.check(self.driver.cuMemsetD8_v2(address, byte, size), "filling memory")

    def synchronize(self):
        """Waits for everything that was launched."""
        self.make_current()
        self.driver.check(self.driver.cuCtxSynchronize(), "running on the GPU")

    def array(self, values, element):
        """A DeviceArray with a copy of a NumPy array, whose bytes are elements of that type."""
        import numpy  # pylint: disable=import-outside-toplevel

        values = numpy.ascontiguousarray(values)
        result = DeviceArray(self, values.shape, element)
        if values.nbytes != result.nbytes:
            raise ScanError(f"expected {result.nbytes} bytes for elements of type {element}, found "
                            f"{values.nbytes} of type {values.dtype}; convert the array first")
        self.copy_to_device(result.address, values.ctypes.data, values.nbytes)
        return result

    def event(self):
        return Event(self)


class Event:
    """A point in the work of a stream, for timing and for waiting."""

    def __init__(self, device):
        self.driver = device.driver
        device.make_current()
        self._handle = ctypes.c_void_p()
        self.driver.check(self.driver.cuEventCreate(self._handle, 0), "creating an event")

    def record(self, stream=0):
        self.driver.check(self.driver.cuEventRecord(self._handle, stream_handle(stream)),
                          "recording an event")

    def synchronize(self):
        """Waits until the recorded point was reached."""
        self.driver.check(self.driver.cuEventSynchronize(self._handle), "running on the GPU")

    def hold_back(self, stream):
        """Lets later work of `stream` wait for the recorded point."""
        self.driver.check(self.driver.cuStreamWaitEvent(stream, self._handle, 0),
                          "waiting for an event")

    def milliseconds_since(self, start):
        """From `start`; both were recorded and reached."""
        milliseconds = ctypes.c_float()
        self.driver.check(
            self.driver.cuEventElapsedTime(milliseconds, start._handle, self._handle),
            "reading the time between events")
        return milliseconds.value

    def __del__(self):
        if getattr(self, "_handle", None):
            self.driver.cuEventDestroy_v2(self._handle)
