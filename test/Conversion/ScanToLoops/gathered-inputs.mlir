// Gathered inputs in loops: neighbouring columns have one place, and are loaded at once
// where it is one; along a row each step has its own.

// RUN: scan-opt %s --convert-scan-to-loops=vector-bits=256 --canonicalize --cse | FileCheck %s

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (0, d1)>

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.+]]: memref<?x64xf32>, %[[H:.+]]: memref<?x64xf32>, %[[N:.+]]: memref<?xi32>
// CHECK:         %[[V:.+]] = arith.index_cast %{{.+}} : vector<8xi32> to vector<8xindex>
// CHECK:         %[[P:.+]] = vector.extract %[[V]][0] : index from vector<8xindex>
// CHECK:         %[[IN:.+]] = arith.cmpi ult, %[[P]], %{{.+}} : index
// CHECK:         scf.if %[[IN]] -> (vector<8xf32>) {
// CHECK:           vector.load %[[H]][%[[P]], %{{.+}}] : memref<?x64xf32>, vector<8xf32>
// CHECK:         } else {
// CHECK:           scf.yield %{{.+}} : vector<8xf32>
func.func @columns(%x: memref<?x64xf32>, %h: memref<?x64xf32>, %n: memref<?xi32>, %y: memref<?x64xf32>) {
  scan.kernel dim = 0
      ins(%x, %h, %n : memref<?x64xf32>, memref<?x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>)
      maps [#tc, #c, #t, #tc]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      }
  return
}

// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>, %[[H:.+]]: memref<?xf32>, %[[N:.+]]: memref<?xi32>
// CHECK:         %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : vector<[[W:[0-9]+]]xindex>
// CHECK:         %[[ANY:.+]] = vector.reduction <or>, %[[IN]] : vector<[[W]]xi1> into i1
// CHECK:         scf.if %[[ANY]] -> (vector<[[W]]xf32>) {
// CHECK:           scf.if
// CHECK:             memref.load %[[H]]
// CHECK:           vector.from_elements
func.func @row(%x: memref<?xf32>, %h: memref<?xf32>, %n: memref<?xi32>, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x, %h, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      }
  return
}
