// RUN: scan-opt %s -convert-scan-to-loops -canonicalize -cse | FileCheck %s
// RUN: scan-opt %s -convert-scan-to-loops | FileCheck %s --check-prefix=RAW

// Extents that belong to one dimension of the domain are compared at run time
// unless both are static.

#id = affine_map<(d0, d1) -> (d0, d1)>
#shared = affine_map<(d0, d1) -> (0, d1)>

// CHECK-LABEL: func.func @checks(
// CHECK-SAME:    %[[A:.*]]: memref<1x?xf32>, %[[B:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<4x?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[D1:.*]] = memref.dim %[[A]], %[[C1]]
// CHECK-NEXT:    %[[E1:.*]] = arith.cmpi eq, %[[D1]], %[[C8]]
// CHECK-NEXT:    cf.assert %[[E1]], "{{.*}}extents.mlir:[[#@LINE+9]]: scan: expected dimension 1 of input #0 to have extent 8"
// CHECK-NEXT:    %[[D2:.*]] = memref.dim %[[B]], %[[C0]]
// CHECK:         cf.assert %{{.*}}, "{{.*}}: scan: expected dimension 0 of input #1 to have extent 4"
// CHECK-NOT:     dimension 1 of input #1
// CHECK-NOT:     dimension 0 of output #0
// CHECK:         cf.assert %{{.*}}, "{{.*}}: scan: expected dimension 1 of output #0 to have extent 8"
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @checks(%a: memref<1x?xf32>, %b: memref<?x8xf32>, %y: memref<4x?xf32>) {
  scan.kernel dim = 1
      ins(%a, %b : memref<1x?xf32>, memref<?x8xf32>) outs(%y : memref<4x?xf32>)
      maps [#shared, #id, #id]
      load {
      ^bb0(%p: f32, %q: f32):
        %s = arith.mulf %p, %q : f32
        scan.yield %s : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32, %q: f32):
        scan.yield %in : f32
      }
  return
}

// A domain without dynamic extents has no checks.
// RAW-LABEL: func.func @static(
// RAW-NOT:     cf.assert
// RAW:         return
func.func @static(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
      maps [#id, #id]
      load {
      ^bb0(%p: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32):
        scan.yield %in : f32
      }
  return
}
