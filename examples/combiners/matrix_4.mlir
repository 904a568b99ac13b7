// Products of 4x4 matrices: chains of rigid motions, forward kinematics of a robot
// arm.
//
// VERDICT: proved up to rounding

func.func @matrix_4(%m: tensor<?x4x4xf64>) -> tensor<?x4x4xf64> {
  %y = scan.associative ins(%m : tensor<?x4x4xf64>) dim = 0 {
  ^bb0(%m0: tensor<4x4xf64>, %m1: tensor<4x4xf64>):
    %zero = arith.constant dense<0.0> : tensor<4x4xf64>
    %r = linalg.matmul ins(%m0, %m1 : tensor<4x4xf64>, tensor<4x4xf64>)
                       outs(%zero : tensor<4x4xf64>) -> tensor<4x4xf64>
    scan.yield %r : tensor<4x4xf64>
  } -> tensor<?x4x4xf64>
  return %y : tensor<?x4x4xf64>
}
