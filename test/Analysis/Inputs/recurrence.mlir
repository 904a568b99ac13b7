func.func @recurrence(%a: tensor<4x128x32xf32>, %b: tensor<4x128x32xf32>) -> tensor<4x128x32xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<4x128x32xf32>, tensor<4x128x32xf32>) dim = 1
      -> tensor<4x128x32xf32>
  return %h : tensor<4x128x32xf32>
}
