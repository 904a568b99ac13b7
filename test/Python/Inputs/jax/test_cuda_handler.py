"""The handler of custom calls on GPUs, called as XLA does, on a driver that takes notes."""

import ctypes
import os
import re

import jax
import pytest
from jax import numpy as jnp

import mlir_scan.jax  # noqa: F401
from mlir_scan import _core, texts
from mlir_scan.jax._trace import trace_combine

F32, F64, I32 = 11, 12, 4


class FakeArray(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


def array(kind, address, *shape):
    return FakeArray(kind, address, len(shape), (ctypes.c_int64 * len(shape))(*shape))


@pytest.fixture(scope="module")
def xla():
    if "SCAN_FAKE_XLA" not in os.environ:
        pytest.skip("needs the stand-ins for XLA and the driver, SCAN_FAKE_XLA")
    library = ctypes.CDLL(os.environ["SCAN_FAKE_XLA"])
    library.fakeXlaCall.restype = ctypes.c_char_p
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsule = _core.jax_cuda_handler()
    handler = pointer(capsule, name(capsule))

    def call(text, arguments, results, stream=0x88, device=0, scratch=0x900000):
        message = library.fakeXlaCall(
            ctypes.c_void_p(handler), text.encode(), ctypes.c_void_p(stream), device,
            ctypes.c_size_t(scratch), ctypes.c_int64(len(arguments)),
            (FakeArray * len(arguments))(*arguments), ctypes.c_int64(len(results)),
            (FakeArray * len(results))(*results))
        return None if message is None else message.decode()

    return call


@pytest.fixture
def notes(capfd):
    def read():
        return capfd.readouterr().err.splitlines()

    read()
    return read


def scan_text(combine, count=1, reverse=False):
    tree = jax.tree.structure(tuple(range(count)) if count > 1 else 0)
    elements, region = trace_combine(combine, tree, [jnp.dtype("float32")] * count, (2, 1, 2))
    return texts.associative(tuple(elements), region, True, reverse)


def launches(lines):
    return [line for line in lines if line.startswith("launch")]


def test_results_are_computed_where_xla_wants_them(xla, notes):
    text = scan_text(jnp.add)
    x, y = array(F32, 0x100000, 5, 70, 64), array(F32, 0x200000, 5, 70, 64)
    assert xla(text, [x], [y]) is None
    first = launches(notes())
    assert first and all(line.endswith("on a stream") for line in first)
    # The fake driver prints parameters: addresses among them, as numbers or as unknown ones.
    assert xla(text, [x], [y], stream=0) is None
    assert all(not line.endswith("on a stream") for line in launches(notes()))


def test_shapes_and_streams_have_calls_of_their_own(xla, notes):
    text = scan_text(lambda x, y: (y[0] * x[0], y[0] * x[1] + y[1]), 2)

    def run(steps, stream):
        arrays = [array(F32, 0x100000 * number, 2, steps, 8) for number in range(1, 5)]
        assert xla(text, arrays[:2], arrays[2:], stream=stream) is None
        return launches(notes())

    for _ in range(2):
        for steps in (3, 1000, 200000):
            for stream in (0x77, 0x99):
                assert any(f" {steps} " in line for line in run(steps, stream))
    # More than are remembered.
    for steps in range(1, 150):
        run(steps, 0x77)
    assert run(3, 0x77)


def test_a_result_that_is_an_argument(xla, notes):
    text = scan_text(lambda x, y: (y[0], x[1] + y[1]), 2)
    arrays = [array(F32, 0x100000 * number, 2, 9, 8) for number in range(1, 5)]
    assert xla(text, arrays[:2], arrays[2:]) is None
    lines = notes()
    assert launches(lines)
    # Either a kernel writes it or it is copied, on the stream.
    for line in lines:
        if line.startswith("copy"):
            assert line == "copy 576 bytes on a stream"


def test_arguments_as_results(xla, notes):
    """Two results that are one array, one that is an argument, and a constant."""
    text = ("results: f32[0.0] f32[0.0] f32[0.0] i32[2] | "
            "func.func @f(%x: tensor<?xf32>) -> "
            "(tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2xi32>) {\n"
            "  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {\n"
            "  ^bb0(%a: f32, %b: f32):\n"
            "    %s = arith.addf %a, %b : f32\n"
            "    scan.yield %s : f32\n"
            "  } -> tensor<?xf32>\n"
            "  %c = arith.constant dense<[7, 9]> : tensor<2xi32>\n"
            "  return %y, %x, %y, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, "
            "tensor<2xi32>\n}\n")
    outputs = [array(F32, 0x200000 * number, 100) for number in range(2, 5)]
    assert xla(text, [array(F32, 0x100000, 100)],
               [*outputs, array(I32, 0xa00000, 2)]) is None
    copies = [line for line in notes() if line.startswith("copy")]
    assert sorted(copies) == ["copy 400 bytes on a stream"] * 2 + ["copy 8 bytes on a stream"]


def test_temporaries_are_xlas(xla, notes):
    """The product of a backward pass holds what it computes on the way."""
    text = mlir_scan.program.load(
        scan_text(lambda x, y: (y[0] * x[0], y[0] * x[1] + y[1]), 2)).vjp((0, 1), (0, 1)).text
    arrays = [array(F32, 0x100000 * number, 2, 9, 8) for number in range(1, 7)]
    assert xla(text, arrays[:4], arrays[4:]) is None
    lines = notes()
    assert launches(lines)
    scratch = [line for line in lines if line.startswith("scratch")]
    asked = [line for line in scratch if line.endswith("bytes")]
    assert asked and scratch[len(asked):] == ["scratch freed"] * len(asked)
    assert "temporary" in xla(text, arrays[:4], arrays[4:], scratch=0)


def test_segments_and_empty_arrays(xla, notes):
    text = texts.linear_recurrence("f32", True, (False, False), True, "i32", False, True)
    a, b = array(F32, 0x100000, 2, 100, 8), array(F32, 0x200000, 2, 100, 8)
    state, last = array(F32, 0x300000, 2, 3, 8), array(F32, 0x400000, 2, 3, 8)
    h, offsets = array(F32, 0x500000, 2, 100, 8), array(I32, 0x600000, 4)
    assert xla(text, [a, b, state, offsets], [h, last]) is None
    assert launches(notes())
    sums = scan_text(jnp.add)
    assert xla(sums, [array(F32, None, 0, 5, 8)], [array(F32, None, 0, 5, 8)]) is None


def test_errors(xla):
    text = scan_text(jnp.add)
    x, y = array(F32, 0x100000, 5, 70, 64), array(F32, 0x200000, 5, 70, 64)
    assert "takes 1 arguments, found 2" in xla(text, [x, x], [y])
    assert "expected elements of f32, found f64" in xla(text, [array(F64, 0x100000, 5, 70, 64)], [y])
    assert "another type or shape" in xla(text, [x], [array(F32, 0x200000, 5, 71, 64)])
    assert "number of results" in xla(text, [x], [y, y])
    assert "99" in xla(text, [x], [y], device=99)
    assert "a program begins with" in xla("nonsense", [x], [y])
    assert re.fullmatch(r"mlir_scan: <\w+>:1:\d+: error: custom op 'arith.nonsense' is unknown",
                        xla(text.replace("arith.addf", "arith.nonsense"), [x], [y]))
    assert xla(text, [x], [y]) is None


def test_lowering_for_cuda():
    """XLA's program for a GPU, made where there is none."""
    check = jax.export.DisabledSafetyCheck.custom_call("mlir_scan_call")
    exported = jax.export.export(
        jax.jit(lambda a, b: mlir_scan.jax.linear_recurrence(a, b)), platforms=["cuda"],
        disabled_checks=[check])(*[jax.ShapeDtypeStruct((2, 9, 3), "float32")] * 2)
    text = exported.mlir_module()
    call, = [line for line in text.splitlines() if "custom_call @mlir_scan_call" in line]
    assert "scan.linear_recurrence" in call
