// Composition of maps x -> max(x + a, b), first the left one: waiting times in a queue
// (Lindley), drawdowns, Smith-Waterman along a row.
//
// VERDICT: proved up to rounding

func.func @max_plus(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y_a, %y_b = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %r = arith.addf %a0, %a1 : f32
    %t = arith.addf %b0, %a1 : f32
    %s = arith.maximumf %t, %b1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_a, %y_b : tensor<?xf32>, tensor<?xf32>
}
