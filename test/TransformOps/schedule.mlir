// RUN: scan-opt %s --split-input-file --transform-interpreter | FileCheck %s
// RUN: scan-opt %s --split-input-file | scan-opt --split-input-file | FileCheck %s --check-prefix=TEXT

// On scans of every kind; normalisation hands the schedule on.

// CHECK-LABEL: func.func @all_kinds
// CHECK:         scan.associative {{.*}} attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>}
// CHECK:         scan.linear_recurrence {{.*}}schedule = #scan.schedule<strategy = row, threads = 64, items = 4>
// CHECK:         scan.kernel
// CHECK:           attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>
func.func @all_kinds(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.subf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %b = scan.linear_recurrence ins(%x, %y : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse -> tensor<?xf32>
  // One that is there already is overwritten.
  %c = scan.kernel dim = 0
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.associative", "scan.linear_recurrence", "scan.kernel"]} in %root
        : (!transform.any_op) -> !transform.any_op
    // TEXT: transform.scan.set_schedule %{{.*}} <strategy = row, threads = 64, items = 4> : !transform.any_op
    transform.scan.set_schedule %scans <strategy = row, threads = 64, items = 4> : !transform.any_op
    transform.yield
  }
}

// -----

// The handle stays valid, and no operation is as good as any number.

// CHECK-LABEL: func.func @twice
// CHECK:         schedule = #scan.schedule<strategy = sequential, threads = 1024, items = 16>
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %b = scan.linear_recurrence ins(%x, %y : tensor<?xf32>, tensor<?xf32>) dim = 0 attributes {order = #scan.order<sequential>} -> tensor<?xf32>
  return %b : tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %none = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    // TEXT: transform.scan.set_schedule %{{.*}} <strategy = sequential, threads = 32, items = 16> chip = "sm_80" : !transform.any_op
    transform.scan.set_schedule %scans <strategy = sequential, threads = 32, items = 16> chip = "sm_80" : !transform.any_op
    transform.scan.set_schedule %scans <strategy = sequential, threads = 1024, items = 16> : !transform.any_op
    transform.scan.set_schedule %none <strategy = sequential, threads = 32, items = 16> : !transform.any_op
    transform.yield
  }
}

// -----

// What the cost model chooses is what --scan-assign-schedule chooses.

// CHECK-LABEL: func.func @model
// CHECK:         scan.kernel
// CHECK:           attributes {schedule = #scan.schedule<strategy = row
// CHECK:         scan.kernel
// CHECK-NOT:       schedule = #scan.schedule
// CHECK:         return
func.func @model(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %a = scan.associative ins(%x : tensor<64x512xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<64x512xf32>
  %b = scan.associative ins(%x : tensor<64x512xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<64x512xf32>
  return %a, %b : tensor<64x512xf32>, tensor<64x512xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernels = transform.scan.normalize %scans : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %kernels : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // TEXT: transform.scan.assign_schedule %{{.*}} chip = "sm_75" : !transform.any_op
    transform.scan.assign_schedule %first chip = "sm_75" : !transform.any_op
    transform.yield
  }
}
