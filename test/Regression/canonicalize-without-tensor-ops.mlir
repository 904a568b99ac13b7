// RUN: scan-opt %s --canonicalize | FileCheck %s

// Canonicalisation creates ops of the tensor dialect in a module that had none:
// the dialect has to be loaded.

// CHECK-LABEL: func.func @extent_zero
// CHECK: tensor.empty
func.func @extent_zero(%a: tensor<1x0xf32>, %b: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<1x0xf32>, tensor<4x0xf32>) dim = 1 -> tensor<4x0xf32>
  return %h : tensor<4x0xf32>
}
