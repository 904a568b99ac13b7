// Sums of velocities in units of that of light, in one direction (Einstein, Zur
// Elektrodynamik bewegter Körper, 1905, section 5); the hyperbolic tangent of a sum.
// None is faster than light.
//
// VERDICT: proved up to rounding

func.func @velocity_addition(%v: tensor<?xf64>) -> tensor<?xf64> {
  %y = scan.associative ins(%v : tensor<?xf64>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, abs, lt = 1>]} {
  ^bb0(%v0: f64, %v1: f64):
    %one = arith.constant 1.0 : f64
    %sum = arith.addf %v0, %v1 : f64
    %product = arith.mulf %v0, %v1 : f64
    %divisor = arith.addf %one, %product : f64
    %r = arith.divf %sum, %divisor : f64
    scan.yield %r : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}
