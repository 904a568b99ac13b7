// The largest value and where it is; of equal ones, the last. NaN counts as larger
// than any number.
//
// VERDICT: proved exactly

func.func @argmax_last(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %y_x, %y_i = scan.associative ins(%x, %i : tensor<?xf32>, tensor<?xi32>) dim = 0 {
  ^bb0(%x0: f32, %i0: i32, %x1: f32, %i1: i32):
    %nan = arith.cmpf uno, %x1, %x1 : f32
    %large = arith.cmpf oge, %x1, %x0 : f32
    %right = arith.ori %nan, %large : i1
    %r = arith.select %right, %x1, %x0 : f32
    %s = arith.select %right, %i1, %i0 : i32
    scan.yield %r, %s : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  return %y_x, %y_i : tensor<?xf32>, tensor<?xi32>
}
