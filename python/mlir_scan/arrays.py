# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries, as they are: where they are, of what, how strided.

Taken are PyTorch's tensors, what has `__cuda_array_interface__`, and what has
`__dlpack__`. None of these libraries is imported here.
"""

import ctypes
import dataclasses
import math
import struct
import sys
from typing import Optional

from .errors import ScanError
from .manifest import ELEMENT_BYTES

# Integers have no sign in MLIR. Without bf16 in NumPy its arrays hold two-byte words.
_TYPESTR = {
    "b1": {"i1"}, "i1": {"i8"}, "u1": {"i8"}, "i2": {"i16"}, "u2": {"i16", "bf16"},
    "i4": {"i32"}, "u4": {"i32"}, "i8": {"i64", "index"}, "u8": {"i64", "index"},
    "f2": {"f16"}, "V2": {"bf16"}, "f4": {"f32"}, "f8": {"f64"},
    "c8": {"complex<f32>"}, "c16": {"complex<f64>"},
}
_TORCH = {
    "bool": {"i1"}, "int8": {"i8"}, "uint8": {"i8"}, "int16": {"i16"}, "uint16": {"i16"},
    "int32": {"i32"}, "uint32": {"i32"}, "int64": {"i64", "index"},
    "uint64": {"i64", "index"}, "float16": {"f16"}, "bfloat16": {"bf16"},
    "float32": {"f32"}, "float64": {"f64"}, "complex64": {"complex<f32>"},
    "complex128": {"complex<f64>"},
}
# DLDataTypeCode and bits.
_DLPACK = {
    (6, 8): {"i1"}, (0, 8): {"i8"}, (1, 8): {"i8"}, (0, 16): {"i16"}, (1, 16): {"i16"},
    (0, 32): {"i32"}, (1, 32): {"i32"}, (0, 64): {"i64", "index"}, (1, 64): {"i64", "index"},
    (2, 16): {"f16"}, (4, 16): {"bf16"}, (2, 32): {"f32"}, (2, 64): {"f64"},
    (5, 64): {"complex<f32>"}, (5, 128): {"complex<f64>"},
}
_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged

_INT64_POINTER = ctypes.POINTER(ctypes.c_int64)


@dataclasses.dataclass
class View:
    """Where an array is and how it is laid out.

    elements   the manifest's element types that it can be read as; empty: any
    strides    in elements; None where dense and row-major
    ordinal    the number of the GPU, None where the array does not say
    stream     work that the array may still wait for: a CUstream, None for none
    """

    address: int
    elements: frozenset
    type_name: str
    shape: tuple
    strides: Optional[tuple] = None
    ordinal: Optional[int] = None
    stream: Optional[int] = None
    is_read_only: bool = False


@dataclasses.dataclass(frozen=True)
class Tensor:
    """The shape of an argument that is not there yet, for `Function.prepare`.

    Strides are in elements; without them the tensor is dense and row-major.
    """

    shape: tuple
    strides: Optional[tuple] = None


def is_array(value):
    return isinstance(value, Tensor) or _is_torch(value) or any(
        hasattr(value, name) for name in ("__cuda_array_interface__", "__dlpack__"))


def view(value, name, stream=0):
    """The View of an array in a GPU's memory; `name` is what errors call it.

    An array that comes by DLPack is made to be ready on `stream`.
    """
    if isinstance(value, Tensor):
        return View(0, frozenset(), "", tuple(value.shape), value.strides)
    if _is_torch(value):
        return _view_torch(value, name)
    # Asking for it fails in many ways: where the array is not on a GPU, or of an
    # element type that it has no name for.
    try:
        interface, reason = value.__cuda_array_interface__, ""
    except Exception as error:  # pylint: disable=broad-except
        interface, reason = None, _one_line(error)
    # Before version 3 it does not say whose work the array waits for; DLPack does.
    has_dlpack = hasattr(value, "__dlpack__")
    if interface is not None and (interface.get("version", 0) >= 3 or not has_dlpack):
        return _view_interface(interface, name)
    if has_dlpack:
        return _view_dlpack(value, name, stream)
    raise ScanError(f"{name}: expected an array on a GPU, found {type(value).__name__}: {reason}")


def _one_line(error):
    return " ".join(str(error).split()) or type(error).__name__


def _is_torch(value):
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "data_ptr")


def _fail_type(name, found):
    raise ScanError(f"{name}: no element type of a scan is {found}; convert it first")


def _view_torch(value, name):
    if not value.is_cuda:
        raise ScanError(f"{name}: expected a tensor on a GPU, found one on {value.device}; "
                        "move it with .cuda() first")
    dtype = str(value.dtype).split(".")[-1]
    if dtype not in _TORCH:
        _fail_type(name, value.dtype)
    if getattr(value, "is_conj", bool)() or getattr(value, "is_neg", bool)():
        raise ScanError(f"{name}: expected a tensor as it is in memory, found a lazily conjugated "
                        "or negated one; call .resolve_conj().resolve_neg() first")
    return View(value.data_ptr(), frozenset(_TORCH[dtype]), str(value.dtype), tuple(value.shape),
                tuple(value.stride()), value.device.index)


def _view_interface(interface, name):
    typestr = interface["typestr"]
    if typestr[0] == ">" or typestr[1:] not in _TYPESTR:
        _fail_type(name, typestr)
    if interface.get("mask") is not None:
        raise ScanError(f"{name}: expected an array without a mask, found one with a mask")
    size = int(typestr[2:])
    strides = interface.get("strides")
    if strides is not None:
        if any(stride % size for stride in strides):
            raise ScanError(f"{name}: expected strides that are multiples of {size} bytes, found "
                            f"{list(strides)}; copy it into a dense array first")
        strides = tuple(stride // size for stride in strides)
    address, is_read_only = interface["data"]
    return View(address or 0, frozenset(_TYPESTR[typestr[1:]]), typestr,
                tuple(interface["shape"]), strides, None, interface.get("stream"), is_read_only)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", _INT64_POINTER), ("strides", _INT64_POINTER),
        ("byte_offset", ctypes.c_uint64),
    ]


def _view_dlpack(value, name, stream):
    kind, ordinal = value.__dlpack_device__()
    if kind not in _DLPACK_CUDA:
        raise ScanError(f"{name}: expected an array on a GPU, found one of {type(value).__name__} "
                        "that is not; move it there first")
    # Not consumed: the capsule lets go of the array when it goes, which `value`
    # keeps alive. The legacy default stream is 1 there.
    capsule = value.__dlpack__(stream=stream or 1)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    key = (tensor.code, tensor.bits)
    if key not in _DLPACK or tensor.lanes != 1:
        _fail_type(name, f"DLPack's type {tensor.code} of {tensor.bits} bits")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None
    return View((tensor.data or 0) + tensor.byte_offset, frozenset(_DLPACK[key]),
                sorted(_DLPACK[key])[0], shape, strides, ordinal)


_SCALARS = {"f16": "<e", "f32": "<f", "f64": "<d"}


def pack_scalar(value, element, name):
    """The bytes of a number, little-endian."""
    try:
        if element in _SCALARS:
            return struct.pack(_SCALARS[element], value)
        if element == "bf16":
            return _pack_bf16(float(value))
        if element.startswith("complex"):
            value, part = complex(value), _SCALARS[element[len("complex<"):-1]]
            return struct.pack(part, value.real) + struct.pack(part, value.imag)
        if value != int(value):
            raise ValueError
        size = ELEMENT_BYTES[element]
        bits = 1 if element == "i1" else 8 * size
        # Integers have no sign: both readings are taken.
        if not -(1 << (bits - 1)) <= int(value) < 1 << bits:
            raise ValueError
        mask = 1 if element == "i1" else (1 << bits) - 1
        return (int(value) & mask).to_bytes(size, "little")
    except (TypeError, ValueError, OverflowError, struct.error):
        raise ScanError(f"{name}: expected a number of type {element}, found {value!r}") from None


def _pack_bf16(value):
    """Rounds to nearest, ties to even, from the value as a float of 32 bits."""
    if math.isnan(value):
        return b"\xc0\x7f"
    try:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0xFF800000 if value < 0 else 0x7F800000
    return (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) & 0xFFFF).to_bytes(2, "little")


# -- Memory for results ---------------------------------------------------------------


def torch_allocator(shape, element, device):
    """Results as PyTorch's tensors, from its memory and for its current stream."""
    import torch  # pylint: disable=import-outside-toplevel

    for name, elements in _TORCH.items():
        if element in elements:
            return torch.empty(shape, dtype=getattr(torch, name), device=f"cuda:{device.ordinal}")
    return _fail_type("a result", element)


def cupy_allocator(shape, element, device):
    """Results as CuPy's arrays; bf16 as words of two bytes."""
    import cupy  # pylint: disable=import-outside-toplevel

    for name, elements in _TYPESTR.items():
        if element in elements and name != "V2":
            with cupy.cuda.Device(device.ordinal):
                return cupy.empty(shape, dtype=name if name != "b1" else "?")
    return _fail_type("a result", element)


def owned_allocator(shape, element, device):
    """Results as arrays of this package, DeviceArray."""
    return DeviceArray(device, shape, element)


def choose_allocator(values):
    """That of the first argument's library: PyTorch, CuPy, or memory of our own."""
    for value in values:
        if _is_torch(value):
            return torch_allocator
        if type(value).__module__.split(".")[0] == "cupy":
            return cupy_allocator
    return owned_allocator


def current_stream(values, device):
    """The stream that the first argument's library works on now."""
    allocator = choose_allocator(values)
    if allocator is torch_allocator:
        return sys.modules["torch"].cuda.current_stream(device.ordinal).cuda_stream
    if allocator is cupy_allocator:
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return 0


def stream_handle(stream):
    """The CUstream of a stream of PyTorch, CuPy, cuda.core or numba, or an integer."""
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    raise ScanError(f"expected a stream, found {type(stream).__name__}; pass a stream of PyTorch "
                    "or CuPy, or the CUstream as an integer")


class DeviceArray:
    """A dense array in memory of its own, on a Device.

    Other libraries take it through `__cuda_array_interface__`.
    """

    def __init__(self, device, shape, element):
        self.device, self.shape, self.element = device, tuple(shape), element
        self.nbytes = math.prod(self.shape) * ELEMENT_BYTES[element]
        self.address = device.allocate(self.nbytes)

    @property
    def __cuda_array_interface__(self):
        typestr = next(name for name, types in _TYPESTR.items() if self.element in types)
        prefix = "<" if ELEMENT_BYTES[self.element] > 1 else "|"
        return {"shape": self.shape, "typestr": prefix + typestr, "data": (self.address, False),
                "version": 3, "strides": None, "stream": None}

    def numpy(self):
        """A copy in a NumPy array, after everything that was launched; bf16 as words."""
        import numpy  # pylint: disable=import-outside-toplevel

        host = numpy.empty(self.shape, self.__cuda_array_interface__["typestr"])
        self.device.synchronize()
        self.device.copy_to_host(host.ctypes.data, self.address, self.nbytes)
        return host

    def close(self):
        """Frees the memory."""
        address, self.address = self.address, 0
        self.device.free(address)

    def __del__(self):
        if getattr(self, "address", 0):
            self.close()
