"""Stand-ins for the arrays of other libraries, in the memory of a runtime.DeviceArray."""

import sys
import types

import numpy
import package  # noqa: F401
from mlir_scan import runtime


class Interface:
    """What has `__cuda_array_interface__` (CuPy, numba)."""

    def __init__(self, device, shape, typestr, **changes):
        size = int(typestr[2:])
        elements = {1: "i8", 2: "i16", 4: "i32", 8: "i64", 16: "complex<f64>"}
        # Room for an address that is off by some bytes.
        self.memory = runtime.DeviceArray(device, (int(numpy.prod(shape)) + 16,), elements[size])
        address = self.memory.address + changes.pop("offset", 0)
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "version": 3,
            "data": (address, changes.pop("read_only", False)), **changes}


class DLPack:
    """What has `__dlpack__` only (JAX, for bf16). NumPy makes the capsule: it takes no stream."""

    def __init__(self, host, device_type=2, ordinal=0):
        self.host, self.place, self.streams = host, (device_type, ordinal), []

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.host.__dlpack__()


class TorchTensor:
    """What of PyTorch's tensors is asked for."""

    def __init__(self, device, shape, dtype, is_cuda=True, ordinal=0, strides=None):
        element = {"float32": "f32", "bfloat16": "bf16", "int64": "i64", "bool": "i1",
                   "int8": "i8"}.get(dtype, "f64")
        self.memory = runtime.DeviceArray(device, shape, element)
        self.shape, self.is_cuda, self.dtype = shape, is_cuda, f"torch.{dtype}"
        self.device = types.SimpleNamespace(index=ordinal)
        self.strides = strides

    def data_ptr(self):
        return self.memory.address

    def get_device(self):
        return self.device.index

    def is_conj(self):
        return False

    is_neg = is_conj

    def stride(self):
        if self.strides:
            return self.strides
        strides, distance = [], 1
        for extent in reversed(self.shape):
            strides.insert(0, distance)
            distance *= extent
        return tuple(strides)


TorchTensor.__module__ = "torch"


def fake_torch(device, stream):
    """Puts a module `torch` in place whose current stream is `stream`."""
    torch = types.ModuleType("torch")
    for name in ("float32", "bfloat16", "int64", "bool", "int8"):
        setattr(torch, name, name)
    torch.empty = lambda shape, dtype, device: TorchTensor(torch.device_of, shape, dtype)
    torch.device = lambda kind, ordinal: f"{kind}:{ordinal}"
    torch.device_of = device
    torch.cuda = types.SimpleNamespace(
        current_stream=lambda ordinal: types.SimpleNamespace(cuda_stream=stream))
    sys.modules["torch"] = torch
