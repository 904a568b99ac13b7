// Composition of maps h -> a h + b, first the left one: h_t = a_t h_{t-1} + b_t by a
// scan (Blelloch, CMU-CS-90-190, 1990, section 1.4; Martin and Cundy,
// arXiv:1709.04057). Gated recurrent networks and state space models.
//
// VERDICT: proved up to rounding

func.func @linear_recurrence(%a: tensor<?xf32>, %b: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_a, %y_b = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %r = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %s = arith.addf %t, %b1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_a, %y_b : tensor<?xf32>, tensor<?xf32>
}
