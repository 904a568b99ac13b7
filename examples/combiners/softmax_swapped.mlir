// Wrong: online_softmax with the two factors exchanged, so that each sum is scaled by
// the distance of the other one. With one maximum everywhere, or equal neighbours, it
// passes tests.
//
// VERDICT: refuted

func.func @softmax_swapped(%m: tensor<?xf32>, %s: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_m, %y_s = scan.associative ins(%m, %s : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
    %r = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m1, %r : f32
    %d1 = arith.subf %m0, %r : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %s0, %e0 : f32
    %p1 = arith.mulf %s1, %e1 : f32
    %t = arith.addf %p0, %p1 : f32
    scan.yield %r, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_m, %y_s : tensor<?xf32>, tensor<?xf32>
}
