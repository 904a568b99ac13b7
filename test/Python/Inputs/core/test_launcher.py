"""Devices, programs and calls, against a driver that takes notes on standard error."""

import gc
import pathlib
import re

import exchange
import numpy
import pytest
import torch
from exchange import Array

import mlir_scan

PROGRAMS = pathlib.Path(__file__).parents[3] / "Launcher" / "Inputs" / "programs.mlir"
INT, FLOAT = 0, 2


@pytest.fixture(scope="module")
def device():
    Array.device = mlir_scan.Device()
    return Array.device


@pytest.fixture(scope="module")
def program(device):
    return mlir_scan.Program(device, *mlir_scan.ptx(PROGRAMS.read_text()))


@pytest.fixture
def launches(capfd):
    """What was launched since the last time, one line each."""
    def read():
        return [line for line in capfd.readouterr().err.splitlines() if line.startswith("launch")]

    read()
    return read


def test_device(device):
    assert device.ordinal == 0 and device.name and device.compute_capability >= 70
    pointer = device.allocate(8)
    device.copy_to_device(pointer, b"12345678")
    assert device.copy_to_host(pointer, 8) == b"12345678"
    device.free(pointer)
    device.synchronize()
    assert device.allocate(0) == 0
    with pytest.raises(mlir_scan.ScanError, match="99"):
        mlir_scan.Device(99)


def test_program(device, program):
    assert {"cumsum", "twice", "same"} <= set(program.functions)
    twice = program["twice"]
    assert twice.name == "twice"
    assert [str(t) for t in twice.arguments] == ["tensor<?x?xi64>", "i64"]
    with pytest.raises(mlir_scan.ScanError, match="no function 'none'; there are: .*cumsum"):
        program["none"]
    with pytest.raises(mlir_scan.ScanError, match="manifest"):
        mlir_scan.Program(device, "", "{}")


def test_prepare(program, launches):
    """By hand: any array for the shapes, addresses at the launch."""
    call = program["twice"].prepare(numpy.zeros((5, 70), numpy.int64), -3)
    assert call.buffers == [("i64", (5, 70)), ("i64", (70,))]
    assert call.results == [("i64", (5, 70), "buffer", 0), ("i64", (70,), "buffer", 1)]
    call.launch([0x1000, 0], [0x2000, 0x3000])
    call.launch([0x1000, 0], [0x2000, 0x3000], stream=0x77)
    first, second, third, _ = launches()
    assert "twice_scan0 grid 3,1,1 block 32,1,1" in first and " 70 -3 " in first
    assert "twice_scan1" in second and third.endswith("on a stream")
    torch_call = program["twice"].prepare(torch.zeros(5, 70, dtype=torch.int64), -3)
    assert torch_call.results == call.results
    with pytest.raises(mlir_scan.ScanError, match="2 arguments and 2 buffers, found 1 and 2"):
        call.launch([0x1000], [0x2000, 0x3000])
    same = program["same"].prepare(numpy.zeros(4, numpy.float32))
    assert same.results[0] == ("f32", (4,), "argument", 0)
    assert same.results[2][:3] == ("i32", (2,), "constant") and same.results[2][3] > 0


def test_wrong_arguments(program):
    twice = program["twice"]
    x = numpy.zeros((5, 70), numpy.int64)
    with pytest.raises(TypeError, match="'twice' takes 2 arguments, found 1"):
        twice.prepare(x)
    with pytest.raises(mlir_scan.ScanError, match="argument #0 of 'twice': expected elements of i64"):
        twice.prepare(x.astype(numpy.float64), 0)
    with pytest.raises(mlir_scan.ScanError, match="expected rank 2, found rank 1"):
        twice.prepare(x[0], 0)
    with pytest.raises(TypeError, match="argument 1 of 'twice': expected i64, found the number 0.5"):
        twice.prepare(x, 0.5)


def test_requirements(device):
    """Extents that have to agree, by the C interface; and in the emulator."""
    text = (PROGRAMS.parent / "requirements.mlir").read_text()
    recurrence = mlir_scan.Program(device, *mlir_scan.ptx(text))["recurrence"]
    emulated = mlir_scan.compile(text, "recurrence", target="emulator")
    a, b = numpy.zeros((10, 8), numpy.float32), numpy.zeros((11, 8), numpy.float32)
    message = re.escape("function 'recurrence': expected dimension 0 of arg0 and dimension 0 of arg1 "
                        "to have the same extent, found 10 and 11")
    for call in (recurrence.prepare, emulated):
        with pytest.raises(mlir_scan.ScanError, match=message):
            call(a, b)
        call(b, b)


def test_repeated(device, launches):
    """Launches that are repeated, of kernels that come one by one and of a whole program."""
    text = (PROGRAMS.parent / "repeat.mlir").read_text()
    whole = mlir_scan.Program(device, *mlir_scan.ptx(text))["stages"]
    single = mlir_scan.load(text, device)["stages"]
    init = numpy.zeros((1, 40), numpy.float32)
    for steps in (2, 0, 1):
        x = numpy.zeros((steps, 40), numpy.float32)
        expected = ["stages_map0", *["stages_map1", "stages_map2"] * steps, "stages_map3"]
        for function in (whole, single):
            call = function.prepare(x, init)
            assert call.buffers[:2] == [("f32", (steps, 40)), ("f32", (1, 40))]
            call.launch([0x1000, 0x2000], [0x3000, 0x4000, 0x5000, 0x6000])
            lines = launches()
            assert [line.split()[1] for line in lines] == expected
            # The step is among what a kernel is passed: the offsets of its rows.
            steps_seen = [line.split()[-1] for line in lines if "stages_map2" in line]
            assert steps_seen == [str(40 * (steps - 1 - t)) for t in range(steps)]


def test_call(device, program, launches):
    """Arrays of a library in, arrays of the library out, on its stream."""
    exchange.ALLOCATED.clear()
    x = Array(0x10000, (5, 70), INT, 64)
    Array.stream = 0x88
    y, last = program["twice"](x, -3)
    assert isinstance(y, Array) and (y.shape, y.code, y.bits) == ((5, 70), INT, 64)
    assert last.shape == (70,) and exchange.ALLOCATED == [2800, 560]
    lines = launches()
    assert [line.split()[1] for line in lines] == ["twice_scan0", "twice_scan1"]
    assert all(line.endswith("on a stream") for line in lines)
    # Other numbers, shapes and streams are other calls.
    program["twice"](x, 4)
    assert " 70 4 " in launches()[0]
    z, _ = program["twice"](Array(0x10000, (2, 33), INT, 64), -3)
    assert z.shape == (2, 33) and "33 -3" in launches()[0]
    Array.stream = 0
    program["twice"](x, -3)
    assert "on a stream" not in launches()[0]
    del y, last, z, _
    gc.collect()
    assert not exchange.LIVE


def test_remembered(program, launches):
    """Workspaces are the sign of a call that was prepared: none is made twice."""
    function = program["twice"]
    for i in range(200):
        function(Array(0x10000, (3, i % 100 + 1), INT, 64), 1)
    lines = launches()
    assert len(lines) == 400 and re.search(r" 100 1 ", lines[-2])


def test_strides(program, launches):
    """The strides reach the kernel, or are refused as the manifest says."""
    x = Array(0x10000, (5, 70), INT, 64, strides=(70, 1))
    program["twice"](x, 1)
    assert len(launches()) == 2


def test_places(program):
    """Results that are an argument, and constants, which keep the program alive."""
    x = Array(0x20000, (4,), FLOAT, 32)
    first, _, third = program["same"](x)
    assert first is x
    assert (third.shape, third.code, third.bits) == ((2,), INT, 32) and third.address


VIEWS = """
func.func @views(%x: tensor<?x6xf32>) -> (tensor<?x2x3xf32>, tensor<?x6xf32>, tensor<?xf32>) {
  %y = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x6xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %z = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 2, 3]
      : tensor<?x6xf32> into tensor<?x2x3xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  return %z, %y, %flat : tensor<?x2x3xf32>, tensor<?x6xf32>, tensor<?xf32>
}"""


def test_views(device):
    """Each result has its own shape, also where it shares memory."""
    function = mlir_scan.Program(device, *mlir_scan.ptx(VIEWS))["views"]
    x = Array(0x20000, (4, 6), FLOAT, 32)
    z, y, flat = function(x)
    assert (z.shape, y.shape, flat.shape) == ((4, 2, 3), (4, 6), (24,))
    assert z.address == y.address and flat.address == x.address


def test_refused(program):
    function = program["twice"]
    good = Array(0x10000, (5, 70), INT, 64)
    with pytest.raises(TypeError, match="exchanges tensors in C .* mlir_scan.runtime"):
        function(numpy.zeros((5, 70), numpy.int64), 1)
    with pytest.raises(TypeError, match="found an array on GPU 1; move it to GPU 0"):
        function(Array(0x10000, (5, 70), INT, 64, gpu=1), 1)
    with pytest.raises(TypeError, match="found an array on the CPU; move it to GPU 0"):
        function(torch.zeros(5, 70, dtype=torch.int64), 1)
    with pytest.raises(mlir_scan.ScanError, match="multiple of 8 bytes"):
        function(Array(0x10004, (5, 70), INT, 64), 1)
    with pytest.raises(mlir_scan.ScanError, match="expected elements of i64, found f64"):
        function(Array(0x10000, (5, 70), FLOAT, 64), 1)
    with pytest.raises(TypeError, match="argument 1 .* found an array on GPU 0"):
        function(good, Array(0x10000, (), INT, 64))
    Array.fail = b"no memory left on this GPU"
    try:
        with pytest.raises(mlir_scan.ScanError, match="no memory left on this GPU"):
            function(good, 1)
    finally:
        Array.fail = None
    assert function(good, 1)[0].shape == (5, 70)


def test_lifetime(device):
    """Calls keep their program, programs their device."""
    call = mlir_scan.Program(mlir_scan.Device(), *mlir_scan.ptx(PROGRAMS.read_text()))[
        "twice"].prepare(numpy.zeros((5, 70), numpy.int64), -3)
    gc.collect()
    call.launch([0x1000, 0], [0x2000, 0x3000])
