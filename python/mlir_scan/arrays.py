# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries, as they are: where they are, of what, how strided.

Taken are PyTorch's tensors, what has `__cuda_array_interface__`, and what has
`__dlpack__`. None of these libraries is imported here.
"""

import ctypes
import dataclasses
import functools
import math
import struct
import sys
from typing import NamedTuple, Optional

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


class Layout(NamedTuple):
    """What an array is but for its address: mostly one object for all arrays that are alike,
    so that what was checked of one is known of the next.

    elements   the manifest's element types that it can be read as; empty: any
    strides    in elements; None where dense and row-major
    ordinal    the number of the GPU, None where the array does not say
    """

    elements: frozenset
    type_name: str
    shape: tuple
    strides: Optional[tuple] = None
    ordinal: Optional[int] = None
    is_read_only: bool = False


@dataclasses.dataclass(frozen=True)
class Tensor:
    """The shape of an argument that is not there yet, for `Function.prepare`.

    Strides are in elements; without them the tensor is dense and row-major.
    """

    shape: tuple
    strides: Optional[tuple] = None


class _Refused(Exception):
    """Why an array cannot be read."""


# Classes of arrays, and layouts: what makes them is asked once for each.
_remember = functools.lru_cache(maxsize=4096)


# Their values never change.
NUMBERS = (int, float, complex, bool)


@_remember
def _kind(cls):
    """What is known of the objects of a class: "number", "torch", "cupy", or nothing."""
    if cls in NUMBERS:
        return "number"
    library = cls.__module__.split(".")[0]
    return library if library == "cupy" or (library == "torch" and hasattr(cls, "data_ptr")) \
        else None


def is_array(value):
    kind = _kind(type(value))
    return kind == "torch" or (kind != "number" and (isinstance(value, Tensor) or any(
        hasattr(value, name) for name in ("__cuda_array_interface__", "__dlpack__"))))


def read(value, name, stream=0):
    """Address and Layout of an array in a GPU's memory, and the stream with work that it may
    still wait for: a CUstream, None for none. `name` is what errors call the array.

    An array that comes by DLPack is made to be ready on `stream`.
    """
    try:
        return _read_torch(value) if _kind(type(value)) == "torch" else _read_other(value, stream)
    except _Refused as refused:
        raise ScanError(f"{name}: {refused}") from None


def _read_other(value, stream):
    if isinstance(value, Tensor):
        return 0, Layout(frozenset(), "", tuple(value.shape), value.strides), None
    # Asking for it fails in many ways: where the array is not on a GPU, or of an
    # element type that it has no name for.
    try:
        interface, reason = value.__cuda_array_interface__, ""
    except Exception as error:  # pylint: disable=broad-except
        interface, reason = None, _one_line(error)
    # Before version 3 it does not say whose work the array waits for; DLPack does.
    has_dlpack = hasattr(value, "__dlpack__")
    if interface is not None and (interface.get("version", 0) >= 3 or not has_dlpack):
        return _read_interface(interface)
    if has_dlpack:
        return _read_dlpack(value, stream)
    raise _Refused(f"expected an array on a GPU, found {type(value).__name__}: {reason}")


def _one_line(error):
    return " ".join(str(error).split()) or type(error).__name__


def _refuse_type(found):
    return _Refused(f"no element type of a scan is {found}; convert it first")


def _read_torch(value):
    if not value.is_cuda:
        raise _Refused(f"expected a tensor on a GPU, found one on {value.device}; "
                       "move it with .cuda() first")
    layout = _torch_layout(value.dtype, value.shape, value.stride(), value.get_device())
    if value.is_conj() or value.is_neg():
        raise _Refused("expected a tensor as it is in memory, found a lazily conjugated or negated "
                       "one; call .resolve_conj().resolve_neg() first")
    return value.data_ptr(), layout, None


@_remember
def _torch_layout(dtype, shape, strides, ordinal):
    name = str(dtype).split(".")[-1]
    if name not in _TORCH:
        raise _refuse_type(dtype)
    return Layout(frozenset(_TORCH[name]), str(dtype), tuple(shape), tuple(strides), ordinal)


def _read_interface(interface):
    if interface.get("mask") is not None:
        raise _Refused("expected an array without a mask, found one with a mask")
    address, is_read_only = interface["data"]
    strides = interface.get("strides")
    layout = _interface_layout(interface["typestr"], tuple(interface["shape"]),
                               strides if strides is None else tuple(strides), is_read_only)
    return address or 0, layout, interface.get("stream")


@_remember
def _interface_layout(typestr, shape, strides, is_read_only):
    if typestr[0] == ">" or typestr[1:] not in _TYPESTR:
        raise _refuse_type(typestr)
    size = int(typestr[2:])
    if strides is not None:
        if any(stride % size for stride in strides):
            raise _Refused(f"expected strides that are multiples of {size} bytes, found "
                           f"{list(strides)}; copy it into a dense array first")
        strides = tuple(stride // size for stride in strides)
    return Layout(frozenset(_TYPESTR[typestr[1:]]), typestr, shape, strides, None, is_read_only)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", _INT64_POINTER), ("strides", _INT64_POINTER),
        ("byte_offset", ctypes.c_uint64),
    ]


_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _read_dlpack(value, stream):
    kind, ordinal = value.__dlpack_device__()
    if kind not in _DLPACK_CUDA:
        raise _Refused(f"expected an array on a GPU, found one of {type(value).__name__} that is "
                       "not; move it there first")
    # Not consumed: the capsule lets go of the array when it goes, which `value`
    # keeps alive. The legacy default stream is 1 there.
    capsule = value.__dlpack__(stream=stream or 1)
    tensor = _DLTensor.from_address(_get_pointer(capsule, b"dltensor"))
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None
    layout = _dlpack_layout(tensor.code, tensor.bits, tensor.lanes,
                            tuple(tensor.shape[:tensor.ndim]), strides, ordinal)
    return (tensor.data or 0) + tensor.byte_offset, layout, None


@_remember
def _dlpack_layout(code, bits, lanes, shape, strides, ordinal):
    elements = _DLPACK.get((code, bits))
    if elements is None or lanes != 1:
        raise _refuse_type(f"DLPack's type {code} of {bits} bits")
    return Layout(frozenset(elements), sorted(elements)[0], shape, strides, ordinal)


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


def _find_name(names, element):
    """The first name of arrays with elements of that type."""
    return next(name for name, elements in names.items() if element in elements)


@_remember
def _torch_place(torch, element, ordinal):
    return getattr(torch, _find_name(_TORCH, element)), torch.device("cuda", ordinal)


def torch_allocator(shape, element, device):
    """Results as PyTorch's tensors, from its memory and for its current stream."""
    import torch  # pylint: disable=import-outside-toplevel

    dtype, place = _torch_place(torch, element, device.ordinal)
    return torch.empty(shape, dtype=dtype, device=place)


def cupy_allocator(shape, element, device):
    """Results as CuPy's arrays; bf16 as words of two bytes."""
    import cupy  # pylint: disable=import-outside-toplevel

    name = _find_name(_TYPESTR, element)
    with cupy.cuda.Device(device.ordinal):
        return cupy.empty(shape, dtype=name if name != "b1" else "?")


def owned_allocator(shape, element, device):
    """Results as arrays of this package, DeviceArray."""
    return DeviceArray(device, shape, element)


_ALLOCATORS = {"torch": torch_allocator, "cupy": cupy_allocator}


def _first_library(values):
    """The first one that has memory to allocate, of those whose arrays these are."""
    for value in values:
        library = _kind(type(value))
        if library in _ALLOCATORS:
            return library
    return None


def choose_allocator(values):
    """That of the first argument's library: PyTorch, CuPy, or memory of our own."""
    return _ALLOCATORS.get(_first_library(values), owned_allocator)


def current_stream(values, device):
    """The stream that the first argument's library works on now."""
    library = _first_library(values)
    if library == "torch":
        torch = sys.modules["torch"]
        # What PyTorch's own launches of kernels ask; it makes no object of the stream.
        get_raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
        return (get_raw(device.ordinal) if get_raw
                else torch.cuda.current_stream(device.ordinal).cuda_stream)
    if library == "cupy":
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
