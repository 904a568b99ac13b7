"""Checks tensor and structured operations, control flow and calls against
numpy."""

import fractions

import numpy as np
from refcheck import Batch, Checker, rounded

checker = Checker()
batch = Batch()
rng = np.random.default_rng(3)


def check(name, body, inputs, expected, type="f32", kinds=None, ulps=0):
    """`body` computes %r from %x0, %x1, ... and its type follows the array
    `expected`. Arrays are dynamic in every dimension unless `kinds` says."""
    types = [t for _, t in inputs]
    if kinds is None:
        kinds = [f"tensor<{'?x' * np.ndim(a)}{t}>" if np.ndim(a) else t for a, t in inputs]
    shape = "x".join(str(n) for n in expected.shape)
    out = body.pop("out", None) if isinstance(body, dict) else None
    text = body["text"] if isinstance(body, dict) else body
    out = out or (f"tensor<{shape}x{type}>" if expected.ndim else type)
    batch.add(text + f"\n  return %r : {out}", inputs, [f"%x{i}" for i in range(len(inputs))], kinds,
              [(out, type)], lambda found: checker.close(name, found[0], expected, type, ulps))


x = rounded(rng.uniform(-2, 2, (3, 4)), "f32")
y = rounded(rng.uniform(-2, 2, (3, 4)), "f32")
z = rounded(rng.uniform(-2, 2, (2, 3, 4)), "f32")
m = rounded(rng.uniform(-2, 2, (4, 5)), "f32")
i = np.int64


def floats(*arrays):
    return [(a, "f32") for a in arrays]


# Elements and whole tensors.
check("empty is zero", "%r = tensor.empty() : tensor<2x3xf32>", [], np.zeros((2, 3), np.float32))
check("dim", """
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x0, %c1 : tensor<?x?xf32>
  %r = arith.index_cast %d : index to i64""", floats(x), np.asarray(i(4)), "i64")
check("rank", """
  %d = tensor.rank %x0 : tensor<?x?xf32>
  %r = arith.index_castui %d : index to i64""", floats(x), np.asarray(i(2)), "i64")
check("splat", "%r = tensor.splat %x0 : tensor<2x2xf32>", floats(np.float32(1.25)), np.full((2, 2), 1.25, np.float32))
check("from_elements", "%r = tensor.from_elements %x0, %x1, %x1, %x0 : tensor<2x2xf32>",
      floats(np.float32(1), np.float32(2)), np.array([[1, 2], [2, 1]], np.float32))
check("extract", """
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tensor.extract %x0[%c2, %c1] : tensor<?x?xf32>""", floats(x), np.asarray(x[2, 1]))
inserted = x.copy()
inserted[2, 1] = 9
check("insert leaves its operand alone", {"out": "tensor<3x4xf32>", "text": """
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 9.0 : f32
  %n = tensor.insert %v into %x0[%c2, %c1] : tensor<3x4xf32>
  %r = arith.subf %n, %x0 : tensor<3x4xf32>"""}, floats(x), inserted - x, kinds=["tensor<3x4xf32>"])
check("generate", """
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c10 = arith.constant 10 : index
    %p = arith.muli %i, %c10 : index
    %q = arith.addi %p, %j : index
    %v = arith.index_cast %q : index to i64
    tensor.yield %v : i64
  } : tensor<2x3xi64>""", [], np.array([[0, 1, 2], [10, 11, 12]]), "i64")
check("cast", "%r = tensor.cast %x0 : tensor<?x?xf32> to tensor<3x4xf32>", floats(x), x)
check("tensor.bitcast", "%r = tensor.bitcast %x0 : tensor<3x4xf32> to tensor<3x4xi32>", floats(x), x.view(np.int32),
      "i32", ["tensor<3x4xf32>"])
check("constants", """
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<0.5> : tensor<2x2xf32>
  %r = arith.mulf %a, %b : tensor<2x2xf32>""", [], np.array([[0.5, 1], [1.5, 2]], np.float32))
check("negative constants", "%r = arith.constant dense<[-1, 2, -128]> : tensor<3xi8>", [],
      np.array([-1, 2, -128], np.int8), "i8")
check("bool constants", "%r = arith.constant dense<[true, false, true]> : tensor<3xi1>", [],
      np.array([True, False, True]), "i1")
check("complex constants", """
  %a = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  %b = arith.constant dense<(3.0, 4.0)> : tensor<2xcomplex<f32>>
  %c0 = arith.constant 0 : index
  %r = tensor.insert %a into %b[%c0] : tensor<2xcomplex<f32>>""", [], np.array([1 - 2j, 3 + 4j], np.complex64),
      "complex<f32>")
c = np.array([[True, False, True, False]] * 3)
check("select", "%r = arith.select %x0, %x1, %x2 : tensor<3x4xi1>, tensor<3x4xf32>", [(c, "i1")] + floats(x, y),
      np.where(c, x, y), kinds=["tensor<3x4xi1>", "tensor<3x4xf32>", "tensor<3x4xf32>"])
check("select by a scalar", "%r = arith.select %x0, %x1, %x2 : tensor<3x4xf32>",
      [(np.bool_(False), "i1")] + floats(x, y), y, kinds=["i1", "tensor<3x4xf32>", "tensor<3x4xf32>"])
check("an operand twice", "%r = arith.mulf %x0, %x0 : tensor<3x4xf32>", floats(x), x * x, kinds=["tensor<3x4xf32>"])
check("extended sums", """
  %s, %o = arith.addui_extended %x0, %x1 : i32, i1
  %e = arith.extui %o : i1 to i32
  %lo, %hi = arith.mulsi_extended %x0, %x1 : i32
  %ulo, %uhi = arith.mului_extended %x0, %x1 : i32
  %r = tensor.from_elements %s, %e, %lo, %hi, %ulo, %uhi : tensor<6xi32>""",
      [(np.int32(-5), "i32"), (np.int32(7), "i32")],
      np.array([2, 1, -35, -1, -35, (2**32 - 5) * 7 >> 32], np.int64).astype(np.int32), "i32")

# Rearranging.
check("extract_slice", "%r = tensor.extract_slice %x0[1, 0] [2, 2] [1, 2] : tensor<?x?xf32> to tensor<2x2xf32>",
      floats(x), x[1:3, 0:4:2])
check("extract_slice, rank-reduced",
      "%r = tensor.extract_slice %x0[1, 0, 2] [1, 3, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<3xf32>", floats(z),
      z[1, :, 2])
check("extract_slice by values", {"out": "tensor<?x4xf32>", "text": """
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tensor.extract_slice %x0[%c1, 0] [%c2, 4] [1, 1] : tensor<?x?xf32> to tensor<?x4xf32>"""}, floats(x), x[1:3])
placed = y.copy()
placed[0:3:2, 1:3] = x[:2, :2]
check("insert_slice", """
  %s = tensor.extract_slice %x0[0, 0] [2, 2] [1, 1] : tensor<?x?xf32> to tensor<2x2xf32>
  %r = tensor.insert_slice %s into %x1[0, 1] [2, 2] [2, 1] : tensor<2x2xf32> into tensor<3x4xf32>""",
      floats(x, y), placed, kinds=["tensor<?x?xf32>", "tensor<3x4xf32>"])
rowed = x.copy()
rowed[1] = y[2]
check("insert_slice, rank-reduced", """
  %s = tensor.extract_slice %x1[2, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
  %r = tensor.insert_slice %s into %x0[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>""",
      floats(x, y), rowed, kinds=["tensor<3x4xf32>"] * 2)
check("expand_shape", {"out": "tensor<3x2x?xf32>", "text": """
  %c2 = arith.constant 2 : index
  %r = tensor.expand_shape %x0 [[0], [1, 2]] output_shape [3, 2, %c2] : tensor<3x?xf32> into tensor<3x2x?xf32>"""},
      floats(x), x.reshape(3, 2, 2), kinds=["tensor<3x?xf32>"])
check("collapse_shape", {"out": "tensor<?xf32>", "text":
      "%r = tensor.collapse_shape %x0 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>"}, floats(x), x.reshape(12))
check("reshape", {"out": "tensor<?x?xf32>", "text":
      "%r = tensor.reshape %x0(%x1) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>"},
      floats(x) + [(np.array([2, 6], np.int32), "i32")], x.reshape(2, 6), kinds=["tensor<?x?xf32>", "tensor<2xi32>"])
check("concat", {"out": "tensor<3x?xf32>", "text":
      "%r = tensor.concat dim(1) %x0, %x1, %x0 : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>"},
      floats(x, y[:, :2]), np.concatenate([x, y[:, :2], x], 1), kinds=["tensor<3x?xf32>"] * 2)
check("pad", {"out": "tensor<?x?xf32>", "text": """
  %r = tensor.pad %x0 low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %p = arith.addi %i, %j : index
    %q = arith.index_cast %p : index to i32
    %v = arith.sitofp %q : i32 to f32
    tensor.yield %v : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>"""}, floats(x),
      np.array([[a + b if a < 1 or b >= 4 else x[a - 1, b] for b in range(6)] for a in range(4)], np.float32))

# Structured operations.
check("fill", """
  %v = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>""", [], np.full((2, 2), 2.5, np.float32))


def matmul(a, b, start):
    total = start.copy()
    for k in range(a.shape[-1]):
        total = total + a[..., :, k, None] * b[..., None, k, :]
    return total


zero = np.zeros((3, 5), np.float32)
check("matmul adds in order", {"out": "tensor<?x?xf32>", "text": """
  %r = linalg.matmul ins(%x0, %x1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x2 : tensor<?x?xf32>) -> tensor<?x?xf32>"""},
      floats(x, m, zero), matmul(x, m, zero))
zm = rounded(rng.uniform(-2, 2, (2, 4, 5)), "f32")
check("batch_matmul", {"out": "tensor<?x?x?xf32>", "text": """
  %r = linalg.batch_matmul ins(%x0, %x1 : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%x2 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>"""}, floats(z, zm, np.zeros((2, 3, 5), np.float32)),
      matmul(z, zm, np.zeros((2, 3, 5), np.float32)))
check("transpose", """
  %e = tensor.empty() : tensor<4x3xf32>
  %r = linalg.transpose ins(%x0 : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) permutation = [1, 0]""",
      floats(x), x.T.copy(), kinds=["tensor<3x4xf32>"])
check("broadcast", """
  %e = tensor.empty() : tensor<3x2x4xf32>
  %r = linalg.broadcast ins(%x0 : tensor<3x4xf32>) outs(%e : tensor<3x2x4xf32>) dimensions = [1]""",
      floats(x), np.repeat(x[:, None], 2, 1), kinds=["tensor<3x4xf32>"])
check("reduce, from its start value", """
  %e = arith.constant dense<10.0> : tensor<3xf32>
  %r = linalg.reduce ins(%x0 : tensor<3x4xf32>) outs(%e : tensor<3xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %s = arith.addf %out, %in : f32
      linalg.yield %s : f32
    }""", floats(x), (((np.float32(10) + x[:, 0]) + x[:, 1]) + x[:, 2]) + x[:, 3], kinds=["tensor<3x4xf32>"])
check("map", """
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.map { arith.subf } ins(%x0, %x1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>)""",
      floats(x, y), x - y, kinds=["tensor<3x4xf32>"] * 2)
check("elementwise", """
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.elementwise kind=#linalg.elementwise_kind<sub>
      ins(%x0, %x1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>""",
      floats(x, y), x - y, kinds=["tensor<3x4xf32>"] * 2)
check("named elementwise", """
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.sub ins(%x0, %x1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>""",
      floats(x, y), x - y, kinds=["tensor<3x4xf32>"] * 2)
check("generic: two results, a scalar, indices, a constant index", """
  %e = tensor.empty() : tensor<4x3xf32>
  %f = tensor.empty() : tensor<4x3xf32>
  %p:2 = linalg.generic {indexing_maps = [
      affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (0, i)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2 : tensor<3x4xf32>, tensor<1x4xf32>, f32) outs(%e, %f : tensor<4x3xf32>, tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32, %q: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %k = arith.sitofp %n : i32 to f32
    %t = arith.mulf %a, %s : f32
    %u = arith.addf %t, %b : f32
    linalg.yield %u, %k : f32, f32
  } -> (tensor<4x3xf32>, tensor<4x3xf32>)
  %r = arith.addf %p#0, %p#1 : tensor<4x3xf32>""", floats(x, y[:1], np.float32(3)),
      (x.T * np.float32(3) + y[0][:, None]) + np.arange(4, dtype=np.float32)[:, None],
      kinds=["tensor<3x4xf32>", "tensor<1x4xf32>", "f32"])
signal, taps = rounded(rng.uniform(-2, 2, 6), "f32"), rounded(rng.uniform(-2, 2, 3), "f32")
expected = np.zeros(4, np.float32)
for tap in range(3):
    expected = expected + signal[tap:tap + 4] * taps[tap]
check("conv_1d, with sums of indices", """
  %e = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.conv_1d ins(%x0, %x1 : tensor<6xf32>, tensor<3xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>""",
      floats(signal, taps), expected, kinds=["tensor<6xf32>", "tensor<3xf32>"])
b = rounded(rng.uniform(-2, 2, (3, 40)), "bf16")
running = np.zeros(3, np.float32)
for column in range(40):
    running = rounded(running.astype(np.float64) + b[:, column], "bf16")
check("bf16 outside of scans rounds after each operation", """
  %e = arith.constant dense<0.0> : tensor<3xbf16>
  %r = linalg.reduce ins(%x0 : tensor<3x40xbf16>) outs(%e : tensor<3xbf16>) dimensions = [1]
    (%in: bf16, %out: bf16) {
      %s = arith.addf %out, %in : bf16
      linalg.yield %s : bf16
    }""", [(b, "bf16")], running, "bf16", ["tensor<3x40xbf16>"])

# Scans whose attributes change the arithmetic.
total = b.astype(np.float64).cumsum(1)
check("accumulators = [f64]", """
  %r = scan.associative ins(%x0 : tensor<3x40xbf16>) dim = 1 attributes {accumulators = [f64]} {
  ^bb0(%a: bf16, %n: bf16):
    %s = arith.addf %a, %n : bf16
    scan.yield %s : bf16
  } -> tensor<3x40xbf16>""", [(b, "bf16")], rounded(total, "bf16"), "bf16", ["tensor<3x40xbf16>"])
bytes = rng.integers(-128, 128, 50).astype(np.int8)
wide = [int(bytes[0])]
for v in bytes[1:]:
    wide.append(max(wide[-1] + int(v), -100))
check("accumulators = [i32]: no wrap-around on the way", """
  %r = scan.associative ins(%x0 : tensor<50xi8>) dim = 0 attributes {accumulators = [i32]} {
  ^bb0(%a: i8, %n: i8):
    %low = arith.constant -100 : i8
    %s = arith.addi %a, %n : i8
    %y = arith.maxsi %s, %low : i8
    scan.yield %y : i8
  } -> tensor<50xi8>""", [(bytes, "i8")], np.array(wide).astype(np.int8), "i8", ["tensor<50xi8>"])
unsigned = bytes.view(np.uint8)
quarter = [int(bytes[0])]
for v in unsigned[1:]:
    # The shift sees eight bits, and its result is below 64: the sum is exact.
    quarter.append(((quarter[-1] % 256) >> 2) + (int(v) % 4) - 50)
check("accumulators = [i32]: unsigned operations see the declared width", """
  %r = scan.associative ins(%x0 : tensor<50xi8>) dim = 0 attributes {accumulators = [i32]} {
  ^bb0(%a: i8, %n: i8):
    %two = arith.constant 2 : i8
    %three = arith.constant 3 : i8
    %fifty = arith.constant 50 : i8
    %s = arith.shrui %a, %two : i8
    %m = arith.andi %n, %three : i8
    %t = arith.addi %s, %m : i8
    %y = arith.subi %t, %fifty : i8
    scan.yield %y : i8
  } -> tensor<50xi8>""", [(bytes, "i8")], np.array(quarter).astype(np.int8), "i8", ["tensor<50xi8>"])
signs = rounded(rng.uniform(-2, 2, 20), "bf16")
flipped = [np.float32(signs[0])]
for v in signs[1:]:
    seen = rounded(flipped[-1], "bf16")
    flipped.append(np.float32(-seen) + np.float32(v))
check("bit patterns in a combine region are those of the declared type", """
  %r = scan.associative ins(%x0 : tensor<20xbf16>) dim = 0 {
  ^bb0(%a: bf16, %n: bf16):
    %sign = arith.constant -32768 : i16
    %b = arith.bitcast %a : bf16 to i16
    %f = arith.xori %b, %sign : i16
    %v = arith.bitcast %f : i16 to bf16
    %y = arith.addf %v, %n : bf16
    scan.yield %y : bf16
  } -> tensor<20xbf16>""", [(signs, "bf16")], rounded(np.array(flipped), "bf16"), "bf16", ["tensor<20xbf16>"])
# Control flow and calls.
check("if", """
  %c = arith.cmpf ogt, %x0, %x1 : f32
  %r = scf.if %c -> f32 {
    scf.yield %x0 : f32
  } else {
    %n = arith.negf %x1 : f32
    scf.yield %n : f32
  }""", floats(np.float32(1), np.float32(2)), np.asarray(np.float32(-2)))
check("for, swapping what it carries, building a tensor", """
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<8xf32>
  %q:3 = scf.for %i = %c0 to %c7 step %c2 iter_args(%u = %x0, %v = %x1, %t = %e) -> (f32, f32, tensor<8xf32>) {
    %w = tensor.insert %u into %t[%i] : tensor<8xf32>
    scf.yield %v, %u, %w : f32, f32, tensor<8xf32>
  }
  %r = arith.addf %q#2, %q#2 : tensor<8xf32>""", floats(np.float32(1), np.float32(2)),
      np.array([2, 0, 4, 0, 2, 0, 4, 0], np.float32))
check("while", """
  %c1 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  %r = scf.while (%u = %c1) : (i64) -> i64 {
    %c = arith.cmpi slt, %u, %c100 : i64
    scf.condition(%c) %u : i64
  } do {
  ^bb0(%u: i64):
    %d = arith.addi %u, %u : i64
    scf.yield %d : i64
  }""", [], np.asarray(i(128)), "i64")
batch.functions.append("""
func.func private @factorial(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %c = arith.cmpi sle, %n, %c1 : i64
  %r = scf.if %c -> i64 {
    scf.yield %c1 : i64
  } else {
    %m = arith.subi %n, %c1 : i64
    %f = func.call @factorial(%m) : (i64) -> i64
    %p = arith.muli %f, %n : i64
    scf.yield %p : i64
  }
  return %r : i64
}
""")
check("recursive calls", "%r = func.call @factorial(%x0) : (i64) -> i64", [(i(10), "i64")], np.asarray(i(3628800)),
      "i64")
batch.run()
batch.run("--scan-normalize")

# Compensated sums are exact here, while lowerings carry two terms.
batch = Batch()
hard = np.array([1e8, 1, -1e8, 1, 1e-8, 3e7, 1, -3e7] * 40, np.float32)
exact = [np.float32(0)] * len(hard)
state = fractions.Fraction(0)
for at, v in enumerate(hard):
    state += fractions.Fraction(float(v))
    exact[at] = np.float32(float(state))
check("compensated", """
  %r = scan.associative ins(%x0 : tensor<?xf32>) dim = 0 attributes {compensated} {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  """.replace("%r", "%y") + "%r = tensor.cast %y : tensor<?xf32> to tensor<320xf32>", floats(hard), np.array(exact))
doubles = np.array([1e16, 1.0, -1e16, 1e-9, 1.0, 2.0**-60] * 50)
state, exact = fractions.Fraction(3), []
for v in doubles[::-1]:
    exact.append(float(state))
    state += fractions.Fraction(float(v))
check("compensated f64, exclusive and reverse", """
  %i = arith.constant 3.0 : f64
  %r = scan.associative ins(%x0 : tensor<300xf64>) init(%i : f64) dim = 0 reverse exclusive attributes {compensated} {
  ^bb0(%a: f64, %n: f64):
    %s = arith.addf %a, %n : f64
    scan.yield %s : f64
  } -> tensor<300xf64>""", [(doubles, "f64")], np.array(exact)[::-1].copy(), "f64", ["tensor<300xf64>"])
batch.run()
checker.finish()
