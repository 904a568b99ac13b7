// Smallest and largest value so far: bounding boxes, zone maps of databases.
//
// VERDICT: proved exactly

func.func @range(%low: tensor<?xi32>, %high: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y_low, %y_high = scan.associative ins(%low, %high : tensor<?xi32>, tensor<?xi32>) dim = 0 {
  ^bb0(%low0: i32, %high0: i32, %low1: i32, %high1: i32):
    %r = arith.minsi %low0, %low1 : i32
    %s = arith.maxsi %high0, %high1 : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_low, %y_high : tensor<?xi32>, tensor<?xi32>
}
