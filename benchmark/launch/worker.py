"""Measures launches from Python for launch.py, whose request is a text of JSON; prints a line
of JSON, a list of [part, case, medians].

usage: worker.py REQUEST
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
        self.reached = None
        if is_fake:
            self.reached = ctypes.c_int64.in_dll(ctypes.CDLL("libcuda.so.1"),
                                                 "scanFakeCudaLaunchTime")

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


def fake_cuda(build):
    """Lets all of PyTorch's tensors, which are on the CPU, say that they are on a GPU."""
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    wrap = ctypes.pythonapi.PyCapsule_New
    wrap.restype = ctypes.py_object
    wrap.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    make = ctypes.CDLL(f"{build}/test/fake-tensors/fake-tensors.so").scanMakeFakeExchange
    make.restype, make.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    name = b"dlpack_exchange_api"
    place = torch.device("cuda", 0)
    tensor = torch.Tensor
    tensor.__dlpack_c_exchange_api__ = wrap(
        make(capsule(tensor.__dlpack_c_exchange_api__, name)), name, None)
    tensor.is_cpu = property(lambda self: False)
    tensor.is_cuda = property(lambda self: True)
    tensor.device = property(lambda self: place)
    tensor.get_device = lambda self: 0
    torch.cuda.current_device = lambda: 0
    torch.cuda.current_stream = lambda ordinal=None: _NullStream()
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

    def __init__(self, request, name, arguments):
        self.ptx, self.manifest, self.name = request["ptx"], request["manifest"], name
        self.place = "cpu" if request["device"] == "fake" else "cuda"
        self.function = runtime.Program(runtime.Device(), self.ptx, self.manifest)[name]
        self.dtypes = {"f32": torch.float32, "i64": torch.int64}
        self.arguments = [
            int(text[1:]) if text[0] == "=" else
            self.make(tuple(map(int, text.split("x"))), self.dtypes[argument.element])
            for text, argument in zip(arguments, self.function.description.arguments)]

    def make(self, shape, dtype):
        return torch.zeros(shape, dtype=dtype, device=self.place)

    def allocate(self, shape, element, _):
        """PyTorch's memory, as mlir_scan.runtime asks for it."""
        return torch.empty(shape, dtype=self.dtypes.get(element, torch.int8), device=self.place)


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
    function, arguments = program[case.name], case.arguments
    call = function.prepare(*arguments)
    memory = [case.make(shape, case.dtypes.get(element, torch.int8))
              for element, shape in call.buffers]

    def launch():
        call.launch([0 if isinstance(value, int) else value.data_ptr() for value in arguments],
                    [value.data_ptr() for value in memory], 0)

    return {"prepared, addresses of tensors": measure(launch),
            "called, results allocated": measure(lambda: function(*arguments))}


def measure_torch(case, measure):
    import mlir_scan.torch as scan

    functions = {"rows": lambda x: scan.cumsum(x, 1), "variants": lambda x: scan.cumsum(x, 1),
                 "recurrence": lambda a, b, h: scan.linear_recurrence(
                     a, b, h, return_final_state=True)}
    if case.name not in functions:
        return {}
    function, arguments = functions[case.name], case.arguments
    recorded = [value.clone().requires_grad_() for value in arguments]
    name = "linear_recurrence" if case.name == "recurrence" else "cumsum"
    return {name: measure(lambda: function(*arguments)),
            f"{name}, recorded for autograd": measure(lambda: function(*recorded))}


def measure_prepare(case, measure):
    tensors = [runtime.Tensor(tuple(value.shape)) if isinstance(value, torch.Tensor) else value
               for value in case.arguments]
    times = measure(lambda: runtime.Plan(case.function.description, tensors))
    return {"plan": {"returned_ns": times["returned_ns"]}}


def main():
    request = json.loads(sys.argv[1])
    is_fake, launches = request["device"] == "fake", request["launches"]
    if is_fake:
        fake_cuda(request["build"])
    torch.set_num_threads(1)
    device, clock, rows = runtime.Device(), Clock(is_fake), []
    cases = [Case(request, name, arguments) for name, arguments in request["cases"].items()]
    for part in request["parts"]:
        count = min(launches, 2000) if part == "prepare" else launches
        for case in cases:
            measured = globals()[f"measure_{part}"](
                case, lambda function, count=count: clock.measure(
                    function, count, device.synchronize))
            rows += [(part, f"{case.name} {variant}", times) for variant, times in measured.items()]
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
