// Sums modulo the prime 10^9 + 7, with one conditional subtraction, as in
// number-theoretic transforms. Values are residues, which is assumed: of larger ones a
// single subtraction would not be enough.
//
// VERDICT: proved exactly

func.func @add_modulo_prime(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, le = 1000000006>]} {
  ^bb0(%x0: i32, %x1: i32):
    %p = arith.constant 1000000007 : i32
    %sum = arith.addi %x0, %x1 : i32
    %large = arith.cmpi uge, %sum, %p : i32
    %less = arith.subi %sum, %p : i32
    %r = arith.select %large, %less, %sum : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
