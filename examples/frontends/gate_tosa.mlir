// Operations of TOSA around a scan: TOSA itself has none.
func.func @main(%x: tensor<4x64xf32>, %g: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %s = tosa.sigmoid %g : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u = tosa.mul %x, %s, %shift : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<1xi8>) -> tensor<4x64xf32>
  %y = scan.associative ins(%u : tensor<4x64xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
