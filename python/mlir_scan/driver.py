# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA driver, found at run time and called through ctypes."""

import ctypes
import functools

from .errors import NoDriverError, ScanError

_INT, _UNSIGNED, _SIZE, _ADDRESS = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p
_DEVICE_POINTER = ctypes.c_uint64
_OUT_INT, _OUT_ADDRESS = ctypes.POINTER(_INT), ctypes.POINTER(_ADDRESS)

# Names and signatures of the CUDA Driver API reference.
_SIGNATURES = {
    "cuInit": [_UNSIGNED],
    "cuDriverGetVersion": [_OUT_INT],
    "cuDeviceGetCount": [_OUT_INT],
    "cuDeviceGet": [_OUT_INT, _INT],
    "cuDeviceGetName": [ctypes.c_char_p, _INT, _INT],
    "cuDeviceGetAttribute": [_OUT_INT, _INT, _INT],
    "cuDevicePrimaryCtxRetain": [_OUT_ADDRESS, _INT],
    "cuDevicePrimaryCtxRelease_v2": [_INT],
    "cuCtxSetCurrent": [_ADDRESS],
    "cuCtxSynchronize": [],
    "cuMemAlloc_v2": [ctypes.POINTER(_DEVICE_POINTER), _SIZE],
    "cuMemFree_v2": [_DEVICE_POINTER],
    "cuMemHostAlloc": [_OUT_ADDRESS, _SIZE, _UNSIGNED],
    "cuMemFreeHost": [_ADDRESS],
    "cuMemHostGetDevicePointer_v2": [ctypes.POINTER(_DEVICE_POINTER), _ADDRESS, _UNSIGNED],
    "cuMemcpyHtoD_v2": [_DEVICE_POINTER, _ADDRESS, _SIZE],
    "cuMemcpyDtoH_v2": [_ADDRESS, _DEVICE_POINTER, _SIZE],
    "cuMemsetD8_v2": [_DEVICE_POINTER, ctypes.c_ubyte, _SIZE],
    "cuMemsetD8Async": [_DEVICE_POINTER, ctypes.c_ubyte, _SIZE, _ADDRESS],
    "cuModuleLoadDataEx": [_OUT_ADDRESS, ctypes.c_char_p, _UNSIGNED, ctypes.POINTER(_INT),
                           ctypes.POINTER(_ADDRESS)],
    "cuModuleUnload": [_ADDRESS],
    "cuModuleGetFunction": [_OUT_ADDRESS, _ADDRESS, ctypes.c_char_p],
    "cuFuncSetAttribute": [_ADDRESS, _INT, _INT],
    "cuLaunchKernel": [_ADDRESS] + [_UNSIGNED] * 7 + [_ADDRESS, _OUT_ADDRESS, _ADDRESS],
    "cuEventCreate": [_OUT_ADDRESS, _UNSIGNED],
    "cuEventDestroy_v2": [_ADDRESS],
    "cuEventRecord": [_ADDRESS, _ADDRESS],
    "cuEventSynchronize": [_ADDRESS],
    "cuEventElapsedTime": [ctypes.POINTER(ctypes.c_float), _ADDRESS, _ADDRESS],
    "cuStreamWaitEvent": [_ADDRESS, _ADDRESS, _UNSIGNED],
    "cuGetErrorName": [_INT, ctypes.POINTER(ctypes.c_char_p)],
    "cuGetErrorString": [_INT, ctypes.POINTER(ctypes.c_char_p)],
}

# CUjit_option: what the driver's assembler says about the PTX, and how long it is.
_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES = 5, 6
_LOG_BYTES = 4096


class Driver:
    """The driver's functions as attributes, `cuInit` and so on."""

    def __init__(self, library="libcuda.so.1"):
        try:
            loaded = ctypes.CDLL(library)
        except OSError:
            raise NoDriverError(f"no CUDA driver on this machine ({library} was not found); "
                                "a GPU is needed to launch kernels") from None
        for name, arguments in _SIGNATURES.items():
            try:
                function = getattr(loaded, name)
            except AttributeError:
                raise NoDriverError(f"the CUDA driver has no function {name}; "
                                    "a newer driver is needed") from None
            function.argtypes, function.restype = arguments, _INT
            setattr(self, name, function)
        try:
            self.check(self.cuInit(0), "starting the CUDA driver")
        except ScanError as error:
            raise NoDriverError(str(error)) from None

    def check(self, result, what):
        """Fails with "WHAT failed: CUDA_ERROR_...: text" unless `result` is success."""
        if result:
            raise ScanError(self.describe(result, what))

    def describe(self, result, what):
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        self.cuGetErrorName(result, name)
        self.cuGetErrorString(result, text)
        message = f"{what} failed: {name.value.decode() if name.value else f'error {result}'}"
        return message + (f": {text.value.decode()}" if text.value else "")

    def load_module(self, ptx, what):
        """A module of PTX (bytes); what the driver's assembler says is in the error."""
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (_INT * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
        values = (_ADDRESS * 2)(ctypes.addressof(log), _LOG_BYTES - 1)
        module = _ADDRESS()
        result = self.cuModuleLoadDataEx(module, ptx, 2, options, values)
        if result:
            said = " ".join(log.value.decode(errors="replace").split())
            raise ScanError(self.describe(result, what) + (f": {said}" if said else ""))
        return module


@functools.lru_cache(maxsize=None)
def get_driver():
    """The driver of this machine, loaded once. Fails with a NoDriverError."""
    return Driver()
