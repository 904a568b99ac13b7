// Wrong: linear_recurrence in which the offset is multiplied by the factor of its own
// element. (Exchanging the elements everywhere would only compose the maps in the
// other order.)
//
// VERDICT: refuted

func.func @linear_recurrence_swapped(%a: tensor<?xf32>, %b: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_a, %y_b = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %r = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a0, %b0 : f32
    %s = arith.addf %t, %b1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_a, %y_b : tensor<?xf32>, tensor<?xf32>
}
