"""What the runtime asks of a driver, and how it refuses what does not fit.

usage: calls.py PTX MANIFEST PART
"""

import json
import sys
import threading
import types

import numpy
import package  # noqa: F401
from arrays import DLPack, Interface, TorchTensor, fake_torch
from mlir_scan import arrays, runtime


def say(text):
    print(f"-- {text}", file=sys.stderr, flush=True)


def captured(device, program):
    """After the first launch of prepared calls nothing is allocated, freed or waited for."""
    x, y = Interface(device, (3, 1000), "<f4"), Interface(device, (3, 1000), "<f4")
    cumsum = program["cumsum"]
    call = cumsum.prepare(x)
    call.launch(x, out=[y])
    tensor, z = TorchTensor(device, (5, 70), "int64"), TorchTensor(device, (5, 70), "int64")
    last = TorchTensor(device, (70,), "int64")
    fake_torch(device, 0)
    program["twice"](tensor, -3, out=[z, last])
    say("captured")
    for _ in range(2):
        call.launch(x, out=[y], stream=8192)
    program["twice"](tensor, -3, out=[z, last])
    say("end")


def results(device, program):
    """Where results come from, and what they are."""
    fake_torch(device, 77)
    same = program["same"]
    x = TorchTensor(device, (4,), "float32")
    say("torch")
    first, second, third = same(x)
    assert first is x and isinstance(second, TorchTensor) and second.dtype == "torch.float32"
    assert third.__cuda_array_interface__["typestr"] == "<i4" and third.shape == (2,)
    values = numpy.empty(2, numpy.int32)
    device.copy_to_host(values.ctypes.data, third.address, 8)
    print("constant", values)
    say("own")
    y, = program["cumsum"](Interface(device, (3, 1000), "<f4"))
    assert isinstance(y, runtime.DeviceArray) and y.shape == (3, 1000) and y.element == "f32"
    assert y.numpy().shape == (3, 1000)
    x = device.array(numpy.arange(2000, dtype=numpy.float32).reshape(2, 1000), "f32")
    assert (x.numpy() == numpy.arange(2000).reshape(2, 1000)).all()
    say("dlpack")
    x = DLPack(numpy.zeros((2, 1000), numpy.float32))
    asked = []

    def allocator(shape, element, where):
        asked.append((shape, element, where is device))
        return runtime.DeviceArray(where, shape, element)

    program["cumsum"](x, stream=9000, allocator=allocator)
    print("allocator", asked, "streams", sorted(set(x.streams)))
    both = DLPack(numpy.zeros((2, 1000), numpy.float32))
    both.__cuda_array_interface__ = {"version": 2}
    program["cumsum"](both, stream=9000)
    print("older interface", sorted(set(both.streams)))
    say("producer")
    x = Interface(device, (3, 1000), "<f4", stream=5000)
    program["cumsum"](x, stream=9000)
    program["cumsum"](x, stream=5000)
    say("empty")
    empty = TorchTensor(device, (0, 1000), "float32")
    program["cumsum"](empty)


def relaunched(device, program):
    """What a call remembers of a launch is of no other arrays, and of no other thread."""
    cumsum, twice = program["cumsum"], program["twice"]
    arrays_of = [(Interface(device, (3, 1000), "<f4"), Interface(device, (3, 1000), "<f4"))
                 for _ in range(6)]
    call = cumsum.prepare(arrays_of[0][0])
    say("others")
    for x, y in arrays_of[:2]:
        call.launch(x, out=[y])
    fake_torch(device, 0)
    # Other libraries' arrays of the same shape, and back.
    tensor = TorchTensor(device, (3, 1000), "float32")
    call.launch(tensor, out=[arrays_of[0][1]])
    call.launch(DLPack(numpy.zeros((3, 1000), numpy.float32)), out=[tensor])
    call.launch(*arrays_of[0][:1], out=[arrays_of[0][1]])
    # PyTorch says the handle of its stream without making an object of it.
    sys.modules["torch"]._C = types.SimpleNamespace(
        _cuda_getCurrentRawStream=lambda ordinal: 4096 + ordinal)
    call.launch(tensor, out=[arrays_of[0][1]])
    fake_torch(device, 0)
    say("numbers")
    integers = TorchTensor(device, (5, 70), "int64")
    of_seven = twice.prepare(integers, 7)
    for number in (7, 7.0, numpy.int64(7), True + 6):
        of_seven.launch(integers, number)
    say("threads")

    def launch(number):
        x, y = arrays_of[number]
        for _ in range(50):
            call.launch(x, out=[y])

    threads = [threading.Thread(target=launch, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say("end")


def workspaces(device, ptx, text):
    """A workspace is allocated once per prepared call, and cleared if asked for."""
    for zeroed in (True, False):
        changed = json.loads(text)
        kernel = changed["functions"][0]["kernels"][0]
        kernel["arguments"][1] = {"name": "w", "kind": "workspace", "bytes": 8}
        kernel["workspace"] = {"bytes": ["*", ["+", "n0", 1], 100], "zeroed": zeroed}
        function = runtime.Program(device, ptx, json.dumps(changed, indent=1))["cumsum"]
        x = runtime.DeviceArray(device, (3, 1000), "f32")
        y = runtime.DeviceArray(device, (3, 1000), "f32")
        say(f"workspace {zeroed}")
        for _ in range(3):
            function(x, out=[y])
        say("end")
        print("internal", function.prepare(x).internal_bytes)
    # An argument comes back in another shape.
    changed = json.loads(text)
    changed["functions"][2]["results"][0]["shape"] = [2, 2]
    x = runtime.DeviceArray(device, (4,), "f32")
    first = runtime.Program(device, ptx, json.dumps(changed))["same"](x)[0]
    print("reshaped", first.shape, first.address == x.address)
    # The final state becomes a temporary, which nobody asks for.
    changed = json.loads(text)
    twice = changed["functions"][1]
    final = twice["results"].pop()["buffer"]
    next(buffer for buffer in twice["buffers"] if buffer["name"] == final)["kind"] = "temporary"
    function = runtime.Program(device, ptx, json.dumps(changed))["twice"]
    x, y = (runtime.DeviceArray(device, (5, 70), "i64") for _ in range(2))
    say("temporary")
    for _ in range(2):
        function(x, 7, out=[y])
    say("end")


def refusals(device, program):
    """Each refusal is one line; the count of those with another message is printed."""
    cumsum, twice, same = (program[name] for name in ("cumsum", "twice", "same"))
    good = Interface(device, (3, 1000), "<f4")
    call = cumsum.prepare(good)
    integers = TorchTensor(device, (5, 70), "int64")
    fake_torch(device, 0)
    dense = Interface(device, (3, 1000), "<f4")
    whole = runtime.DeviceArray(device, (5, 70), "i64")
    part = Interface(device, (70,), "<i8")
    part.__cuda_array_interface__["data"] = (whole.address + 560, False)
    cases = [
        (lambda: cumsum(Interface(device, (3, 1000), "<f8")),
         "'cumsum': arg0: expected elements of type f32, found <f8; convert"),
        (lambda: cumsum(Interface(device, (3, 1000), ">f4")), "no element type of a scan is >f4"),
        (lambda: cumsum(Interface(device, (3, 1000), "<f4", mask=1)), "found one with a mask"),
        (lambda: cumsum(Interface(device, (3, 1000), "<f4", strides=(4002, 4))),
         "expected strides that are multiples of 4 bytes, found [4002, 4]; copy"),
        (lambda: cumsum(Interface(device, (3, 1000), "<f4", strides=(4004, 4))),
         "expected a dense tensor, found strides [1001, 1]; copy it into a dense one"),
        (lambda: cumsum(Interface(device, (3, 1000), "<f4", offset=2)),
         "arg0: expected an address that is a multiple of 4 bytes, found 0x"),
        (lambda: cumsum(Interface(device, (3, 999), "<f4")),
         "arg0, dimension 1, extent: expected 1000, found 999"),
        (lambda: cumsum(Interface(device, (3,), "<f4")),
         "arg0: expected a tensor of shape [?, 1000], found one of shape [3]"),
        (lambda: cumsum(numpy.zeros((3, 1000), numpy.float32)),
         "expected an array on a GPU, found one of ndarray that is not; move it"),
        (lambda: cumsum(DLPack(numpy.zeros((3, 1000), numpy.float32), 1)),
         "expected an array on a GPU"),
        (lambda: cumsum(DLPack(numpy.zeros((3, 1000), numpy.float32), 2, 1)),
         "expected memory of GPU 0, found GPU 1; move it"),
        (lambda: cumsum(DLPack(numpy.zeros((3, 1000), numpy.uint64))),
         "expected elements of type f32, found i64"),
        (lambda: cumsum([1.0, 2.0]), "arg0: expected an array on a GPU, found list"),
        (lambda: cumsum(TorchTensor(device, (3, 1000), "float32", is_cuda=False)),
         "expected a tensor on a GPU, found one on"),
        (lambda: cumsum(TorchTensor(device, (3, 1000), "float32", ordinal=1)),
         "expected memory of GPU 0, found GPU 1"),
        (lambda: cumsum(TorchTensor(device, (3, 1000), "float8_e4m3fn")),
         "no element type of a scan is torch.float8_e4m3fn; convert"),
        (lambda: cumsum(TorchTensor(device, (3, 1000), "float32", strides=(1, 3))),
         "expected a dense tensor, found strides [1, 3]"),
        (lambda: cumsum(), "function 'cumsum' expects 1 arguments, found 0"),
        (lambda: call.launch(), "function 'cumsum' expects 1 arguments, found 0"),
        (lambda: call.launch(Interface(device, (4, 1000), "<f4")),
         "expected the shape [3, 1000] and the strides [1000, 1] that the call was prepared for, "
         "found [4, 1000] and [1000, 1]; prepare another call"),
        (lambda: call.launch(runtime.Tensor((3, 1000))), "found a Tensor, which is a shape only"),
        (lambda: call.launch(Interface(device, (3, 1000), "<i4")),
         "'cumsum': arg0: expected elements of type f32, found <i4; convert"),
        (lambda: call.launch(Interface(device, (3, 1000), "<f4", strides=(4, 12))),
         "the strides [1000, 1] that the call was prepared for, found [3, 1000] and [1, 3]"),
        (lambda: call.launch(Interface(device, (3, 1000), "<f4", offset=2)),
         "arg0: expected an address that is a multiple of 4 bytes, found 0x"),
        (lambda: call.launch(DLPack(numpy.zeros((3, 1000), numpy.float32), 2, 1)),
         "expected memory of GPU 0, found GPU 1; move it"),
        (lambda: call.launch(good, out=[DLPack(numpy.zeros((3, 1000), numpy.float32), 2, 1)]),
         "expected memory of GPU 0, found GPU 1; move it"),
        (lambda: call.launch(good, out=[]), "expects 1 results in out, found 0"),
        (lambda: call.launch(good, out=[Interface(device, (3, 1000), "<i4")]),
         "result 0: expected elements of type f32, found <i4"),
        (lambda: call.launch(good, out=[Interface(device, (1000, 3), "<f4")]),
         "result 0: expected a dense array of shape [3, 1000], found shape [1000, 3]"),
        (lambda: call.launch(good, out=[Interface(device, (3, 1000), "<f4", offset=4)]),
         "result 0: expected an address that is a multiple of 16 bytes"),
        (lambda: call.launch(good, out=[Interface(device, (3, 1000), "<f4", read_only=True)]),
         "found a read-only one"),
        (lambda: call.launch(good, out=[good]),
         "result 0: expected memory that no argument is in, found that of arg0; allocate"),
        (lambda: twice(integers, 1, out=[whole, part]),
         "result 1: expected memory of its own, found that of another result; allocate"),
        (lambda: call.launch(good, stream="main"), "expected a stream, found str; pass a stream"),
        (lambda: cumsum(good, allocator=lambda *_: Interface(device, (3, 1000), "<f4", offset=8)),
         "multiple of 16 bytes"),
        (lambda: same(Interface(device, (4,), "<f4"), out=[dense, None, None]),
         "result 0: expected None in out, since it shares the memory of 'arg0', found an array"),
        (lambda: twice(integers, 1.5), "arg1: expected a number of type i64, found 1.5"),
        (lambda: twice(integers, 2**64), "arg1: expected a number of type i64, found 1844"),
        (lambda: twice(integers, "1"), "arg1: expected a number of type i64, found '1'"),
        (lambda: twice(integers, good), "arg1: expected a number of type i64, found Interface"),
        (lambda: twice(5, 1), "arg0: expected an array on a GPU, found int"),
        (lambda: twice.prepare(integers, 3).launch(integers, 4),
         "arg1: expected the number that the call was prepared for, found 4; prepare another"),
        (lambda: runtime.Device(1), "expected a GPU number below 1, the number of GPUs, found 1"),
        (lambda: device.array(numpy.zeros(3), "f32"), "expected 12 bytes for elements of type f32"),
        (lambda: runtime.Program(device, "nowhere.ptx", "nowhere.json"),
         "cannot read nowhere.json: "),
    ]
    wrong = 0
    # The second time what is right has been launched.
    for number, (function, message) in [*enumerate(cases)] * 2:
        try:
            function()
            found = "nothing"
        except runtime.ScanError as error:
            found = str(error)
        if message not in found or "\n" in found:
            wrong += 1
            print(f"case {number}: expected '{message}', found: {found}")
        if number == len(cases) - 1:
            call.launch(good, out=[dense])
            cumsum(good, out=[dense])
            twice(integers, 1, out=[whole, Interface(device, (70,), "<i8")])
            twice(integers, 3)
    print(f"{len(cases)} refusals, {wrong} with another message")


def scalars():
    """Against NumPy, which rounds as IEEE says; bf16 against all halfway cases of f32."""
    wrong = count = 0
    kinds = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "complex<f32>": "<c8",
             "complex<f64>": "<c16", "i8": "<i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
             "index": "<i8", "i1": "?"}
    for element, kind in kinds.items():
        for value in (0, 1, -1, 100, 0.1, 1e-8, 3.5 - 2j):
            if isinstance(value, complex) and not element.startswith("complex"):
                continue
            if isinstance(value, float) and element.startswith("i"):
                continue
            if element == "i1" and value == 100:
                continue
            count += 1
            wrong += arrays.pack_scalar(value, element, "x") != numpy.array(value, kind).tobytes()
    for high in (0x3F80, 0x3F81, 0x0000, 0x7F7F, 0xBF80, 0x0001):
        for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
            value = numpy.array([high << 16 | low], "<u4").view("<f4")[0]
            found = int.from_bytes(arrays.pack_scalar(float(value), "bf16", "x"), "little")
            up = low > 0x8000 or (low == 0x8000 and high & 1)
            count += 1
            wrong += found != high + up
    count += 1
    wrong += numpy.isnan(numpy.frombuffer(
        b"\0\0" + arrays.pack_scalar(float("nan"), "bf16", "x"), "<f4")[0]) != 1
    print(f"{count} scalars, {wrong} wrong")


def strided(device, program):
    """What was compiled for any strides: where arguments begin and end counts for results."""
    cumsum = program["cumsum"]
    # Rows from the last to the first: the memory begins in front of the first element.
    flipped = Interface(device, (3, 1000), "<f4", offset=8000, strides=(-4000, 4))
    inside = Interface(device, (3, 1000), "<f4")
    fields = {**inside.__cuda_array_interface__, "data": (flipped.memory.address, False)}
    inside.__cuda_array_interface__ = fields
    say("flipped")
    y, = cumsum(flipped)
    print("result", y.shape, y.__cuda_array_interface__["strides"])
    # Kept as it was prepared: other strides are another call.
    call = cumsum.prepare(flipped)
    cases = (
        (lambda: cumsum(flipped, out=[inside]),
         "result 0: expected memory that no argument is in, found that of arg0; allocate"),
        (lambda: cumsum(flipped, out=[Interface(device, (3, 1000), "<f4", strides=(8000, 8))]),
         "result 0: expected a dense array of shape [3, 1000], found shape [3, 1000] and strides "
         "[2000, 2]; allocate one"),
        (lambda: call.launch(inside), "the strides [-1000, 1] that the call was prepared for, "
         "found [3, 1000] and [1000, 1]; prepare another call"),
        (lambda: cumsum(Interface(device, (3, 1000), "<f4", strides=(4002, 4))),
         "expected strides that are multiples of 4 bytes, found [4002, 4]; copy it into a dense"))
    for refused, message in cases:
        try:
            refused()
            print("not refused:", message)
        except runtime.ScanError as error:
            if message not in str(error):
                print("expected", message, "found", error)
    print(len(cases), "refused")


def main():
    ptx, manifest, part = sys.argv[1:]
    # In order with the notes of the driver.
    sys.stdout.reconfigure(line_buffering=True)
    device = runtime.Device()
    program = runtime.Program(device, ptx, manifest)
    if part == "workspaces":
        with open(manifest, encoding="utf-8") as file:
            workspaces(device, ptx, file.read())
    elif part == "scalars":
        scalars()
    else:
        {"captured": captured, "results": results, "relaunched": relaunched,
         "refusals": refusals, "strided": strided}[part](device, program)


if __name__ == "__main__":
    main()
