// A scan over packed sequences, whose offsets the kernel checks.
func.func @packed(%x: tensor<1000xf32>, %s: tensor<?xi32>) -> tensor<1000xf32> {
  %y = scan.associative ins(%x : tensor<1000xf32>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
