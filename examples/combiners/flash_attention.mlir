// Attention over a stretch of keys: the maximum m of the scores, the sum l of
// exp(score - m), and the sum o of these times the values, here vectors of 4 (Rabe and
// Staats, arXiv:2112.05682; Dao et al., FlashAttention, arXiv:2205.14135). The output
// of attention is o / l.
//
// VERDICT: proved up to rounding

func.func @flash_attention(%m: tensor<?xf32>, %l: tensor<?xf32>, %o: tensor<?x4xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>) {
  %y_m, %y_l, %y_o = scan.associative
      ins(%m, %l, %o : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>) dim = 0 {
  ^bb0(%m0: f32, %l0: f32, %o0: tensor<4xf32>, %m1: f32, %l1: f32, %o1: tensor<4xf32>):
    %r = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %r : f32
    %d1 = arith.subf %m1, %r : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %l0, %e0 : f32
    %p1 = arith.mulf %l1, %e1 : f32
    %s = arith.addf %p0, %p1 : f32
    %v0 = tensor.splat %e0 : tensor<4xf32>
    %v1 = tensor.splat %e1 : tensor<4xf32>
    %q0 = arith.mulf %o0, %v0 : tensor<4xf32>
    %q1 = arith.mulf %o1, %v1 : tensor<4xf32>
    %t = arith.addf %q0, %q1 : tensor<4xf32>
    scan.yield %r, %s, %t : f32, f32, tensor<4xf32>
  } -> tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>
  return %y_m, %y_l, %y_o : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>
}
