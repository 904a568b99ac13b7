// RUN: scan-opt %s --split-input-file --transform-interpreter | FileCheck %s

// One scan of two; the handle to its kernel is right.

// CHECK-LABEL: func.func @one_of_two
// CHECK:         %[[FIRST:.+]] = scan.kernel
// CHECK-SAME:      {{ reverse$}}
// CHECK:         attributes {first_kernel}
// CHECK:         scan.linear_recurrence
func.func @one_of_two(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xbf16>) {
  %x = scan.linear_recurrence ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) dim = 0 reverse -> tensor<?xbf16>
  %y = scan.linear_recurrence ins(%a, %x : tensor<?xbf16>, tensor<?xbf16>) dim = 0 -> tensor<?xbf16>
  return %x, %y : tensor<?xbf16>, tensor<?xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %scans : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %kernel = transform.scan.normalize %first : (!transform.any_op) -> !transform.op<"scan.kernel">
    transform.annotate %kernel "first_kernel" : !transform.op<"scan.kernel">
    transform.yield
  }
}

// -----

// A kernel stays, a scan without elements leaves no kernel.

// CHECK-LABEL: func.func @mixed
// CHECK-NOT:     scan.associative
// CHECK:         scan.kernel
// CHECK:         attributes {is_kernel}
// CHECK-NOT:     scan.kernel
func.func @mixed(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x0xf32>) -> (tensor<?xf32>, tensor<?x0xf32>) {
  %a = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.subf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %b = scan.associative ins(%z : tensor<?x0xf32>) dim = 0 {
  ^bb0(%acc: tensor<0xf32>, %new: tensor<0xf32>):
    %s = arith.subf %acc, %new : tensor<0xf32>
    scan.yield %s : tensor<0xf32>
  } -> tensor<?x0xf32>
  return %a, %b : tensor<?xf32>, tensor<?x0xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %once = transform.scan.normalize %scans : (!transform.any_op) -> !transform.any_op
    %twice = transform.scan.normalize %once : (!transform.any_op) -> !transform.any_op
    // Fails unless there is one.
    %one = transform.split_handle %twice : (!transform.any_op) -> (!transform.any_op)
    transform.annotate %one "is_kernel" : !transform.any_op
    transform.yield
  }
}
