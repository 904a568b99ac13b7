// The running maximum m and the running sum of exp(x - m) of each row: what a
// softmax needs to know of all elements so far, in one pass and without
// overflow (Milakov and Gimelshein, 2018, arXiv:1805.02867).
//
// The pair (m, s) of a stretch of elements and that of the next stretch combine
// to that of both together:
//
//   m = max(m0, m1)
//   s = s0 * exp(m0 - m) + s1 * exp(m1 - m)
//
// which is associative up to rounding. A single element is the pair (x, 1). One
// of the two factors is always exp(0) = 1. Asking for it first keeps rows that
// start with -inf (masked elements) free of -inf - -inf = NaN.
//
//   scan-run examples/online_softmax.mlir --entry=online_softmax --target=cpu \
//       --input=random:f32:8x1000:1 --output=m.npy --output=s.npy \
//       --output=row_max.npy --output=row_sum.npy

func.func @online_softmax(%x: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %one = arith.constant 1.0 : f32
  // A tensor of ones, which is inlined into the scan and never exists.
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>

  %m, %s, %row_max, %row_sum = scan.associative
      ins(%x, %ones : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
    %unit = arith.constant 1.0 : f32
    %max = arith.maximumf %m0, %m1 : f32
    %same0 = arith.cmpf oeq, %m0, %max : f32
    %d0 = arith.subf %m0, %max : f32
    %e0 = math.exp %d0 : f32
    %f0 = arith.select %same0, %unit, %e0 : f32
    %same1 = arith.cmpf oeq, %m1, %max : f32
    %d1 = arith.subf %m1, %max : f32
    %e1 = math.exp %d1 : f32
    %f1 = arith.select %same1, %unit, %e1 : f32
    %p0 = arith.mulf %s0, %f0 : f32
    %p1 = arith.mulf %s1, %f1 : f32
    %sum = arith.addf %p0, %p1 : f32
    scan.yield %max, %sum : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  return %m, %s, %row_max, %row_sum : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
