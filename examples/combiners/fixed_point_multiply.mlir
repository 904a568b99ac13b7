// Wrong: products of fixed-point numbers with 16 fractional bits, of which each is cut
// off to so many again. Unlike floating-point rounding this is an integer operation,
// and its results are expected to be the same in any order.
//
// VERDICT: refuted

func.func @fixed_point_multiply(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %x1: i32):
    %bits = arith.constant 16 : i64
    %a = arith.extsi %x0 : i32 to i64
    %b = arith.extsi %x1 : i32 to i64
    %p = arith.muli %a, %b : i64
    %q = arith.shrsi %p, %bits : i64
    %r = arith.trunci %q : i64 to i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
