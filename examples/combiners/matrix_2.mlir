// Products of 2x2 matrices: linear recurrences of second order, continued fractions,
// ray transfer in optics.
//
// VERDICT: proved up to rounding

func.func @matrix_2(%m: tensor<?x2x2xf64>) -> tensor<?x2x2xf64> {
  %y = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%m0: tensor<2x2xf64>, %m1: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %r = linalg.matmul ins(%m0, %m1 : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %r : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  return %y : tensor<?x2x2xf64>
}
