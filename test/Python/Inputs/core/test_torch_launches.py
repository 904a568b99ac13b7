"""What mlir_scan.torch launches for tensors on a GPU, against a driver that takes notes.

Arrays of `exchange` stand for tensors, with what is asked of those.
"""

import ctypes
import os

import exchange
import pytest
import torch

import mlir_scan
from mlir_scan import ScanError, program, texts
from mlir_scan.torch import _run

ADD = """  ^bb0(%acc0: f32, %new0: f32):
    %s = arith.addf %acc0, %new0 : f32
    scan.yield %s : f32"""
FIRST = """  ^bb0(%acc0: f32, %new0: f32):
    scan.yield %acc0 : f32"""


class Tensor(exchange.Array):
    """What _run asks of a tensor; without strides a dense one."""

    def __init__(self, shape, gpu=0, kind="cuda", strides=None, code=2, bits=32):
        super().__init__(0x10000, shape, code, bits, strides, gpu=gpu)
        self.place, self.strides = torch.device(kind, gpu), strides

    @property
    def device(self):
        return self.place

    @property
    def is_cpu(self):
        return self.place.type == "cpu"

    @property
    def is_cuda(self):
        return self.place.type == "cuda"

    def get_device(self):
        return self.place.index

    def is_contiguous(self):
        return self.strides is None

    def stride(self, dim):
        return self.strides[dim]


class Clone(exchange.Array):
    """What is asked for where a result is no array of its own."""


@pytest.fixture(autouse=True)
def torch_cuda(monkeypatch):
    """PyTorch's choice of a GPU, which a build for the CPU does not have."""
    chosen = [0]
    monkeypatch.setattr(exchange.Array, "_is_view", lambda self: False, raising=False)
    monkeypatch.setattr(exchange.Array, "clone", lambda self, memory_format: Clone(
        self.address, self.shape, self.code, self.bits), raising=False)

    class Guard:
        def __init__(self, index):
            self.index = index

        def __enter__(self):
            self.before, chosen[0] = chosen[0], self.index

        def __exit__(self, *_):
            chosen[0] = self.before

    monkeypatch.setattr(torch.cuda, "current_device", lambda: chosen[0])
    monkeypatch.setattr(torch.cuda, "device", Guard)
    exchange.Array.device = mlir_scan.Device()
    exchange.Array.stream = 0
    return chosen


@pytest.fixture
def launches(capfd):
    """The kernels that were launched since the last time."""
    def read():
        lines = capfd.readouterr().err.splitlines()
        return [line for line in lines if line.startswith(("launch", "memset"))]
    read()
    return read


def run(text, *tensors):
    return _run.run(program.load(text), tensors)


@pytest.mark.parametrize("columns", [False, True])
def test_scans(launches, columns):
    shape = (3, 900, 5) if columns else (3, 900)
    text = texts.associative(["f32"], ADD, columns, False)
    y, = run(text, Tensor(shape))
    assert y.shape == shape and y.bits == 32 and launches()
    # What it works with besides is kept: the next call allocates its results alone.
    exchange.ALLOCATED.clear()
    run(text, Tensor(shape))
    assert exchange.ALLOCATED == [4 * torch.Size(shape).numel()]
    text = texts.associative(["f32"], ADD, columns, True, True, True)
    state = (shape[0], *shape[2:])
    y, last = run(text, Tensor(shape), Tensor(state))
    assert (y.shape, last.shape) == (shape, state) and launches()


@pytest.mark.parametrize("extents", [(0, 7), (3, 0), (1, 1)])
def test_few(launches, extents):
    y, = run(texts.associative(["f32"], ADD, False, False), Tensor(extents))
    assert y.shape == extents


def test_recurrences_and_their_derivatives(launches):
    text = texts.linear_recurrence("f32", True, (False, False), True, "i32", False, True)
    x, h0 = Tensor((2, 9, 3)), Tensor((2, 4, 3))
    offsets = Tensor((5,), code=0)
    h, last = run(text, x, x, h0, offsets)
    assert (h.shape, last.shape) == ((2, 9, 3), (2, 4, 3)) and launches()
    derivative = program.load(text).vjp((0, 1, 2), (0, 1))
    gradients = _run.run(derivative, [x, x, h0, offsets, x, h0])
    assert [gradient.shape for gradient in gradients] == [(2, 9, 3), (2, 9, 3), (2, 4, 3)]
    assert launches()


def test_wrong_offsets(launches, monkeypatch):
    text = texts.linear_recurrence("f32", True, (False, False), True, "i32", False, True)
    x, h0, offsets = Tensor((2, 9, 3)), Tensor((2, 4, 3)), Tensor((5,), code=0)
    # The number of the offset, the offset, the one before it, the extent; and how many launches
    # with a status were before.
    monkeypatch.setenv("SCAN_FAKE_CUDA_STATUS", "2,3,7,9")
    run(text, x, x, h0, offsets)
    assert launches()
    with pytest.raises(ScanError, match="do not decrease, found 3 as offset #2 after 7"):
        run(text, x, x, h0, offsets)
    assert not launches()
    # It was raised once.
    mlir_scan.check()
    run(text, x, x, h0, offsets)
    monkeypatch.setenv("SCAN_FAKE_CUDA_STATUS", "4,8,7,9,2")
    run(text, x, x, h0, offsets)
    with pytest.raises(ScanError, match="the last offset, #4, to be 9, .* found 8"):
        mlir_scan.check()
    mlir_scan.check()


def test_cumulative_functions(launches):
    for name in ("sum", "prod", "logsumexp"):
        both = run(texts.cumulative(name, "f32", True, False, False, True, False),
                   Tensor((2, 9, 3)))
        assert [y.shape for y in both] == [(2, 9, 3)] * 2 and launches()
    values, indices = run(texts.extremum("ge", "f32", False, False), Tensor((2, 9)))
    assert (values.bits, indices.bits, indices.code) == (32, 64, 0) and launches()


def test_streams(launches):
    text = texts.associative(["f32"], ADD, False, False)
    exchange.Array.stream = 0x88
    run(text, Tensor((3, 900)))
    lines = [line for line in launches() if line.startswith("launch")]
    assert lines and all(line.endswith("on a stream") for line in lines)


AFFINE = """  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %s = arith.mulf %a0, %a1 : f32
    %t = arith.mulf %b0, %a1 : f32
    %u = arith.addf %t, %b1 : f32
    scan.yield %s, %u : f32, f32"""


def test_strides(launches):
    """Tensors are read where they are: address, offset and strides reach the kernel."""
    text = texts.associative(["f32", "f32"], AFFINE, False, True)
    loaded = program.load(text)

    def read(*tensors):
        y, z = _run.run(loaded, tensors)
        assert y.shape == z.shape == (3, 900)
        line, = launches()
        return line.split(": ")[1].split(" on ")[0]

    dense = read(Tensor((3, 900)), Tensor((3, 900)))
    assert set(loaded._kernels) == {(0, "none")}
    # The innermost dimension is contiguous: offset and outer stride of each, and the
    # strides of a dense one.
    outer = read(Tensor((3, 900), strides=(2000, 1)), Tensor((3, 900)))
    assert set(loaded._kernels) == {(0, "none"), (0, "outer")}
    assert outer.split()[:6] == ["65536", "0", "2000", "65536", "0", "900"] and outer != dense
    # Transposed, and one number for all.
    either = read(Tensor((3, 900), strides=(1, 3)), Tensor((3, 900), strides=(0, 0)))
    assert either.split()[:8] == ["65536", "0", "1", "3", "65536", "0", "0", "0"]
    # Each is compiled once, and serves all strides.
    kernels = dict(loaded._kernels)
    either = read(Tensor((3, 900), strides=(7, 70)), Tensor((3, 900)))
    assert either.split()[:8] == ["65536", "0", "7", "70", "65536", "0", "900", "1"]
    assert loaded._kernels == kernels and set(kernels) == {
        (0, "none"), (0, "outer"), (0, "any")}


def test_results_are_no_arguments():
    """A program that returns what it takes: the result is a copy."""
    text = program.make_text([("f32", ["0.0", "0.1"])] * 2, True, """
      func.func @f(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
        return %x, %x : tensor<?x?xf32>, tensor<?x?xf32>
      }""")
    x = Tensor((2, 3))
    first, second = run(text, x)
    assert isinstance(first, Clone) and isinstance(second, Clone) and first is not second


def test_another_gpu(torch_cuda):
    """Its number is chosen for the launch, and PyTorch's choice comes back."""
    torch_cuda[0] = 3
    y, = run(texts.associative(["f32"], ADD, False, False), Tensor((2, 3)))
    assert y.shape == (2, 3) and torch_cuda[0] == 3
    with pytest.raises(ScanError, match="expected a GPU number below 1"):
        run(texts.associative(["f32"], ADD, False, False), Tensor((2, 3), gpu=1))
    assert torch_cuda[0] == 3


def test_different_devices():
    text = texts.linear_recurrence("f32", False, (False, False), False, None, False, False)
    for other in (Tensor((2, 3), gpu=1), torch.zeros(2, 3), torch.zeros(2, 3, device="meta")):
        with pytest.raises(ScanError, match="tensor 0 is on cuda:0, tensor 1 on .*move them"):
            run(text, Tensor((2, 3)), other)
    with pytest.raises(ScanError, match="'xpu' are not supported; expected 'cpu' or 'cuda'"):
        run(text, Tensor((2, 3), kind="xpu"), Tensor((2, 3), kind="xpu"))


def test_capture(launches, monkeypatch):
    """While a stream is captured nothing waits, and all memory is the library's."""
    # Kernels with look-back have a workspace.
    text = texts.associative(["f32"], ADD, False, False).replace(
        "dim = 1", "dim = 1 attributes {schedule = #scan.schedule<strategy = row, threads = 64, "
        "items = 4, scope = grid>}")
    shape = (3, 100_000)
    run(text, Tensor(shape))
    assert not any(line.startswith("memset") for line in launches())
    exchange.ALLOCATED.clear()
    exchange.Array.stream = 0x99
    monkeypatch.setenv("SCAN_FAKE_CUDA_CAPTURING", "1")
    # The library's own memory is not the driver's, which refuses.
    monkeypatch.setattr(exchange.Array, "device", Pool)
    for _ in range(2):
        y, = run(text, Tensor(shape))
        assert y.shape == shape
        del y
        cleared, launched = launches()
        assert cleared.startswith("memset") and cleared.endswith("on a stream")
        assert launched.startswith("launch") and launched.endswith("on a stream")
    size, workspace, *again = exchange.ALLOCATED
    assert size == 4 * 300_000 and 0 < workspace < 100_000 and again == [size, workspace]


class Pool:
    """Memory that is there already."""

    kept = []

    @classmethod
    def allocate(cls, count):
        cls.kept.append(ctypes.create_string_buffer(count + 16))
        return (ctypes.addressof(cls.kept[-1]) + 15) // 16 * 16

    @staticmethod
    def free(address):
        pass


def test_children():
    """CUDA does not work in the child of a process that has opened a GPU."""
    text = texts.associative(["f32"], ADD, False, False)
    run(text, Tensor((2, 3)))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for again in (text, texts.associative(["f32"], FIRST, False, False)):
                try:
                    run(again, Tensor((2, 3)))
                except ScanError as error:
                    os.write(writing, f"{error}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        lines = pipe.read().splitlines()
    os.waitpid(child, 0)
    assert len(lines) == 2 and all("forked" in line and "'spawn'" in line for line in lines)
    run(text, Tensor((2, 3)))
