// What an einsum over states becomes in some front ends: a product of matrices for each
// batch and step, both one dimension. With its reshapes folded, the sum becomes part of
// the kernel.

// RUN: scan-translate --scan-to-ptx --dispatch=false %s -o - | FileCheck %s
// CHECK:     .entry readout_scan0(
// CHECK-NOT: .entry
// RUN: scan-run %s --entry=readout --target=cpu --check-memory --compare=reference --tolerance=1e-5 --input=random:f32:2x5x4x9:1:-1:1 --input=random:f32:2x5x4x9:2 --input=random:f32:2x4x9:3
// RUN: scan-run %s --entry=readout --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:2x5x4x9:1:-1:1 --input=random:f32:2x5x4x9:2 --input=random:f32:2x4x9:3

// y[b, t, d] = sum over n of h[b, d, n, t] c[b, n, t]
func.func @readout(%a: tensor<2x5x4x9xf32>, %x: tensor<2x5x4x9xf32>, %c: tensor<2x4x9xf32>) -> tensor<2x9x5xf32> {
  %zero = arith.constant 0.0 : f32
  %h = scan.linear_recurrence ins(%a, %x : tensor<2x5x4x9xf32>, tensor<2x5x4x9xf32>) dim = 3 reverse -> tensor<2x5x4x9xf32>
  %empty_h = tensor.empty() : tensor<2x9x5x4xf32>
  %ht = linalg.transpose ins(%h : tensor<2x5x4x9xf32>) outs(%empty_h : tensor<2x9x5x4xf32>) permutation = [0, 3, 1, 2]
  %empty_c = tensor.empty() : tensor<2x9x4xf32>
  %ct = linalg.transpose ins(%c : tensor<2x4x9xf32>) outs(%empty_c : tensor<2x9x4xf32>) permutation = [0, 2, 1]
  %hm = tensor.collapse_shape %ht [[0, 1], [2], [3]] : tensor<2x9x5x4xf32> into tensor<18x5x4xf32>
  %cc = tensor.collapse_shape %ct [[0, 1], [2]] : tensor<2x9x4xf32> into tensor<18x4xf32>
  %cm = tensor.expand_shape %cc [[0], [1, 2]] output_shape [18, 4, 1] : tensor<18x4xf32> into tensor<18x4x1xf32>
  %empty_m = tensor.empty() : tensor<18x5x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty_m : tensor<18x5x1xf32>) -> tensor<18x5x1xf32>
  %m = linalg.batch_matmul ins(%hm, %cm : tensor<18x5x4xf32>, tensor<18x4x1xf32>) outs(%zeros : tensor<18x5x1xf32>) -> tensor<18x5x1xf32>
  %flat = tensor.collapse_shape %m [[0], [1, 2]] : tensor<18x5x1xf32> into tensor<18x5xf32>
  %split = tensor.expand_shape %flat [[0, 1], [2]] output_shape [2, 9, 5] : tensor<18x5xf32> into tensor<2x9x5xf32>
  return %split : tensor<2x9x5xf32>
}
