// Running products mod 2^32: falling factorials, powers of a multiplier.
//
// VERDICT: proved exactly

func.func @multiply(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %x1: i32):
    %r = arith.muli %x0, %x1 : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
