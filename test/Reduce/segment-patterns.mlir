// One walk instead of one per segment, where types allow it.

// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-segments | FileCheck %s

// CHECK-LABEL: func.func @offsets(
// CHECK: scan.linear_recurrence
// CHECK-NOT: segments
// CHECK: return
func.func @offsets(%x: tensor<8xf32>, %i: f32, %s: tensor<3xi32>) -> tensor<8xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) init(%i : f32) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @flags(
// CHECK: scan.associative
// CHECK-NOT: segments
// CHECK: return
func.func @flags(%x: tensor<8xf32>, %s: tensor<8xi1>) -> (tensor<8xf32>, tensor<f32>) {
  %y, %last = scan.associative ins(%x : tensor<8xf32>) segments(%s : tensor<8xi1>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<8xf32>, tensor<f32>
  return %y, %last : tensor<8xf32>, tensor<f32>
}

// There would be other final states.
// CHECK-LABEL: func.func @finals(
// CHECK: segments(
func.func @finals(%x: tensor<8xf32>, %s: tensor<3xi32>) -> tensor<2xf32> {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8xf32>, tensor<2xf32>
  return %last : tensor<2xf32>
}

// An init per segment needs them, and so does one per step.
// CHECK-LABEL: func.func @inits(
// CHECK: segments(
// CHECK: segments(
func.func @inits(%x: tensor<8xf32>, %i: tensor<2xf32>, %s: tensor<3xi32>, %f: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) init(%i : tensor<2xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8xf32>
  %z = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) init(%x : tensor<8xf32>) segments(%f : tensor<8xi1>) dim = 0 -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
