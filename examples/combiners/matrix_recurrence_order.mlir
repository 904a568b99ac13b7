// Wrong: matrix_recurrence in which the matrices are multiplied in the other order
// than that in which the maps are composed. With matrices that commute, as diagonal
// ones, nothing is wrong.
//
// VERDICT: refuted

func.func @matrix_recurrence_order(%a: tensor<?x2x2xf32>, %b: tensor<?x2xf32>)
    -> (tensor<?x2x2xf32>, tensor<?x2xf32>) {
  %y_a, %y_b = scan.associative ins(%a, %b : tensor<?x2x2xf32>, tensor<?x2xf32>) dim = 0 {
  ^bb0(%a0: tensor<2x2xf32>, %b0: tensor<2xf32>, %a1: tensor<2x2xf32>, %b1: tensor<2xf32>):
    %zeros = arith.constant dense<0.0> : tensor<2x2xf32>
    %r = linalg.matmul ins(%a0, %a1 : tensor<2x2xf32>, tensor<2x2xf32>)
                       outs(%zeros : tensor<2x2xf32>) -> tensor<2x2xf32>
    %s = linalg.matvec ins(%a1, %b0 : tensor<2x2xf32>, tensor<2xf32>)
                       outs(%b1 : tensor<2xf32>) -> tensor<2xf32>
    scan.yield %r, %s : tensor<2x2xf32>, tensor<2xf32>
  } -> tensor<?x2x2xf32>, tensor<?x2xf32>
  return %y_a, %y_b : tensor<?x2x2xf32>, tensor<?x2xf32>
}
