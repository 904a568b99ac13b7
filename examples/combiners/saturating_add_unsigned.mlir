// Unsigned addition that stays at its largest value instead of wrapping around:
// counters of events. It is min(a + b, 2^32 - 1), which is associative because nothing
// ever gets smaller. (The signed one is not: saturating_add_signed.)
//
// VERDICT: proved exactly

func.func @saturating_add_unsigned(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %x1: i32):
    %max = arith.constant -1 : i32
    %sum = arith.addi %x0, %x1 : i32
    %wrapped = arith.cmpi ult, %sum, %x0 : i32
    %r = arith.select %wrapped, %max, %sum : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
