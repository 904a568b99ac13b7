"""Arrays with strides, against the reference interpreter and against dense copies."""

import numpy
import pytest
import sampling

import mlir_scan
from mlir_scan import Executable, texts

# Compositions of x -> a * x + b: the operands do not commute.
AFFINE = """
func.func @f(%a: tensor<?x?x?xi32>, %b: tensor<?x?x?xi32>) -> (tensor<?x?x?xi32>, tensor<?x?x?xi32>) {
  %y:2 = scan.associative ins(%a, %b : tensor<?x?x?xi32>, tensor<?x?x?xi32>) dim = {} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %s = arith.muli %a0, %a1 : i32
    %t = arith.muli %b0, %a1 : i32
    %u = arith.addi %t, %b1 : i32
    scan.yield %s, %u : i32, i32
  } -> tensor<?x?x?xi32>, tensor<?x?x?xi32>
  return %y#0, %y#1 : tensor<?x?x?xi32>, tensor<?x?x?xi32>
}
"""
# An argument as it is, in another shape and in part, and what is no scan.
VIEWS = """
func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x2xf32>) {
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x4xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.extract_slice %x[0, 1] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  return %x, %y, %c, %e : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x2xf32>
}
"""
VIEWS_OF_CUBES = {
    "dense": lambda x: x,
    "batch": lambda x: x[::2],
    "time": lambda x: x[:, 3:20:2],
    "channels": lambda x: x[:, :, 1::3],
    "some channels": lambda x: x[:, :, :5],
    "offset": lambda x: x[2:, 5:, 3:],
    "transposed": lambda x: x.transpose(0, 2, 1),
    "reversed dimensions": lambda x: x.transpose(2, 1, 0),
    "expanded batch": lambda x: numpy.broadcast_to(x[:1], x.shape),
    "expanded channels": lambda x: numpy.broadcast_to(x[:, :, :1], x.shape),
    "flipped time": lambda x: x[:, ::-1],
    "flipped channels": lambda x: x[:, :, ::-1],
    "one channel": lambda x: x[:, :, 3:4],
    "one step": lambda x: x[:, 4:5],
    "empty": lambda x: x[:, :0],
}
TARGETS = [("cpu", "none"), ("cpu", "outer"), ("cpu", "any"), ("emulator", "outer"),
           ("emulator", "any")]


def run(function, *arrays):
    return [numpy.asarray(result) for result in function(*arrays)]


def cubes(seed):
    return numpy.random.default_rng(seed).integers(-9, 9, (6, 34, 10)).astype(numpy.int32)


@pytest.fixture(scope="module", params=["0", "1 reverse", "2", "2 reverse"])
def affine(request):
    """The program, and the reference's results for each view and a dense second operand,
    or one with the same strides."""
    module = mlir_scan.parse(AFFINE.replace("dim = {}", f"dim = {request.param}"))
    reference = module.compile("f", "reference")
    cases = []
    for name, view in VIEWS_OF_CUBES.items():
        x, y = view(cubes(1)), view(cubes(2))
        cases += [(name, (x, other), run(reference, x, y))
                  for other in (y, numpy.ascontiguousarray(y))]
    return module, cases


@pytest.mark.parametrize("target,strides", TARGETS)
def test_numbers(affine, target, strides):
    module, cases = affine
    function = module.compile("f", target, strides)
    for name, arrays, expected in cases:
        before = [array.copy() for array in arrays]
        for found, right in zip(run(function, *arrays), expected):
            numpy.testing.assert_array_equal(found, right, name)
        for array, copy in zip(arrays, before):
            numpy.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("target,strides", TARGETS)
def test_results_are_dense(target, strides):
    module = mlir_scan.parse(VIEWS)
    function, reference = module.compile("f", target, strides), module.compile("f", "reference")
    base = numpy.random.default_rng(3).normal(size=(12, 8)).astype(numpy.float32)
    for view in (base[:, :4], base[::3, ::2], base.T[:, :4], base[::-1, 4:],
                 numpy.broadcast_to(base[:, :1], (12, 4))):
        results = run(function, view)
        for found, right in zip(results, run(reference, view)):
            assert found.flags.c_contiguous and not numpy.shares_memory(found, view)
            numpy.testing.assert_allclose(found, right, rtol=1e-6)


def test_bytes():
    """An executable that was written and read takes the same strides."""
    module = mlir_scan.parse(AFFINE.replace("{}", "1", 1))
    x, y = cubes(1).transpose(2, 1, 0), cubes(2)[::2].transpose(2, 1, 0)
    x = x[:, :, ::2]
    expected = run(module.compile("f", "reference"), x, y)
    for strides in ("none", "outer", "any"):
        function = Executable.from_bytes(module.compile("f", "cpu", strides).to_bytes())
        for found, right in zip(run(function, x, y), expected):
            numpy.testing.assert_array_equal(found, right)


def test_caches():
    """Programs for different strides are different entries."""
    text = AFFINE.replace("{}", "1", 1)
    dense = mlir_scan.compile(text)
    strided = mlir_scan.compile(text, strided_arguments="any")
    assert dense is not strided and strided is mlir_scan.compile(text, strided_arguments="any")
    manifests = {mlir_scan.ptx(text, strided_arguments=strides)[1]
                 for strides in ("none", "outer", "any")}
    assert len(manifests) == 3


def test_wrong_name():
    module = mlir_scan.parse(VIEWS)
    message = "strided_arguments: expected 'none', 'outer' or 'any', found 'rows'"
    for call in (lambda: module.compile("f", "cpu", "rows"),
                 lambda: module.ptx(strided_arguments="rows")):
        with pytest.raises(mlir_scan.ScanError, match=message):
            call()


# Each way to lay a scan over threads, the second dimension or the innermost one.
SCHEDULES = [
    (2, "row, threads = 32, items = 2, rows = 2"),
    (2, "row, threads = 32, items = 3, scope = grid"),
    (2, "row, threads = 32, items = 3, scope = grid, blocks = 3"),
    (1, "column, threads = 32, items = 3, lanes = 8, vector = 2"),
    (1, "column, threads = 32, items = 3, lanes = 8, scope = grid"),
    (1, "sequential, threads = 32, items = 2"),
]


@pytest.mark.parametrize("dim,schedule", SCHEDULES)
def test_schedules(dim, schedule):
    module = mlir_scan.parse(AFFINE.replace(
        "dim = {}", f"dim = {dim} attributes {{schedule = #scan.schedule<strategy = {schedule}>}}"))
    reference = module.compile("f", "reference")
    random = numpy.random.default_rng(4)
    shape = (4, 22, 130) if dim == 2 else (4, 130, 22)
    x, y = (random.integers(-9, 9, shape).astype(numpy.int32) for _ in range(2))
    for strides in sampling.of_today(["outer", "any"], SCHEDULES.index((dim, schedule))):
        function = module.compile("f", "emulator", strides)
        for view in (lambda x: x[::2, 1:], lambda x: x[:2, :, ::-1],
                     lambda x: numpy.broadcast_to(x[:1], (2, *x.shape[1:])),
                     lambda x: x.transpose(1, 0, 2)[:, :2]):
            arrays = view(x), view(y)
            for found, right in zip(run(function, *arrays), run(reference, *arrays)):
                numpy.testing.assert_array_equal(found, right)


def test_segments():
    """Offsets of packed sequences, an initial state and gates, none of them dense."""
    text = texts.linear_recurrence("f32", True, (False, False), True, "i32", False, True)
    module = mlir_scan.parse(text.partition(" | ")[2])
    name, = module.functions
    random = numpy.random.default_rng(5)
    a = random.uniform(0.5, 1, (4, 90, 6)).astype(numpy.float32)[::2]
    b = random.uniform(0.5, 1, (2, 6, 90)).astype(numpy.float32).transpose(0, 2, 1)
    start = numpy.broadcast_to(random.uniform(0.5, 1, (1, 1, 6)).astype(numpy.float32), (2, 4, 6))
    offsets = numpy.array([0, -1, 30, -1, 30, -1, 64, -1, 90, -1], numpy.int32)[::2]
    expected = run(module.compile(name, "reference"), a, b, start, offsets)
    for target, strides in TARGETS:
        found = run(module.compile(name, target, strides), a, b, start, offsets)
        for result, right in zip(found, expected):
            numpy.testing.assert_allclose(result, right, rtol=1e-5)
