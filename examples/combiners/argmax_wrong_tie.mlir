// Wrong: a rule for ties that also applies where there is none. The new value is taken
// if it is larger, or if its index is lower.
//
// VERDICT: refuted

func.func @argmax_wrong_tie(%x: tensor<?xf32>, %i: tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?xi32>) {
  %y_x, %y_i = scan.associative ins(%x, %i : tensor<?xf32>, tensor<?xi32>) dim = 0 {
  ^bb0(%x0: f32, %i0: i32, %x1: f32, %i1: i32):
    %large = arith.cmpf ogt, %x1, %x0 : f32
    %lower = arith.cmpi slt, %i1, %i0 : i32
    %right = arith.ori %large, %lower : i1
    %r = arith.select %right, %x1, %x0 : f32
    %s = arith.select %right, %i1, %i0 : i32
    scan.yield %r, %s : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  return %y_x, %y_i : tensor<?xf32>, tensor<?xi32>
}
