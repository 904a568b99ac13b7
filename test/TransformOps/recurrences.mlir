// RUN: scan-opt %s --split-input-file --transform-interpreter | FileCheck %s
// RUN: scan-opt %s --split-input-file | scan-opt --split-input-file | FileCheck %s --check-prefix=TEXT

// The schedule of te.scan's tutorial for two stages, unrolled.

// CHECK-LABEL: func.func @stages
// CHECK:         scan.recurrence {{.*}}scan.loops = #scan.loops<unroll = 2>
// CHECK:           arith.mulf {{.*}} {scan.stage = #scan.stage<inside>}
// CHECK:           arith.negf {{.*}} {scan.stage = #scan.stage<inside>}
// CHECK:           arith.addf {{.*}} {scan.stage = #scan.stage<split = [32], vector = 8>}
func.func @stages(%x: tensor<9x100xf32>, %i: tensor<1x100xf32>) -> tensor<9x100xf32> {
  %h = scan.recurrence ins(%x : tensor<9x100xf32>) init(%i : tensor<1x100xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<100xf32>, %row: tensor<100xf32>):
    %square = arith.mulf %h1, %h1 : tensor<100xf32>
    %minus = arith.negf %square : tensor<100xf32>
    %sum = arith.addf %minus, %row : tensor<100xf32>
    scan.yield %sum : tensor<100xf32>
  } -> tensor<9x100xf32>
  return %h : tensor<9x100xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %square = transform.structured.match ops{["arith.mulf"]} in %scan : (!transform.any_op) -> !transform.any_op
    %minus = transform.structured.match ops{["arith.negf"]} in %scan : (!transform.any_op) -> !transform.any_op
    %sum = transform.structured.match ops{["arith.addf"]} in %scan : (!transform.any_op) -> !transform.any_op
    // TEXT: transform.scan.split_stage %{{.*}} by [32] vector = 8 : !transform.any_op
    transform.scan.split_stage %sum by [32] vector = 8 : !transform.any_op
    // TEXT: transform.scan.compute_at %{{.*}} in %{{.*}} : !transform.any_op, !transform.any_op
    transform.scan.compute_at %minus in %sum : !transform.any_op, !transform.any_op
    transform.scan.compute_at %square in %minus : !transform.any_op, !transform.any_op
    // TEXT: transform.scan.unroll_time %{{.*}} by 2 : !transform.any_op
    transform.scan.unroll_time %scan by 4 : !transform.any_op
    transform.scan.unroll_time %scan by 2 : !transform.any_op
    transform.yield
  }
}

// -----

// A vector without a split; lanes that are bound to threads in blocks of 256; time that
// threads split, where the steps are those of a scan.

// CHECK-LABEL: func.func @bound
// CHECK:         scan.recurrence {{.*}}scan.schedule = #scan.schedule<strategy = column, threads = 256, items = 8>
// CHECK:           arith.addf {{.*}} {scan.stage = #scan.stage<vector = 4>}
// CHECK:         scan.recurrence {{.*}}scan.schedule = #scan.schedule<strategy = sequential, threads = 256, items = 4>
// CHECK:           math.tanh
func.func @bound(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %sum = arith.addf %h1, %row : tensor<?xf32>
    scan.yield %sum : tensor<?xf32>
  } -> tensor<?x?xf32>
  %g = scan.recurrence ins(%h : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %sum = arith.mulf %h1, %row : tensor<?xf32>
    %next = math.tanh %sum : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %sum = transform.structured.match ops{["arith.addf"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.scan.split_stage %sum vector = 4 : !transform.any_op
    transform.scan.set_schedule %scans <strategy = sequential, threads = 256, items = 4> : !transform.any_op
    %first, %second = transform.split_handle %scans : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.scan.set_schedule %first <strategy = column, threads = 256, items = 8> : !transform.any_op
    transform.yield
  }
}

// -----

// What upstream has operations for: structured operations in a body are tiled and fused
// there.

// CHECK-LABEL: func.func @upstream
// CHECK:         scan.recurrence
// CHECK:           scf.for {{.*}} step %c32
// CHECK:             linalg.generic
// CHECK:               math.tanh
// CHECK:             linalg.matmul
// CHECK:           scan.yield
func.func @upstream(%x: tensor<9x64x8xf32>, %i: tensor<1x64x8xf32>, %w: tensor<8x8xf32>) -> tensor<9x64x8xf32> {
  %h = scan.recurrence ins(%x : tensor<9x64x8xf32>) init(%i : tensor<1x64x8xf32>) captures(%w : tensor<8x8xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<64x8xf32>, %row: tensor<64x8xf32>, %weights: tensor<8x8xf32>):
    %empty = tensor.empty() : tensor<64x8xf32>
    %small = linalg.map { math.tanh } ins(%h1 : tensor<64x8xf32>) outs(%empty : tensor<64x8xf32>)
    %next = linalg.matmul ins(%small, %weights : tensor<64x8xf32>, tensor<8x8xf32>) outs(%row : tensor<64x8xf32>) -> tensor<64x8xf32>
    scan.yield %next : tensor<64x8xf32>
  } -> tensor<9x64x8xf32>
  return %h : tensor<9x64x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %map = transform.structured.match ops{["linalg.map"]} in %root : (!transform.any_op) -> !transform.any_op
    %small = transform.structured.generalize %map : (!transform.any_op) -> !transform.any_op
    %product = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %product tile_sizes [32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %containing = transform.structured.fuse_into_containing_op %small into %loop
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Launches for each step, in place of a schedule that is there; a short loop is no obstacle.

// CHECK-LABEL: func.func @launched
// CHECK:         scan.recurrence {{.*}} attributes {scan.schedule = #scan.step_launches} {
// CHECK:           scf.for
func.func @launched(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> tensor<?x4xi32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64>} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = scf.for %l = %c0 to %c4 step %c1 iter_args(%r = %row) -> (tensor<4xi32>) {
      %e = tensor.extract %h1[%l] : tensor<4xi32>
      %n = tensor.insert %e into %r[%l] : tensor<4xi32>
      scf.yield %n : tensor<4xi32>
    }
    scan.yield %s : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %h : tensor<?x4xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // TEXT: transform.scan.launch_steps %{{.*}} : !transform.any_op
    transform.scan.launch_steps %scan : !transform.any_op
    transform.yield
  }
}
