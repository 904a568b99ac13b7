// What was renamed is read under its former name for one release, and printed
// under the one that it has now.

// RUN: scan-opt %s | FileCheck %s
// RUN: scan-opt %s --pass-pipeline='builtin.module(gpu.module(scan-wide-accesses-to-ptx))' | FileCheck %s
// RUN: scan-opt %s --scan-fuse-sums --scan-fuse-starts=max-points=0 | FileCheck %s --check-prefix=PASSES

// CHECK-LABEL: func.func @op(
// CHECK:         scan.head_flags %{{.+}} extent(%{{.+}}) reverse : tensor<?xi32> -> tensor<?xi1>
// PASSES-LABEL: func.func @op(
// PASSES-NOT:     scan.head_flags
// PASSES:         return
func.func @op(%offsets: tensor<?xi32>, %steps: index) -> tensor<?xi1> {
  %0 = scan.starts %offsets extent(%steps) reverse : tensor<?xi32> -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// CHECK-LABEL: func.func @attribute(
// CHECK:         scan.kernel
// CHECK:         attributes {segment_offsets = array<i1: false, true>}
func.func @attribute(%x: tensor<?xf32>, %cu_seqlens: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %cu_seqlens : tensor<?xf32>, tensor<?xi32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {starts = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %s = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %s : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @both(
// CHECK:         scan.kernel
// CHECK:         attributes {bidirectional = 1 : i64}
func.func @both(%x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0:2 = scan.kernel dim = 0
      ins(%x : tensor<3xi32>) outs(%y, %y : tensor<3xi32>, tensor<3xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {opposite = 1 : i64}
      load {
      ^bb0(%e: i32):
        scan.yield %e, %e : i32, i32
      } combine {
      ^bb0(%x0: i32, %y0: i32, %x1: i32, %y1: i32):
        %s = arith.addi %x0, %x1 : i32
        %t = arith.addi %y0, %y1 : i32
        scan.yield %s, %t : i32, i32
      } store {
      ^bb0(%up_to: i32, %from: i32, %before: i32, %behind: i32, %e: i32):
        scan.yield %up_to, %from : i32, i32
      } -> tensor<3xi32>, tensor<3xi32>
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}
