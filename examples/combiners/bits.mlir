// Which bits have been set in all values so far, and which in any: presence of
// attributes, reaching definitions.
//
// VERDICT: proved exactly

func.func @bits(%all: tensor<?xi32>, %any: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y_all, %y_any = scan.associative ins(%all, %any : tensor<?xi32>, tensor<?xi32>) dim = 0 {
  ^bb0(%all0: i32, %any0: i32, %all1: i32, %any1: i32):
    %r = arith.andi %all0, %all1 : i32
    %s = arith.ori %any0, %any1 : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_all, %y_any : tensor<?xi32>, tensor<?xi32>
}
