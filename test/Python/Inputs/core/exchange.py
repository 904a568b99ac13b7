"""A library of arrays on a GPU that offers DLPack's exchange in C, written with ctypes."""

import ctypes

LIVE = set()
ALLOCATED = []


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("dl_tensor", DLTensor)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor),
                            ctypes.POINTER(ctypes.POINTER(Managed)), ctypes.c_void_p, ctypes.c_void_p)
FROM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
TO = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.c_void_p))
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class API(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev", ctypes.c_void_p),
                ("allocate", ALLOCATE), ("managed_from", FROM), ("managed_to", TO), ("read", READ),
                ("stream", STREAM)]


class Array:
    """An array that lies on a GPU: an address, extents, strides in elements."""

    stream = 0
    device = None
    fail = None

    def __init__(self, address, shape, code, bits, strides=None, gpu=0, managed=None):
        self.address, self.shape, self.code, self.bits = address, tuple(shape), code, bits
        self.gpu, self.managed = gpu, managed
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None

    def reshape(self, shape):
        """A view, which keeps what it views."""
        view = Array(self.address, shape, self.code, self.bits, gpu=self.gpu)
        view.base = self
        return view

    def __del__(self):
        if self.managed:
            DELETER(self.managed.contents.deleter)(self.managed)


def dense(tensor):
    """A buffer of the device, which its deleter frees, as a managed tensor."""
    count = tensor.bits // 8
    for i in range(tensor.ndim):
        count *= tensor.shape[i]
    address = Array.device.allocate(count)
    ALLOCATED.append(count)
    shape = (ctypes.c_int64 * max(tensor.ndim, 1))(*tensor.shape[:tensor.ndim])
    managed = Managed(1, 1, None, None, 0, DLTensor(
        address, 2, tensor.device_id, tensor.ndim, tensor.code, tensor.bits, 1,
        ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)), None, 0))

    def delete(_):
        Array.device.free(address)
        LIVE.discard(keep)

    deleter = DELETER(delete)
    managed.deleter = ctypes.cast(deleter, ctypes.c_void_p)
    keep = (address, id(managed))
    managed.keep = (shape, deleter)
    LIVE.add(keep)
    KEPT[keep] = managed
    return managed


KEPT = {}


@ALLOCATE
def allocate(prototype, out, context, set_error):
    if Array.fail:
        ctypes.cast(set_error, SET_ERROR)(context, b"MemoryError", Array.fail)
        return -1
    out[0] = ctypes.pointer(dense(prototype.contents))
    return 0


@TO
def managed_to(managed, out):
    tensor = managed.contents.dl_tensor
    array = Array(tensor.data or 0, tensor.shape[:tensor.ndim], tensor.code, tensor.bits,
                  gpu=tensor.device_id, managed=managed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
    out[0] = id(array)
    return 0


@READ
def read(array, out):
    out[0] = DLTensor(array.address, 2, array.gpu, len(array.shape), array.code, array.bits, 1,
                      ctypes.cast(array._shape, ctypes.POINTER(ctypes.c_int64)),
                      ctypes.cast(array._strides, ctypes.POINTER(ctypes.c_int64))
                      if array._strides else None, 0)
    return 0


@STREAM
def current_stream(_, __, out):
    out[0] = Array.stream
    return 0


# A capsule keeps the address of its name.
NAME = b"dlpack_exchange_api"
table = API(1, 3, None, allocate, FROM(), managed_to, read, current_stream)
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
Array.__dlpack_c_exchange_api__ = ctypes.pythonapi.PyCapsule_New(
    ctypes.addressof(table), NAME, None)
