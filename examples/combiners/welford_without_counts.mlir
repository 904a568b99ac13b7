// Wrong: welford for two sets of equal size, applied to sets of any size.
//
// VERDICT: refuted

func.func @welford_without_counts(%mean: tensor<?xf32>, %m2: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_mean, %y_m2 = scan.associative ins(%mean, %m2 : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%mean0: f32, %m20: f32, %mean1: f32, %m21: f32):
    %half = arith.constant 0.5 : f32
    %total = arith.addf %mean0, %mean1 : f32
    %r = arith.mulf %total, %half : f32
    %delta = arith.subf %mean1, %mean0 : f32
    %square = arith.mulf %delta, %delta : f32
    %between = arith.mulf %square, %half : f32
    %sum = arith.addf %m20, %m21 : f32
    %q = arith.addf %sum, %between : f32
    scan.yield %r, %q : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_mean, %y_m2 : tensor<?xf32>, tensor<?xf32>
}
