// Wrong: one step of an exponential moving average as the operator of a scan. It is a
// recurrence h -> 0.75 h + 0.25 x: scan the maps (linear_recurrence), not the values.
//
// VERDICT: refuted

func.func @exponential_average(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %keep = arith.constant 0.75 : f32
    %take = arith.constant 0.25 : f32
    %a = arith.mulf %keep, %x0 : f32
    %b = arith.mulf %take, %x1 : f32
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
