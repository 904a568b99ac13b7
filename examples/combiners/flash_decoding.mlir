// Partial outputs of attention and the logarithm of their sums of exponentials, as
// split keys are merged in decoding: o is normalised already, and a part weighs
// exp(lse) (Dao, Haziza, Massa and Sizov, Flash-Decoding for Long-Context Inference,
// 2023).
//
// VERDICT: proved up to rounding

func.func @flash_decoding(%lse: tensor<?xf32>, %o: tensor<?x4xf32>)
    -> (tensor<?xf32>, tensor<?x4xf32>) {
  %y_lse, %y_o = scan.associative ins(%lse, %o : tensor<?xf32>, tensor<?x4xf32>) dim = 0 {
  ^bb0(%lse0: f32, %o0: tensor<4xf32>, %lse1: f32, %o1: tensor<4xf32>):
    %max = arith.maximumf %lse0, %lse1 : f32
    %d0 = arith.subf %lse0, %max : f32
    %d1 = arith.subf %lse1, %max : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %sum = arith.addf %e0, %e1 : f32
    %log = math.log %sum : f32
    %r = arith.addf %max, %log : f32
    %w0 = arith.divf %e0, %sum : f32
    %w1 = arith.divf %e1, %sum : f32
    %v0 = tensor.splat %w0 : tensor<4xf32>
    %v1 = tensor.splat %w1 : tensor<4xf32>
    %q0 = arith.mulf %o0, %v0 : tensor<4xf32>
    %q1 = arith.mulf %o1, %v1 : tensor<4xf32>
    %t = arith.addf %q0, %q1 : tensor<4xf32>
    scan.yield %r, %t : f32, tensor<4xf32>
  } -> tensor<?xf32>, tensor<?x4xf32>
  return %y_lse, %y_o : tensor<?xf32>, tensor<?x4xf32>
}
