// RUN: scan-opt %s --split-input-file --transform-interpreter | FileCheck %s

// Producers and consumers of one kernel, through a chain and an extent that is
// asked of an elementwise result; the other scan keeps its own.

// CHECK-LABEL: func.func @one_of_two
// CHECK-SAME:    (%[[G:.+]]: tensor<?x?xf32>, %[[X:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     math.tanh
// CHECK-NOT:     arith.negf
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK:           attributes {fused}
// CHECK:           load {
// CHECK:             arith.negf
// CHECK:             math.tanh
// CHECK:           store {
// CHECK:             math.absf
// CHECK:         }
// CHECK:         math.exp %[[G]]
// CHECK:         scan.kernel
// CHECK:           load {
// CHECK-NOT:         math.exp
func.func @one_of_two(%g: tensor<?x?xf32>, %x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.negf %g : tensor<?x?xf32>
  %t = math.tanh %n : tensor<?x?xf32>
  %d0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%t, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  %empty = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %abs = linalg.map { math.absf } ins(%h : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>)
  %e = math.exp %g : tensor<?x?xf32>
  %other = scan.linear_recurrence ins(%e, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?xf32>
  return %abs, %other : tensor<?x?xf32>, tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %tanh = transform.structured.match ops{["math.tanh"]} in %root : (!transform.any_op) -> !transform.any_op
    %map = transform.structured.match ops{["linalg.map"]} in %root : (!transform.any_op) -> !transform.any_op
    %scans = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernels = transform.scan.normalize %scans : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %kernels : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused = transform.scan.fuse_elementwise %first : (!transform.any_op) -> !transform.any_op
    transform.annotate %fused "fused" : !transform.any_op
    // Handles to what was inlined are valid, and empty.
    transform.annotate %tanh "still_there" : !transform.any_op
    transform.annotate %map "still_there" : !transform.any_op
    transform.yield
  }
}

// -----

// Nothing to fuse; a result that nobody uses is dropped, and the handle follows.

// CHECK-LABEL: func.func @nothing
// CHECK:         %{{[0-9]+}} = scan.kernel
// CHECK:         attributes {fused}
func.func @nothing(%a: tensor<?xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %h, %last = scan.linear_recurrence ins(%a, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>, tensor<f32>
  return %h : tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.normalize %scans : (!transform.any_op) -> !transform.any_op
    %fused = transform.scan.fuse_elementwise %kernel : (!transform.any_op) -> !transform.any_op
    %one = transform.split_handle %fused : (!transform.any_op) -> (!transform.any_op)
    transform.annotate %one "fused" : !transform.any_op
    transform.yield
  }
}

// -----

// A kernel that nobody uses disappears.

// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    return
func.func @dead(%a: tensor<?xf32>, %x: tensor<?xf32>) {
  %e = math.exp %a : tensor<?xf32>
  %h = scan.linear_recurrence ins(%e, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.normalize %scans : (!transform.any_op) -> !transform.any_op
    %fused = transform.scan.fuse_elementwise %kernel : (!transform.any_op) -> !transform.any_op
    transform.annotate %fused "not_there" : !transform.any_op
    transform.yield
  }
}
