// The scan of IREE, as IREE writes it: exclusive, along dimension 1.
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<4x64xf32>
  %e = tensor.empty() : tensor<4xf32>
  %acc = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s:2 = iree_linalg_ext.scan dimension(1) inclusive(false)
      ins(%x : tensor<4x64xf32>) outs(%y, %acc : tensor<4x64xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    iree_linalg_ext.yield %t : f32
  } -> tensor<4x64xf32>, tensor<4xf32>
  return %s#0 : tensor<4x64xf32>
}
