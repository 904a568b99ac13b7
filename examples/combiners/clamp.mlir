// Composition of maps x -> max(low, min(x, high)), first the left one: the right map
// clamps both bounds of the left one. Quantiles of piecewise functions, filters of
// limited range.
//
// VERDICT: proved exactly

func.func @clamp(%low: tensor<?xf32>, %high: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y_low, %y_high = scan.associative ins(%low, %high : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%low0: f32, %high0: f32, %low1: f32, %high1: f32):
    %a = arith.minimumf %low0, %high1 : f32
    %r = arith.maximumf %low1, %a : f32
    %b = arith.minimumf %high0, %high1 : f32
    %s = arith.maximumf %low1, %b : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_low, %y_high : tensor<?xf32>, tensor<?xf32>
}
