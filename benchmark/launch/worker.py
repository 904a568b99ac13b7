"""Measures one part of launch.py for one function; prints a line of JSON.

usage: worker.py PART BUILD DEVICE LAUNCHES PTX MANIFEST FUNCTION [ARGUMENT...]
"""

import ctypes
import gc
import json
import statistics
import sys
import time

import torch

from mlir_scan import runtime


class Clock:
    """When the driver was called for a kernel: the fake one says that."""

    def __init__(self, is_fake):
        self.reached = ctypes.c_int64.in_dll(ctypes.CDLL("libcuda.so.1"), "scanFakeCudaLaunchTime") \
            if is_fake else None

    def measure(self, function, launches, synchronize):
        """Nanoseconds from the call until then, and until it returned; medians."""
        for _ in range(100):
            function()
        until_reached, until_returned = [], []
        now = time.perf_counter_ns
        gc.disable()
        for number in range(launches):
            start = now()
            result = function()
            end = now()
            del result
            until_returned.append(end - start)
            if self.reached is not None:
                until_reached.append(self.reached.value - start)
            # A GPU that is behind would make launches wait.
            if number % 256 == 0:
                synchronize()
        gc.enable()
        times = {"returned_ns": statistics.median(until_returned)}
        if self.reached is not None:
            times["reached_ns"] = statistics.median(until_reached)
        return times


class FakeTensor(torch.Tensor):
    """PyTorch's tensors on the CPU that say that they are on a GPU."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    is_cpu = property(lambda self: False)
    is_cuda = property(lambda self: True)
    place = torch.device("cuda", 0)
    device = property(lambda self: self.place)

    def get_device(self):
        return 0


FakeTensor.__module__ = "torch"


def fake_cuda(build):
    """Puts FakeTensor and PyTorch's choice of a GPU in place."""
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    make = ctypes.CDLL(f"{build}/test/fake-tensors/fake-tensors.so").scanMakeFakeExchange
    make.restype, make.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    wrap = ctypes.pythonapi.PyCapsule_New
    wrap.restype, wrap.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    FakeTensor.__dlpack_c_exchange_api__ = wrap(
        make(capsule(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")),
        b"dlpack_exchange_api", None)
    torch.cuda.current_device = lambda: 0
    stream = torch.cuda.Stream.__new__(torch.cuda.Stream, stream_id=0, device_index=0,
                                       device_type=1) if torch.version.cuda else _NullStream()
    torch.cuda.current_stream = lambda ordinal=None: stream
    torch._C._cuda_getCurrentRawStream = lambda ordinal: 0


class _NullStream:
    cuda_stream = 0


class Interface:
    """An array of another library: all that it has is `__cuda_array_interface__`."""

    def __init__(self, tensor):
        self.tensor, self.shape = tensor, tuple(tensor.shape)
        self.typestr = {torch.float32: "<f4", torch.int64: "<i8"}[tensor.dtype]

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.typestr, "version": 3, "strides": None,
                "data": (self.tensor.data_ptr(), False), "stream": None}


class Case:
    """A function of the program with arrays for it."""

    def __init__(self, device, ptx, manifest, name, arguments):
        self.is_fake = device == "fake"
        self.ptx, self.manifest, self.name = ptx, manifest, name
        self.program = runtime.Program(runtime.Device(), ptx, manifest)
        self.function = self.program[name]
        self.dtypes = {"f32": torch.float32, "i64": torch.int64}
        self.arguments = [
            int(text[1:]) if text[0] == "=" else
            self.make(tuple(map(int, text.split("x"))), self.dtypes[argument.element])
            for text, argument in zip(arguments, self.function.description.arguments)]

    def make(self, shape, dtype):
        if self.is_fake:
            return torch.zeros(shape, dtype=dtype).as_subclass(FakeTensor)
        return torch.zeros(shape, dtype=dtype, device="cuda")

    def allocate(self, shape, element, _):
        """PyTorch's memory, as mlir_scan.runtime asks for it."""
        if self.is_fake:
            return torch.empty(shape, dtype=self.dtypes.get(element, torch.int8)).as_subclass(FakeTensor)
        return torch.empty(shape, dtype=self.dtypes.get(element, torch.int8), device="cuda")


def measure_runtime(case, measure):
    call = case.function.prepare(*case.arguments, allocator=case.allocate)
    arguments = case.arguments
    out = [case.make(result.shape, case.dtypes[result.element]) for result in call.results]
    arrays = [Interface(value) if isinstance(value, torch.Tensor) else value for value in arguments]
    results = [Interface(value) for value in out]
    return {
        "prepared, tensors": measure(lambda: call.launch(*arguments, out=out, stream=0)),
        "prepared, tensors, own stream": measure(lambda: call.launch(*arguments, out=out)),
        "prepared, interface": measure(lambda: call.launch(*arrays, out=results, stream=0)),
        "called, tensors": measure(
            lambda: case.function(*arguments, out=out, allocator=case.allocate)),
        "called, results allocated": measure(
            lambda: case.function(*arguments, allocator=case.allocate)),
    }


def measure_core(case, measure):
    import mlir_scan

    with open(case.ptx, encoding="utf-8") as ptx, open(case.manifest, encoding="utf-8") as manifest:
        program = mlir_scan.Program(mlir_scan.Device(), ptx.read(), manifest.read())
    function = program[case.name]
    return {"called, results allocated": measure(lambda: function(*case.arguments))}


def measure_torch(case, measure):
    import mlir_scan
    from mlir_scan.torch import _run

    with open(case.ptx, encoding="utf-8") as ptx, open(case.manifest, encoding="utf-8") as manifest:
        program = mlir_scan.Program(mlir_scan.Device(), ptx.read(), manifest.read())

    class Loaded:
        """What of a program _run asks for, once it is compiled."""

        def __init__(self, function):
            self.function = function

        def kernels(self, _):
            return self.function

    loaded = Loaded(program[case.name])
    if not all(isinstance(value, torch.Tensor) for value in case.arguments):
        return {}
    return {"run": measure(lambda: _run.run(loaded, case.arguments))}


def measure_prepare(case, measure):
    tensors = [runtime.Tensor(tuple(value.shape)) if isinstance(value, torch.Tensor) else value
               for value in case.arguments]
    times = measure(lambda: runtime.Plan(case.function.description, tensors))
    return {"plan": {"returned_ns": times["returned_ns"]}}


def main():
    part, build, device, launches, *rest = sys.argv[1:]
    if device == "fake":
        fake_cuda(build)
    torch.set_num_threads(1)
    case = Case(device, rest[0], rest[1], rest[2], rest[3:])
    clock = Clock(case.is_fake)
    launches = int(launches) if part != "prepare" else min(int(launches), 2000)

    def measure(function):
        return clock.measure(function, launches, case.program.device.synchronize)

    print(json.dumps(globals()[f"measure_{part}"](case, measure)))


if __name__ == "__main__":
    main()
