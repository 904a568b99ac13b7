"""Arrays of every library, element type and layout in; results out."""

import gc
import resource
import weakref

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy
import pytest
import torch
from conftest import RECURRENCE, SCALARS, TYPES, scan_text

import mlir_scan
from mlir_scan import _core

jax.config.update("jax_enable_x64", True)
ELEMENTS = list(TYPES)


def values(element, shape=(3, 5)):
    """Small numbers, sums of which every type has."""
    _, _, name = TYPES[element]
    count = int(numpy.prod(shape))
    numbers = (numpy.arange(count) * 7 % 5).reshape(shape)
    if element == "i1":
        return numbers % 4 == 3
    if name.startswith("complex"):
        return (numbers - 1j * numbers[..., ::-1]).astype(name)
    return numbers.astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def expected(x):
    return numpy.logical_or.accumulate(x, 1) if x.dtype == bool else numpy.cumsum(
        x, 1, dtype=x.dtype)


@pytest.mark.parametrize("element", ELEMENTS)
def test_numpy(scans, element):
    x = values(element)
    result, = scans[element](x)
    assert (result.dtype, result.shape, result.ndim) == (element, (3, 5), 2)
    y = numpy.asarray(result)
    assert y.dtype == x.dtype and result.nbytes == y.nbytes
    assert (y == expected(x)).all()
    assert (x == values(element)).all()


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("exchange", [True, False], ids=["call_torch", "from_dlpack"])
def test_torch(scans, element, exchange):
    dtype = getattr(torch, TYPES[element][1])
    x = values(element)
    tensor = torch.from_numpy(x.astype("complex128" if x.dtype.kind == "c" else "float64"))
    tensor = tensor.to(dtype)
    if exchange:
        y, = _core.call_torch(scans[element], [tensor])
    else:
        y = torch.from_dlpack(scans[element](tensor)[0])
    assert type(y) is torch.Tensor and y.dtype == dtype and y.shape == (3, 5) and y.is_contiguous()
    want = torch.from_numpy(expected(x).astype(
        "complex128" if x.dtype.kind == "c" else "float64")).to(dtype)
    assert torch.equal(y, want)
    # The memory is the tensor's alone.
    y.zero_()
    assert torch.equal(tensor, torch.from_numpy(
        x.astype("complex128" if x.dtype.kind == "c" else "float64")).to(dtype))


@pytest.mark.parametrize("element", ELEMENTS)
def test_jax(scans, element):
    x = values(element)
    result, = scans[element](jnp.asarray(x))
    y = jax.dlpack.from_dlpack(result)
    assert y.dtype == x.dtype
    assert (numpy.asarray(y) == expected(x)).all()


def test_jax_not_ready(scans):
    """An array whose computation has only been started."""
    x = jnp.ones((256, 256), jnp.float32)
    for _ in range(20):
        x = x @ jnp.eye(256, dtype=jnp.float32)
    assert (numpy.asarray(scans["f32"](x)[0])[:, -1] == 256).all()


@pytest.mark.parametrize("name, element", [("uint8", "i8"), ("uint16", "i16"), ("uint32", "i32"),
                                           ("uint64", "i64")])
def test_unsigned(scans, name, element):
    """Integers have no sign."""
    x = numpy.full((1, 3), 3, name)
    assert numpy.asarray(scans[element](x)[0]).tolist() == [[3, 6, 9]]


LAYOUTS = {
    "transposed": lambda x: x.T,
    "every other": lambda x: x[::2, 1::2],
    "one column": lambda x: x[:, 2:3],
    "none": lambda x: x[:, :0],
    "no rows": lambda x: x[:0],
}


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("layout", [*LAYOUTS, "backwards", "expanded", "both"])
def test_numpy_layouts(scans, element, layout):
    cut = {**LAYOUTS, "backwards": lambda x: x[::-1, ::-1],
           "expanded": lambda x: numpy.broadcast_to(x[0], (4, 8)),
           "both": lambda x: numpy.broadcast_to(x[:, ::-2][:, None], (6, 3, 4))[:, 1]}[layout]
    x = cut(values(element, (6, 8)))
    y = numpy.asarray(scans[element](x)[0])
    assert y.shape == x.shape
    assert (y == expected(x)).all()


@pytest.mark.parametrize("layout", [*LAYOUTS, "expanded", "offset"])
def test_torch_layouts(scans, layout):
    cut = {**LAYOUTS, "expanded": lambda x: x[:1].expand(4, 8),
           "offset": lambda x: x[2:, 3:]}[layout]
    for element in ("f32", "i64", "complex<f64>", "bf16"):
        x = cut(torch.arange(48).reshape(6, 8).to(getattr(torch, TYPES[element][1])))
        y, = _core.call_torch(scans[element], (x,))
        assert torch.equal(y, torch.cumsum(x, 1))


def test_torch_lazy(scans):
    """Conjugates and negations that torch has only noted down."""
    z = torch.complex(torch.arange(6.0), torch.arange(1.0, 7.0)).reshape(2, 3)
    assert z.conj().is_conj() and z.conj().imag.is_neg()
    y, = _core.call_torch(scans["complex<f32>"], [z.conj()])
    assert torch.equal(y, torch.cumsum(z.conj(), 1).resolve_conj())
    y, = _core.call_torch(scans["f32"], [z.conj().imag])
    assert torch.equal(y, torch.cumsum(-z.imag, 1))
    assert torch.equal(torch.from_dlpack(scans["f32"](z.conj().imag)[0]), y)


def test_torch_parameters(scans):
    """What requires a gradient is read; what comes out does not."""
    x = torch.nn.Parameter(torch.ones(2, 3))
    y, = _core.call_torch(scans["f32"], [x])
    assert not y.requires_grad and y.tolist() == [[1, 2, 3]] * 2


def test_torch_subclasses(scans):
    class Plain(torch.Tensor):
        pass

    y, = _core.call_torch(scans["f32"], [torch.ones(1, 2).as_subclass(Plain)])
    assert y.tolist() == [[1, 2]]


def test_memoryview(scans):
    x = memoryview(bytearray(b"\1\2\3\4")).cast("B", (1, 4))
    result, = scans["i8"](x)
    view = memoryview(result)
    assert view.format == "b" and view.shape == (1, 4) and view.tolist() == [[1, 3, 6, 10]]
    view[0, 1] = 9
    assert numpy.asarray(result).tolist() == [[1, 9, 6, 10]]


def test_results_as_inputs(scans):
    """A result may be the input of the next call."""
    once, = scans["f32"](numpy.ones((1, 4), numpy.float32))
    twice, = scans["f32"](once)
    assert numpy.asarray(twice).tolist() == [[1, 3, 6, 10]]


def test_static_shapes():
    scan = mlir_scan.compile(scan_text("i32", "2x3", 1))
    assert numpy.asarray(scan(numpy.ones((2, 3), numpy.int32))[0]).tolist() == [[1, 2, 3]] * 2
    with pytest.raises(mlir_scan.RunError, match=r"expected 2x3xi32, found 3x2xi32"):
        scan(numpy.ones((3, 2), numpy.int32))


def test_several_results():
    """Each has memory of its own, which goes when it is not used any more."""
    run = mlir_scan.parse(RECURRENCE).compile("recurrence")
    a = torch.full((2, 3), 2.0)
    y, last = run(a, torch.ones(2, 3), torch.zeros(2))
    del y
    gc.collect()
    assert torch.from_dlpack(last).tolist() == [7, 7]
    y, last = _core.call_torch(run, (a, torch.ones(2, 3), torch.zeros(2)))
    del last
    assert y.tolist() == [[1, 3, 7]] * 2


@pytest.mark.parametrize("take", [torch.from_dlpack, numpy.asarray, memoryview,
                                  jax.dlpack.from_dlpack, lambda x: x])
def test_lifetime(take):
    """What is made of a result outlives result, executable and module."""
    module = mlir_scan.parse(scan_text("f64"))
    run = module.compile("scan")
    array = take(run(numpy.ones(100_000))[0])
    del module, run
    gc.collect()
    assert numpy.asarray(array)[-1] == 100_000


def test_no_leak():
    """An array is freed with its last user; the capsules that nobody took, too."""
    run = mlir_scan.parse(scan_text("f64")).compile("scan")
    x = numpy.ones(1_000_000)

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    for round in range(60):
        result, = run(x)
        result.__dlpack__()
        result.__dlpack__(max_version=(1, 0))
        torch.from_dlpack(result)
        memoryview(result)
        _core.call_torch(run, [x])
        if round == 10:
            before = resident()
    assert resident() - before < 80e6


def test_input_is_released():
    """No reference to an argument is kept."""
    class Array(numpy.ndarray):
        pass

    run = mlir_scan.parse(scan_text("f64")).compile("scan")
    x = numpy.ones(3).view(Array)
    alive = weakref.ref(x)
    result, = run(x)
    del x
    assert alive() is None
    del result


def test_scalars():
    run = mlir_scan.parse(SCALARS).compile("scalars")
    results = run(1.5, 7, 2.25, True, 0.1, 1 + 2j, -3)
    assert [r.item() for r in results] == [1.5, 7, 2.25, True, 0.10009765625, 1 + 2j, -3]
    assert [r.dtype for r in results] == ["f32", "index", "f64", "i1", "bf16", "complex<f32>", "i8"]
    assert all(r.shape == () for r in results)
    # Of numpy, torch and jax; 200 without a sign.
    results = run(numpy.float32(1.5), numpy.int64(7), torch.tensor(2.25, dtype=torch.float64),
                  numpy.True_, ml_dtypes.bfloat16(0.1), numpy.complex64(1 + 2j), 200)
    assert [r.item() for r in results] == [1.5, 7, 2.25, True, 0.10009765625, 1 + 2j, -56]
    results = run(2, 2**64 - 1, jnp.float64(1), 0, float("nan"), 3, 0)
    assert results[1].item() == -1 and results[3].item() is False
    assert results[4].item() != results[4].item()


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, 1 + 2**-8, 1 + 3 * 2**-9, 3.3e38, 3.4e38, 1e39,
                                    float("inf"), 1e-40, 9.2e-41, 4.6e-41, -1e-45, 65504, 65519.9,
                                    65520, 6e-8, 2.9e-8, 2.98023224e-8, 2**-24 * 1.5, 1 + 2**-11,
                                    1 + 3 * 2**-11, 1 + 2**-11 + 2**-40])
def test_rounding(number):
    """Numbers are rounded once, as ml_dtypes and numpy round them."""
    with numpy.errstate(over="ignore"):
        wants = numpy.float16(number), torch.tensor(number, dtype=torch.float64).to(torch.bfloat16)
    for element, want in zip(("f16", "bf16"), wants):
        run = mlir_scan.compile(
            f"func.func @f(%x: {element}) -> {element} {{ return %x : {element} }}")
        got = run(number)[0].item()
        # torch rounds by way of f32, which the last of these numbers shows.
        if element == "bf16" and number == 1 + 2**-8 + 2**-40:
            continue
        assert (got, str(got)) == (float(want), str(float(want)))


@pytest.mark.parametrize("arguments, message", [
    ((1j, 0, 0.0, True, 0.0, 0j, 0), "argument 0 of 'scalars': expected f32, found the complex"),
    ((1.0, 0.5, 0.0, True, 0.0, 0j, 0), "argument 1 of 'scalars': expected index, found the number"),
    ((1.0, 2**64, 0.0, True, 0.0, 0j, 0), "expected index, found .* which does not fit"),
    ((1.0, 0, 0.0, 2, 0.0, 0j, 0), "expected i1, found the number 2, which does not fit"),
    ((1.0, 0, 0.0, True, 0.0, 0j, 256), "expected i8, found the number 256, which does not fit"),
    ((1.0, 0, 0.0, True, 0.0, 0j, -129), "expected i8, found the number -129, which does not fit"),
    ((1.0, 0, 0.0, True, 0.0, 0j, "1"), "expected i8, found an object .* and no number"),
    ((1.0, 0, 0.0), "'scalars' takes 7 arguments, found 3"),
])
def test_wrong_numbers(arguments, message):
    run = mlir_scan.parse(SCALARS).compile("scalars")
    with pytest.raises(TypeError, match=message):
        run(*arguments)


def test_item_of_many(scans):
    with pytest.raises(ValueError, match="one element"):
        scans["f32"](numpy.ones((1, 2), numpy.float32))[0].item()


WRONG = {
    "text": ("abc", "an object of <class 'str'>, which is no array"),
    "nothing": (None, "an object of <class 'NoneType'>, which is no array"),
    "number": (1.0, "an object of <class 'float'>, which is no array"),
    "list": ([[1.0]], "an object of <class 'list'>, which is no array"),
    "objects": (numpy.array([[None]]), "elements of the type"),
    "dates": (numpy.zeros((1, 1), "M8[s]"), "elements of the type"),
    "records": (numpy.zeros((1, 1), "f4,f4"), "elements of the type"),
    "big endian": (numpy.zeros((1, 1), ">f4"), "elements of the type '>f'"),
    "long double": (numpy.zeros((1, 1), "g"), "elements of the type 'g'"),
    "eight bits": (torch.zeros(1, 1).to(torch.float8_e4m3fn), "elements of the type DLPack"),
    "part of a record": (numpy.zeros((1, 3), [("f", "f4"), ("b", "i1")])["f"], "copy the array"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_objects(scans, what):
    value, message = WRONG[what]
    with pytest.raises(TypeError) as error:
        scans["f32"](value)
    assert str(error.value).startswith("argument 0 of 'scan': expected tensor<?x?xf32>, found ")
    assert message in str(error.value)


@pytest.mark.parametrize("tensor", [
    lambda: torch.zeros(1, 2, device="meta"), lambda: torch.eye(2).to_sparse(),
    lambda: torch.eye(2).to_sparse_csr(),
    lambda: torch.quantize_per_tensor(torch.ones(1, 2), 1.0, 0, torch.quint8)],
    ids=["meta", "sparse", "csr", "quantized"])
def test_torch_without_strided_memory(scans, tensor):
    with pytest.raises(TypeError, match="argument 0 of 'scan': expected tensor<[?]x[?]xf32>, found "):
        scans["f32"](tensor())


def test_fake_tensors(scans):
    """Tensors without data are refused, as are those of a transformation."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(1, 2)
    with pytest.raises((TypeError, BufferError, RuntimeError, mlir_scan.RunError)):
        scans["f32"](fake)
    with pytest.raises(TypeError, match="without elements in memory"):
        torch.func.vmap(lambda x: _core.call_torch(scans["f32"], [x])[0])(torch.ones(2, 1, 2))


def test_wrong_types(scans):
    with pytest.raises(mlir_scan.RunError, match="input #0 of 'scan': expected .*f32, found 1x2xf64"):
        scans["f32"](numpy.zeros((1, 2)))
    with pytest.raises(mlir_scan.RunError, match="which has rank 2, found rank 1"):
        scans["f32"](numpy.zeros(2, numpy.float32))


def test_wrong_flags(scans):
    x = numpy.array([[0, 1, 2]], numpy.uint8).view(bool)
    with pytest.raises(mlir_scan.RunError, match=r"expected 0 or 1 in each i1, found 2 at \[0, 2\]"):
        scans["i1"](x)


def test_dlpack_arguments(scans):
    result, = scans["f32"](numpy.ones((1, 2), numpy.float32))
    assert result.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(result.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(result.__dlpack__())
    assert torch.from_dlpack(result.__dlpack__(dl_device=(1, 0))).shape == (1, 2)
    with pytest.raises(BufferError, match="memory of the CPU"):
        result.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="shared"):
        result.__dlpack__(copy=True)


def test_bfloat16_buffers(scans):
    result, = scans["bf16"](values("bf16"))
    with pytest.raises(BufferError, match="bf16"):
        memoryview(result)
    assert numpy.asarray(result, numpy.float32).dtype == numpy.float32


def test_memory_of_results_is_used_again():
    """After arrays of another size, too: else every call takes fresh pages."""
    double = mlir_scan.compile(
        """func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
             %y = arith.addf %x, %x : tensor<?xf32>
             return %y : tensor<?xf32>
           }""")
    for elements in (1 << 18, 1 << 20):
        x = numpy.ones(elements, numpy.float32)
        double(x)
        double(x)
        first = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(8):
            double(x)
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - first
        assert faults < x.nbytes // resource.getpagesize(), (elements, faults)
