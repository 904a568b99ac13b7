// The smallest value and the lowest index at which it occurs: the order of pairs. It
// commutes, so that it may be combined in any order.
//
// VERDICT: proved exactly

func.func @argmin_lowest_index(%x: tensor<?xi32>, %i: tensor<?xi32>)
    -> (tensor<?xi32>, tensor<?xi32>) {
  %y_x, %y_i = scan.associative ins(%x, %i : tensor<?xi32>, tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %i0: i32, %x1: i32, %i1: i32):
    %less = arith.cmpi slt, %x0, %x1 : i32
    %equal = arith.cmpi eq, %x0, %x1 : i32
    %lower = arith.cmpi slt, %i0, %i1 : i32
    %tie = arith.andi %equal, %lower : i1
    %left = arith.ori %less, %tie : i1
    %r = arith.select %left, %x0, %x1 : i32
    %s = arith.select %left, %i0, %i1 : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_x, %y_i : tensor<?xi32>, tensor<?xi32>
}
