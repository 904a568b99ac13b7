// Wrong: the value is the signed maximum, the index that of the larger unsigned value.
// Without negative values nothing is wrong.
//
// VERDICT: refuted

func.func @argmax_unsigned(%x: tensor<?xi32>, %i: tensor<?xi32>)
    -> (tensor<?xi32>, tensor<?xi32>) {
  %y_x, %y_i = scan.associative ins(%x, %i : tensor<?xi32>, tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %i0: i32, %x1: i32, %i1: i32):
    %r = arith.maxsi %x0, %x1 : i32
    %left = arith.cmpi uge, %x0, %x1 : i32
    %s = arith.select %left, %i0, %i1 : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_x, %y_i : tensor<?xi32>, tensor<?xi32>
}
