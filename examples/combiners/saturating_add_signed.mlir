// Wrong: signed addition that saturates at both ends. What was cut off at one end is
// missing when later values lead away from it: (100 + 100) - 100 is 27, and 100 + (100
// - 100) is 100. Accumulate in a wider type and saturate last.
//
// VERDICT: refuted

func.func @saturating_add_signed(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%x0: i8, %x1: i8):
    %low = arith.constant -128 : i16
    %high = arith.constant 127 : i16
    %a = arith.extsi %x0 : i8 to i16
    %b = arith.extsi %x1 : i8 to i16
    %sum = arith.addi %a, %b : i16
    %c = arith.maxsi %sum, %low : i16
    %d = arith.minsi %c, %high : i16
    %r = arith.trunci %d : i16 to i8
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}
