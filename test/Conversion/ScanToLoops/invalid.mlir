// RUN: scan-opt %s -convert-scan-to-loops -verify-diagnostics

#id = affine_map<(d0) -> (d0)>

func.func @tensors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'scan.kernel' op expected memref operands, found tensors; run --one-shot-bufferize first}}
  %0 = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>)
      maps [#id, #id]
      load {
      ^bb0(%p: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32):
        scan.yield %in : f32
      } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
