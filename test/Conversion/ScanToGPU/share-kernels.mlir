// RUN: scan-opt %s --convert-scan-to-gpu | FileCheck %s

// Launches of a function whose kernels are the same have one kernel, as variants do that
// have one schedule, for extents that no condition has together.

// CHECK-LABEL: func.func @variants(
// CHECK: gpu.launch_func @scan_kernels::@variants_scan0
// CHECK: gpu.launch_func @scan_kernels::@variants_scan1
// CHECK: gpu.launch_func @scan_kernels::@variants_scan0
// CHECK-NOT: gpu.launch_func
func.func @variants(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
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
  scan.kernel dim = 0
      ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>}
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
  scan.kernel dim = 0
      ins(%y : memref<1024xf32>) outs(%x : memref<1024xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
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

// Another function has a kernel of its own: its name says where time goes.

// CHECK-LABEL: func.func @other(
// CHECK: gpu.launch_func @scan_kernels::@other_scan0
func.func @other(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
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

// CHECK: gpu.module @scan_kernels
// CHECK: gpu.func @variants_scan0(
// CHECK: gpu.func @variants_scan1(
// CHECK: gpu.func @other_scan0(
// CHECK-NOT: gpu.func
