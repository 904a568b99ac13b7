// Greatest common divisor of unsigned bytes, as a loop of Euclid's algorithm that has
// at most 12 steps on them (Knuth, The Art of Computer Programming, vol. 2, 4.5.3:
// neighbours in the Fibonacci sequence, 233 and 144, take most).
//
// VERDICT: proved exactly

func.func @gcd(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%x0: i8, %x1: i8):
    %zero = arith.constant 0 : i8
    %one = arith.constant 1 : i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %r, %s = scf.for %i = %c0 to %c12 step %c1 iter_args(%a = %x0, %b = %x1) -> (i8, i8) {
      %done = arith.cmpi eq, %b, %zero : i8
      %divisor = arith.select %done, %one, %b : i8
      %rest = arith.remui %a, %divisor : i8
      %next = arith.select %done, %a, %b : i8
      %last = arith.select %done, %zero, %rest : i8
      scf.yield %next, %last : i8, i8
    }
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}
