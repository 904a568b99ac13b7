// RUN: scan-opt %s --convert-scan-to-loops="vector-bits=128 streaming-bytes=0 rows=4" --canonicalize --cse | FileCheck %s

// Rows that turn out to be shorter than two vectors are walked four at a time, step by
// step, as are those that are known to be.

#id2 = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?xf32>
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[T:.*]] = memref.dim %[[X]], %[[C1]]
// CHECK:         %[[SHORT:.*]] = arith.cmpi ult, %[[T]], %[[C8]]
// CHECK-NEXT:    scf.if %[[SHORT]] {
// CHECK:           scf.for {{.*}} step %[[C4]] {
// CHECK:             scf.for {{.*}} -> (f32, f32, f32, f32) {
// CHECK-NOT:       vector
// CHECK:         } else {
// CHECK:           scf.for {{.*}} step %[[C1]] {
// CHECK:             vector.load
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id2, #id2]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

// CHECK-LABEL: func.func @one(
// CHECK-NOT:     scf.for {{.*}} step %c4 {
func.func @one(%x: memref<1x?xf32>, %y: memref<1x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<1x?xf32>) outs(%y : memref<1x?xf32>) maps [#id2, #id2]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}
