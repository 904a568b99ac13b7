# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on an NVIDIA GPU what `scan-translate --scan-to-ptx` wrote.

    from mlir_scan import runtime

    device = runtime.Device()
    program = runtime.Program(device, "cumsum.ptx", "cumsum.json")
    y, = program["cumsum"](x)              # x: a tensor of PyTorch, CuPy, JAX, ...

A function that is called prepares itself for the shapes that it sees, and
remembers that. The same by hand, for results in memory that is there already:

    call = program["cumsum"].prepare(x)    # or runtime.Tensor((4, 1024)) for x
    call.launch(x, out=[y], stream=stream)

`prepare` checks, computes grids and parameters, and allocates what the kernels
need beside arguments and results. `launch` with `out` neither allocates nor
synchronizes, so that it may be captured into a CUDA graph, after one launch outside
of it (docs/cuda-graphs.md). The results of other
launches come from the memory of the library that the first argument is from, or
from the `allocator`: any function of (shape, element, device).

Launches go to `stream`: a stream of PyTorch, CuPy or an integer; without one to
the stream that the first argument's library works on. The GPU's primary context
is used, as these libraries do.
"""

import ctypes
import os

from . import arrays, manifest
from .arrays import DeviceArray, Tensor
from .call import Call
from .device import Device, Event
from .errors import NoDriverError, ScanError
from .plan import Plan, check_count
from .ptx_entries import check as check_ptx
from .statuses import Statuses

__all__ = ["plan", "Device", "Program", "Function", "Call", "Plan", "Event", "DeviceArray",
           "Tensor", "ScanError", "NoDriverError"]

# CUfunction_attribute: more dynamic shared memory than the default limit.
_MAX_DYNAMIC_SHARED = 8
_DEFAULT_SHARED_BYTES = 48 * 1024
# How many prepared calls a function remembers.
_REMEMBERED = 64


def _read(text):
    """Of a file, or the text itself, its bytes: PTX and manifests have several lines."""
    if isinstance(text, os.PathLike) or ("\n" not in text and not text.startswith("{")):
        try:
            with open(text, "rb") as file:
                return file.read()
        except OSError as error:
            raise ScanError(f"cannot read {os.fspath(text)}: {error.strerror}") from None
    return text.encode(errors="replace")


class _Module:
    """PTX on a device; the driver's assembler makes code of it."""

    def __init__(self, device, ptx, chip):
        self.device = device
        device.make_current()
        self.handle = device.driver.load_module(
            ptx, f"loading PTX for {chip} on {device.name}")

    def find(self, kernel):
        """The handle of a kernel, which may have the shared memory that it asks for."""
        driver, handle = self.device.driver, ctypes.c_void_p()
        driver.check(driver.cuModuleGetFunction(handle, self.handle, kernel.entry.encode()),
                     f"finding the kernel '{kernel.entry}' in the PTX")
        if kernel.dynamic_shared_bytes > _DEFAULT_SHARED_BYTES:
            driver.check(
                driver.cuFuncSetAttribute(handle, _MAX_DYNAMIC_SHARED, kernel.dynamic_shared_bytes),
                f"allowing '{kernel.entry}' {kernel.dynamic_shared_bytes} bytes of shared memory")
        return handle

    def __del__(self):
        if getattr(self, "handle", None):
            self.device.make_current()
            self.device.driver.cuModuleUnload(self.handle)


class _Loaded:
    """A function's description with what of it is on the device."""

    def __init__(self, module, description):
        self.module, self.device, self.description = module, module.device, description
        self.name = description.name
        self.kernels = [module.find(kernel) for kernel in description.kernels]
        # By the number of the buffer.
        self.constants = {}
        for number, buffer in enumerate(description.buffers):
            if buffer.kind == "constant":
                constant = DeviceArray(self.device, (len(buffer.data),), "i8")
                self.device.copy_to_device(constant.address, buffer.data, len(buffer.data))
                self.constants[number] = constant
        # None where kernels check nothing.
        self.statuses = Statuses(self.device, description) if description.statuses else None


class Program:
    """PTX that was loaded onto a device, with its `functions` by name."""

    def __init__(self, device, ptx, manifest_file):
        """Of two files, or of their texts. Fails where the manifest is not what
        docs/manifest.md says, where the PTX is not the one that it was written with, or
        where the driver refuses the PTX."""
        description = manifest.read(_read(manifest_file))
        code = _read(ptx)
        check_ptx(description, code)
        self.device, self.chip = device, description.chip
        module = _Module(device, code, description.chip)
        self.functions = {function.name: Function(_Loaded(module, function))
                          for function in description.functions}

    def check(self):
        """As Call.check, of the first function that has something to say."""
        for function in self.functions.values():
            function.check()

    def __getitem__(self, name):
        """The Function of that name."""
        if name not in self.functions:
            raise ScanError(f"no function '{name}'; there are: {', '.join(self.functions)}")
        return self.functions[name]


def plan(manifest_file, name, *arguments):
    """The Plan of a call: shapes of results and grids, where there is no GPU."""
    functions = {item.name: item for item in manifest.read(_read(manifest_file)).functions}
    if name not in functions:
        raise ScanError(f"no function '{name}'; there are: {', '.join(functions)}")
    return Plan(functions[name], arguments)


class Function:
    """A function of a program."""

    def __init__(self, loaded):
        self._loaded, self.name, self.device = loaded, loaded.name, loaded.device
        # What docs/manifest.md calls an entry of `functions`.
        self.description = loaded.description
        self._remembered = {}
        self._names = [f"function '{self.name}': arg{number}"
                       for number in range(len(self.description.arguments))]

    def prepare(self, *arguments, allocator=None):
        """The Call for arguments of these shapes, and for these values of scalars.

        An argument is an array, a Tensor that says its shape, or a number. What the
        kernels need beside arguments and results is allocated by `allocator`.
        """
        return Call(self._loaded, arguments, allocator)

    def check(self):
        """As Call.check, which is about all calls of the function, too."""
        if self._loaded.statuses is not None:
            self._loaded.statuses.check()

    def __call__(self, *arguments, out=None, stream=None, allocator=None):
        """Prepares, unless that was done before, and launches; the results, a tuple.

        Temporaries belong to a prepared call, so each stream has calls of its own.
        """
        handle = (arrays.current_stream(arguments, self.device) if stream is None
                  else arrays.stream_handle(stream))
        check_count(self.description, arguments)
        key, found = [handle, allocator], []
        for value, name in zip(arguments, self._names):
            if arrays.is_array(value):
                found.append(arrays.read(value, name, handle))
                key.append(found[-1][1])
            else:
                found.append(None)
                key.append((type(value), repr(value)))
        key = tuple(key)
        call = self._remembered.pop(key, None) or self.prepare(*arguments, allocator=allocator)
        if len(self._remembered) >= _REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[key] = call
        return call.launch_read(arguments, found, out, handle, allocator)
