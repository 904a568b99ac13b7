// Wrong where values may be NaN: the value drops NaN, the comparison that selects the
// index does not.
//
// VERDICT: refuted

func.func @argmax_mixed_nan(%x: tensor<?xf32>, %i: tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?xi32>) {
  %y_x, %y_i = scan.associative ins(%x, %i : tensor<?xf32>, tensor<?xi32>) dim = 0 {
  ^bb0(%x0: f32, %i0: i32, %x1: f32, %i1: i32):
    %r = arith.maxnumf %x0, %x1 : f32
    %left = arith.cmpf oge, %x0, %x1 : f32
    %s = arith.select %left, %i0, %i1 : i32
    scan.yield %r, %s : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  return %y_x, %y_i : tensor<?xf32>, tensor<?xi32>
}
