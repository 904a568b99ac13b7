// RUN: scan-opt %s --scan-assign-schedule | FileCheck %s
// RUN: scan-opt %s --scan-assign-schedule=max-variants=2 | FileCheck %s --check-prefix=TWO
// RUN: scan-opt %s --scan-assign-schedule=dispatch=false | FileCheck %s --check-prefix=OFF
// RUN: scan-opt %s --scan-assign-schedule=variant=1 | FileCheck %s --check-prefix=OFF

// A bidirectional kernel that is run with extents that a tile holds has variants with smaller tiles. Each is
// right for its extents only: no launcher may take another one (scan.variant).

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @tiles
// CHECK-NOT:   scan.variant
// CHECK:       %[[STEPS:.*]] = memref.dim %{{.*}}, %c1
// CHECK:       %[[P:.*]] = arith.cmpi slt, %[[STEPS]], %c63
// CHECK:       scf.if %[[P]]
// CHECK:         attributes {bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 62>, schedule = #scan.schedule<strategy = row, threads = 32, items = 2>}
// CHECK:       } else {
// CHECK:         %[[Q:.*]] = arith.cmpi slt, %[[STEPS]], %c251
// CHECK:         scf.if %[[Q]]
// CHECK:         attributes {bidirectional = 1 : i64, scan.steps_range = array<i64: 63, 250>, schedule = #scan.schedule<strategy = row, threads = 32, items = 8>}
// CHECK:       } else {
// CHECK:         attributes {bidirectional = 1 : i64, scan.steps_range = array<i64: 251, 1000>, schedule = #scan.schedule<strategy = row, items = 8>}
// CHECK-NOT:   scan.variant
// TWO:         array<i64: 0, 250>
// TWO:         array<i64: 251, 1000>
// OFF-NOT:     scf.if
// OFF:         attributes {bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 1000>, schedule = #scan.schedule<strategy = row, items = 8>}
func.func @tiles(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>)
      maps [#id, #id, #id]
      attributes {bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 1000>}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.subf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
        %p = arith.mulf %up_to, %from : f32
        scan.yield %up_to, %p : f32, f32
      }
  return
}
