"""The scans that are measured: programs, inputs, and what others call them."""

import dataclasses
import os

import numpy

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples")

MLIR_TYPES = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32}
try:
    import ml_dtypes
    MLIR_TYPES["bf16"] = ml_dtypes.bfloat16
except ImportError:
    pass

ADD = ("%s = arith.add{k} %a0, %b0 : {t}", "%s")
MAX = {"f": ("%s = arith.maximumf %a0, %b0 : {t}", "%s"),
       "i": ("%s = arith.maxsi %a0, %b0 : {t}", "%s")}


@dataclasses.dataclass
class Input:
    """An array of random numbers between `low` and `high`."""

    shape: tuple
    dtype: str = "f32"
    low: float = -1.0
    high: float = 1.0
    #: Elements lie that far apart along the last dimension.
    stride: int = 1

    @property
    def nbytes(self):
        return int(numpy.prod(self.shape)) * numpy.dtype(MLIR_TYPES[self.dtype]).itemsize

    def make(self, random):
        shape = (*self.shape[:-1], self.shape[-1] * self.stride)
        if self.dtype == "i32":
            values = random.integers(-9, 9, shape, dtype=numpy.int32)
        else:
            values = random.random(shape, dtype=numpy.float32) * (self.high - self.low) + self.low
        return values.astype(MLIR_TYPES[self.dtype])[..., ::self.stride]


@dataclasses.dataclass
class Case:
    """One scan of one size. `nbytes` are those of all inputs and results that have to
    be read and written once."""

    name: str
    size: str
    program: str
    function: str
    recipes: list
    nbytes: int
    #: What the others compute: "sum", "max", "recurrence", ..., or "" for nothing.
    kind: str = ""
    axis: int = 0
    #: The part of memcpy's bandwidth that is asked for, 0 for none; and GB/s.
    bar: float = 0.0
    bar_gbs: float = 0.0
    #: Whether the program's derivative is measured: `recipes` have the cotangents, too.
    derivative: bool = False
    #: "any" where inputs are not dense.
    strides: str = "none"
    #: The arrays, once `load` was called.
    inputs: list = dataclasses.field(default_factory=list)

    @property
    def key(self):
        return f"{self.name} {self.size}"

    def load(self):
        random = numpy.random.default_rng(0)
        self.inputs = [recipe.make(random) for recipe in self.recipes]

    def release(self):
        self.inputs = []


def _tensor(rank, dtype):
    return f"tensor<{'?x' * rank}{dtype}>"


def associative(leaves, region, results, rank, dim, dtype):
    """A program around one scan.associative, without final states."""
    tensor = _tensor(rank, dtype)
    names = [f"%x{i}" for i in range(leaves)]
    outs = ", ".join([tensor] * leaves)
    block = ", ".join(f"%{side}{i}: {dtype}" for side in "ab" for i in range(leaves))
    body = "".join(f"    {line}\n" for line in region)
    ys = [f"%y{i}" for i in range(leaves)]
    returned = f"({outs})" if leaves > 1 else outs
    return f"""func.func @f({', '.join(f'{name}: {tensor}' for name in names)}) -> {returned} {{
  {', '.join(ys)} = scan.associative ins({', '.join(names)} : {outs}) dim = {dim} {{
  ^bb0({block}):
{body}    scan.yield {', '.join(results)} : {', '.join([dtype] * leaves)}
  }} -> {outs}
  return {', '.join(ys)} : {outs}
}}
"""


def recurrence(rank, dim, dtype):
    tensor = _tensor(rank, dtype)
    return f"""func.func @f(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  %h = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor}) dim = {dim} -> {tensor}
  return %h : {tensor}
}}
"""


REGIONS = {
    "linear-pair": (2, ["%p = arith.mulf %b0, %a0 : f32", "%q = arith.mulf %b0, %a1 : f32",
                        "%r = arith.addf %q, %b1 : f32"], ["%p", "%r"]),
    "softmax-pair": (2, ["%m = arith.maximumf %a0, %b0 : f32", "%u = arith.subf %a0, %m : f32",
                         "%v = arith.subf %b0, %m : f32", "%e = math.exp %u : f32",
                         "%f = math.exp %v : f32", "%p = arith.mulf %a1, %e : f32",
                         "%q = arith.mulf %b1, %f : f32", "%s = arith.addf %p, %q : f32"],
                     ["%m", "%s"]),
    "matrix": (4, [line for i in range(2) for j in range(2) for line in (
        f"%p{i}{j} = arith.mulf %b{2 * i}, %a{j} : f32",
        f"%q{i}{j} = arith.mulf %b{2 * i + 1}, %a{2 + j} : f32",
        f"%r{i}{j} = arith.addf %p{i}{j}, %q{i}{j} : f32")], ["%r00", "%r01", "%r10", "%r11"]),
}


def _example(name):
    with open(os.path.join(EXAMPLES, f"{name}.mlir")) as file:
        return file.read()


def _bytes(recipes):
    return sum(recipe.nbytes for recipe in recipes)


def _shaped(shape):
    return "x".join(map(str, shape))


def _simple(name, shape, dim, dtype, kind, bar=0.0, stride=1):
    k = "i" if dtype.startswith("i") else "f"
    line, result = ADD if kind == "sum" else MAX[k]
    program = associative(1, [line.format(k=k, t=dtype)], [result], len(shape), dim, dtype)
    x = Input(shape, dtype, stride=stride)
    return Case(name, f"{dtype} {_shaped(shape)}", program, "f", [x], 2 * x.nbytes, kind, dim, bar,
                strides="any" if stride > 1 else "none")


def _recurrence(name, shape, dim, bar=0.0):
    a, b = Input(shape, low=0.5), Input(shape)
    return Case(name, f"f32 {_shaped(shape)}", recurrence(len(shape), dim, "f32"), "f", [a, b],
                3 * a.nbytes, "recurrence", dim, bar)


def _derivative(case, results):
    """Of the case, whose results have these shapes and types."""
    recipes = [*case.recipes, *results]
    # Inputs and cotangents in, a gradient of each input out.
    return dataclasses.replace(case, name=f"derivative of {case.name}", recipes=recipes, kind="",
                               nbytes=_bytes(recipes) + _bytes(case.recipes), bar=0.0,
                               bar_gbs=0.0, derivative=True)


def _models(limit):
    batch, time, channels = bct = (2, 1024, 512)
    if numpy.prod(bct) > limit:
        return
    xs = [Input(bct), Input(bct), Input(bct), Input((channels,)), Input((batch, channels))]
    rglru = Case("RG-LRU", f"f32 {_shaped(bct)}", _example("rglru"), "rglru", xs,
                 _bytes(xs) + xs[0].nbytes, bar_gbs=8)
    yield rglru
    yield _derivative(rglru, [Input(bct), Input((batch, channels))])
    for batch, time, channels in (bct, (1, 512, 1024)):
        shape = (batch, time, channels)
        xs = [Input(shape), Input(shape, low=-4), Input((channels,)),
              Input((channels, 16), low=0, high=2.7), Input((batch, time, 16)),
              Input((batch, time, 16)), Input((channels,)), Input(shape)]
        mamba = Case("Mamba, 16 states", f"f32 {_shaped(shape)}", _example("mamba"), "mamba", xs,
                     _bytes(xs) + xs[0].nbytes, bar_gbs=1.56 if batch == 1 else 0)
        yield mamba
    yield _derivative(mamba, [Input(shape)])
    if "bf16" in MLIR_TYPES:
        xs = [Input(bct, "bf16"), Input(bct, "bf16"), Input((2, 512), "bf16")]
        mingru = Case("minGRU", f"bf16 {_shaped(bct)}", _example("mingru"), "mingru", xs,
                      _bytes(xs) + xs[0].nbytes, bar_gbs=5)
        yield mingru
        yield _derivative(mingru, [Input(bct, "bf16")])


def make_cases(limit):
    """The cases of at most `limit` elements per array."""
    for exponent in (10, 13, 16, 20, 22, 24, 26, 27):
        n = 1 << exponent
        if n > limit:
            continue
        is_large = exponent >= 22
        # At other sizes the plain scans only.
        is_main = exponent in (10, 16, 20, 22, 26)
        yield _simple("sum of a row", (n,), 0, "f32", "sum",
                      0.8 if is_large else 0.0)
        yield _recurrence("recurrence on a row", (n,), 0, 0.7 if is_large else 0.0)
        if not is_main:
            continue
        for dtype in ("f64", "i32", "bf16"):
            if dtype in MLIR_TYPES:
                yield _simple("sum of a row", (n,), 0, dtype, "sum")
        yield _simple("max of a row", (n,), 0, "f32", "max")
        for name, (leaves, region, results) in REGIONS.items():
            xs = [Input((n,), low=0.5) for _ in range(leaves)]
            yield Case(f"{name} on a row", f"f32 {n}",
                       associative(leaves, region, results, 1, 0, "f32"), "f", xs,
                       2 * _bytes(xs), name)
    for shape in ((64, 1024), (4096, 16384)):
        if shape[0] * shape[1] <= limit:
            is_large = shape[0] > 64
            yield _simple("sum of rows", shape, 1, "f32", "sum", 0.85 if is_large else 0.0)
            yield _simple("sum of columns", shape[::-1], 0, "f32", "sum", 0.95 if is_large else 0.0)
    # Short rows, whose length is a multiple of a vector or not.
    for steps in (16, 32, 64, 100, 256, 1000):
        shape = ((1 << 24) // steps, steps)
        if shape[0] * steps <= limit:
            yield _simple("sum of short rows", shape, 1, "f32", "sum", 0.85)
            yield _recurrence("recurrence on short rows", shape, 1, 0.85)
    if (1 << 20) <= limit:
        yield _simple("sum of rows, every other element", (64, 16384), 1, "f32", "sum", stride=2)
    for shape in ((2, 512, 256), (8, 4096, 256), (8, 2048, 1536)):
        if numpy.prod(shape) <= limit:
            case = _recurrence("recurrence over time", shape, 1)
            yield case
            if shape == (8, 4096, 256):
                yield dataclasses.replace(_derivative(case, [Input(shape)]), bar=0.7)
    yield from _models(limit)
