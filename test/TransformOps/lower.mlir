// RUN: scan-opt %s --split-input-file --transform-interpreter | FileCheck %s

#m = affine_map<(d0, d1) -> (d0, d1)>

// One kernel to loops, one to a launch, in one function.

// CHECK-LABEL: func.func @both
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         vector
// CHECK:         } {outer_loop}
// CHECK-NOT:     outer_loop
// CHECK:         gpu.launch_func @scan_kernels::@both_scan0
// CHECK-SAME:      {the_launch}
// CHECK:       gpu.module @scan_kernels
// CHECK:         gpu.func @both_scan0
// CHECK-SAME:      the_func
func.func @both(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  scan.kernel dim = 1 ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) maps [#m, #m]
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
      }
  scan.kernel dim = 1 reverse ins(%y : memref<4x8xf32>) outs(%y : memref<4x8xf32>) maps [#m, #m]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.mulf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %kernels = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %kernels : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %loops = transform.scan.lower_to_loops %first vector_bits = 0 state_bytes = 64 rows = 4 : (!transform.any_op) -> !transform.op<"scf.for">
    transform.annotate %loops "outer_loop" : !transform.op<"scf.for">
    transform.scan.set_schedule %second <strategy = row, threads = 32, items = 1> : !transform.any_op
    %launch, %func = transform.scan.lower_to_gpu %second : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %launch "the_launch" : !transform.any_op
    transform.annotate %func "the_func" : !transform.any_op
    transform.yield
  }
}

// -----

// Both into the gpu.module that is there; names that are taken are not taken
// again.

#m = affine_map<(d0) -> (d0)>

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:         gpu.module @scan_kernels
// CHECK:           gpu.func @two_scan0() kernel
// CHECK:           gpu.func @two_scan1(
// CHECK:           gpu.func @two_scan2(
// CHECK:         func.func @two
// CHECK:           gpu.launch_func @scan_kernels::@two_scan1
// CHECK:           gpu.launch_func @scan_kernels::@two_scan2
// CHECK-NOT:     gpu.module
module attributes {gpu.container_module} {
  gpu.module @scan_kernels {
    gpu.func @two_scan0() kernel {
      gpu.return
    }
  }
  func.func @two(%x: memref<8xf32>, %y: memref<8xf32>) {
    scan.kernel dim = 0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
        attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
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
        }
    scan.kernel dim = 0 ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
        attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
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
        }
    return
  }
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %kernels = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %launch, %func = transform.scan.lower_to_gpu %kernels : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
