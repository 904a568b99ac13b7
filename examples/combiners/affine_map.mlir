// Composition of maps x -> a x + b mod 2^32, first the left one: jumping ahead in a
// linear congruential generator, or all of its states at once (Brown, Random Number
// Generation with Arbitrary Strides, Transactions of the American Nuclear Society 71,
// 1994).
//
// VERDICT: proved exactly

func.func @affine_map(%a: tensor<?xi32>, %b: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y_a, %y_b = scan.associative ins(%a, %b : tensor<?xi32>, tensor<?xi32>) dim = 0 {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %r = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %s = arith.addi %t, %b1 : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_a, %y_b : tensor<?xi32>, tensor<?xi32>
}
