// Wrong: flash_attention in which the output of the new block is added as it is, while
// its sum is rescaled. In a left fold over single keys, with the largest score last,
// nothing is wrong.
//
// VERDICT: refuted

func.func @flash_attention_stale(%m: tensor<?xf32>, %l: tensor<?xf32>, %o: tensor<?x2xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>) {
  %y_m, %y_l, %y_o = scan.associative
      ins(%m, %l, %o : tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>) dim = 0 {
  ^bb0(%m0: f32, %l0: f32, %o0: tensor<2xf32>, %m1: f32, %l1: f32, %o1: tensor<2xf32>):
    %r = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %r : f32
    %d1 = arith.subf %m1, %r : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %l0, %e0 : f32
    %p1 = arith.mulf %l1, %e1 : f32
    %s = arith.addf %p0, %p1 : f32
    %v0 = tensor.splat %e0 : tensor<2xf32>
    %q0 = arith.mulf %o0, %v0 : tensor<2xf32>
    %t = arith.addf %q0, %o1 : tensor<2xf32>
    scan.yield %r, %s, %t : f32, f32, tensor<2xf32>
  } -> tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>
  return %y_m, %y_l, %y_o : tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>
}
