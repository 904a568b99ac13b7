// RUN: scan-opt %s --convert-scan-to-loops=vector-bits=256 --canonicalize --cse --split-input-file | FileCheck %s

// Steps that take long, one after the other: a vector has an element of each of eight
// rows, and two vectors are walked at a time.

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @tanh(
// CHECK-SAME:      %[[X:.+]]: memref<?x?xf32>, %[[INIT:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?x?xf32>, %[[LAST:.+]]: memref<?xf32>
// CHECK:         scf.for %[[I:.+]] = %c0 to %{{.+}} step %c16 {
// CHECK-DAG:       vector.load %[[INIT]][%[[I]]] : memref<?xf32>, vector<8xf32>
// CHECK:           scf.for %[[T:.+]] = %c0 to %{{.+}} step %c1 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-8:     memref.load %[[X]]
// CHECK:             vector.from_elements {{.*}} : vector<8xf32>
// CHECK-COUNT-8:     memref.load %[[X]]
// CHECK:             vector.from_elements {{.*}} : vector<8xf32>
// CHECK-COUNT-2:     math.tanh %{{.+}} : vector<8xf32>
// CHECK-COUNT-16:    memref.store %{{.+}}, %[[Y]]
// CHECK:           vector.store %{{.+}}, %[[LAST]][%[[I]]] : memref<?xf32>, vector<8xf32>
// CHECK:         scf.for %{{.+}} step %c8 {
// CHECK:           math.tanh %{{.+}} : vector<8xf32>
// CHECK:         scf.for %{{.+}} step %c1 {
// CHECK:           math.tanh %{{.+}} : f32
func.func @tanh(%x: memref<?x?xf32>, %init: memref<?xf32>, %y: memref<?x?xf32>, %last: memref<?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) init(%init : memref<?xf32>) outs(%y : memref<?x?xf32>) finals(%last : memref<?xf32>)
      maps [#all, #rows, #all, #rows]
      attributes {order = #scan.order<sequential>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        %t = math.tanh %s : f32
        scan.yield %t : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } finalize {
      ^bb0(%state: f32):
        scan.yield %state : f32
      }
  return
}

// -----

// What is short is walked row by row: its elements are loaded one by one.

#all = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.+}} step %c4
// CHECK-NOT:     vector
// CHECK:         return
func.func @short(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#all, #all]
      attributes {order = #scan.order<sequential>}
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
