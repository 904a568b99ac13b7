// Carries of 64 additions at once, bit by bit: a position generates a carry (g) or
// propagates one (p). The operator of parallel prefix adders (Kogge and Stone, IEEE
// Transactions on Computers C-22, 1973; Brent and Kung, C-31, 1982), and, with other
// names, of gen and kill sets in dataflow analysis.
//
// VERDICT: proved exactly

func.func @carry(%g: tensor<?xi64>, %p: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %y_g, %y_p = scan.associative ins(%g, %p : tensor<?xi64>, tensor<?xi64>) dim = 0 {
  ^bb0(%g0: i64, %p0: i64, %g1: i64, %p1: i64):
    %through = arith.andi %p1, %g0 : i64
    %r = arith.ori %g1, %through : i64
    %s = arith.andi %p1, %p0 : i64
    scan.yield %r, %s : i64, i64
  } -> tensor<?xi64>, tensor<?xi64>
  return %y_g, %y_p : tensor<?xi64>, tensor<?xi64>
}
