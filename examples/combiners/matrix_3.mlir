// Products of 3x3 matrices: chains of rotations, homogeneous coordinates in the plane.
//
// VERDICT: proved up to rounding

func.func @matrix_3(%m: tensor<?x3x3xf64>) -> tensor<?x3x3xf64> {
  %y = scan.associative ins(%m : tensor<?x3x3xf64>) dim = 0 {
  ^bb0(%m0: tensor<3x3xf64>, %m1: tensor<3x3xf64>):
    %zero = arith.constant dense<0.0> : tensor<3x3xf64>
    %r = linalg.matmul ins(%m0, %m1 : tensor<3x3xf64>, tensor<3x3xf64>)
                       outs(%zero : tensor<3x3xf64>) -> tensor<3x3xf64>
    scan.yield %r : tensor<3x3xf64>
  } -> tensor<?x3x3xf64>
  return %y : tensor<?x3x3xf64>
}
