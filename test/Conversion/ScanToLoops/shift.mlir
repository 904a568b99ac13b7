// RUN: scan-opt %s --convert-scan-to-loops --canonicalize | FileCheck %s

// A shifted input is read where it has an element, the boundary elsewhere: one
// unsigned comparison says which.

// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[X:[^:]+]]: memref<?xf32>, %[[B:[^:]+]]: f32,
// CHECK-DAG:     %[[N:.+]] = memref.dim %[[X]], %{{.+}}
// CHECK:         scf.for %[[T:[^ ]+]] =
// CHECK:           %[[FROM:.+]] = arith.subi %[[T]], %{{.+}} : index
// CHECK:           %[[IN:.+]] = arith.cmpi ult, %[[FROM]], %[[N]] : index
// CHECK:           %[[V:.+]] = scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:        %[[E:.+]] = memref.load %[[X]][%[[FROM]]]
// CHECK-NEXT:        scf.yield %[[E]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[B]]
func.func @row(%x: memref<?xf32>, %b: f32, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x, %b : memref<?xf32>, f32) outs(%y : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
      attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: 2, 0>}
      load {
      ^bb0(%e: f32, %c: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %c: f32):
        scan.yield %in : f32
      }
  return
}
