// The smallest value so far, and how often it occurred.
//
// VERDICT: proved exactly

func.func @count_minimum(%x: tensor<?xi32>, %count: tensor<?xi64>)
    -> (tensor<?xi32>, tensor<?xi64>) {
  %y_x, %y_count = scan.associative ins(%x, %count : tensor<?xi32>, tensor<?xi64>) dim = 0 {
  ^bb0(%x0: i32, %count0: i64, %x1: i32, %count1: i64):
    %r = arith.minsi %x0, %x1 : i32
    %zero = arith.constant 0 : i64
    %is0 = arith.cmpi eq, %x0, %r : i32
    %is1 = arith.cmpi eq, %x1, %r : i32
    %n0 = arith.select %is0, %count0, %zero : i64
    %n1 = arith.select %is1, %count1, %zero : i64
    %n = arith.addi %n0, %n1 : i64
    scan.yield %r, %n : i32, i64
  } -> tensor<?xi32>, tensor<?xi64>
  return %y_x, %y_count : tensor<?xi32>, tensor<?xi64>
}
