// Sums that start from zero: cleared in front of the kernel that adds to them. One
// more result is nothing but zeros.
func.func @sums(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<7xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = tensor.empty(%t, %c) : tensor<?x?xf32>
  %s = tensor.empty(%c) : tensor<?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.empty(%t) : tensor<?xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %0:3 = scan.kernel dim = 0
      ins(%x : tensor<?x?xf32>) outs(%y, %s0, %r0 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      maps [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (c)>,
            affine_map<(t, c) -> (t)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 32, vector = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        %p = arith.mulf %in, %e : f32
        scan.yield %in, %p, %in : f32, f32, f32
      } -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  %z = tensor.empty() : tensor<7xi64>
  %z0 = linalg.fill ins(%none : i64) outs(%z : tensor<7xi64>) -> tensor<7xi64>
  return %0#0, %0#1, %0#2, %z0 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<7xi64>
}
