// Unsigned multiplication that stays at its largest value: numbers of paths, of which
// only "many" is of interest. Zero stays zero, and any other factor keeps a saturated
// product saturated.
//
// VERDICT: proved exactly

func.func @saturating_multiply_unsigned(%x: tensor<?xi16>) -> tensor<?xi16> {
  %y = scan.associative ins(%x : tensor<?xi16>) dim = 0 {
  ^bb0(%x0: i16, %x1: i16):
    %max = arith.constant 65535 : i32
    %a = arith.extui %x0 : i16 to i32
    %b = arith.extui %x1 : i16 to i32
    %p = arith.muli %a, %b : i32
    %m = arith.minui %p, %max : i32
    %r = arith.trunci %m : i32 to i16
    scan.yield %r : i16
  } -> tensor<?xi16>
  return %y : tensor<?xi16>
}
