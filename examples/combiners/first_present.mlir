// The first value that is present: `coalesce` of SQL, along a column.
//
// VERDICT: proved exactly

func.func @first_present(%present: tensor<?xi1>, %x: tensor<?xi64>)
    -> (tensor<?xi1>, tensor<?xi64>) {
  %y_present, %y_x = scan.associative ins(%present, %x : tensor<?xi1>, tensor<?xi64>) dim = 0 {
  ^bb0(%present0: i1, %x0: i64, %present1: i1, %x1: i64):
    %r = arith.ori %present0, %present1 : i1
    %s = arith.select %present0, %x0, %x1 : i64
    scan.yield %r, %s : i1, i64
  } -> tensor<?xi1>, tensor<?xi64>
  return %y_present, %y_x : tensor<?xi1>, tensor<?xi64>
}
