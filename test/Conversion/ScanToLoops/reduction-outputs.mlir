// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=128 rows=2" -canonicalize -cse | FileCheck %s

// Along columns, a reduction over time is added to where it is, from one step to
// the next; one over the columns is added up in registers within a step.

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[T:.*]]: memref<64xf32>, %[[C:.*]]: memref<?xf32>, %[[ALL:.*]]: memref<f32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK:         scf.if
// CHECK:         scf.for %[[STEP:.*]] = %c1{{.*}} to
// CHECK-NEXT:      %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[ZERO]], %[[S1:.*]] = %[[ZERO]])
// CHECK:             %[[IN:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NEXT:        %[[OLD:.*]] = vector.load %[[T]]
// CHECK-NEXT:        %[[NEW:.*]] = arith.addf %[[OLD]], %[[IN]] : vector<4xf32>
// CHECK-NEXT:        vector.store %[[NEW]], %[[T]]
// CHECK-NEXT:        %[[N0:.*]] = arith.addf %[[S0]], %[[IN]] : vector<4xf32>
// CHECK-NEXT:        %[[N1:.*]] = arith.addf %[[S1]], %[[IN]] : vector<4xf32>
// CHECK:             scf.yield %[[N0]], %[[N1]]
// CHECK:           %[[R0:.*]] = vector.reduction <add>, %[[SUMS]]#0 fastmath<reassoc> : vector<4xf32> into f32
// CHECK-NEXT:      %[[R1:.*]] = vector.reduction <add>, %[[SUMS]]#1 fastmath<reassoc> : vector<4xf32> into f32
// CHECK-NEXT:      %[[C0:.*]] = memref.load %[[C]][%[[STEP]]]
// CHECK-NEXT:      %[[C1:.*]] = arith.addf %[[C0]], %[[R0]] : f32
// CHECK-NEXT:      memref.store %[[C1]], %[[C]][%[[STEP]]]
// CHECK-NEXT:      %[[A0:.*]] = memref.load %[[ALL]][]
// CHECK-NEXT:      %[[A1:.*]] = arith.addf %[[A0]], %[[R1]] : f32
// CHECK-NEXT:      memref.store %[[A1]], %[[ALL]][]
func.func @columns(%x: memref<?x64xf32>, %t: memref<64xf32>, %c: memref<?xf32>, %all: memref<f32>) {
  scan.kernel dim = 0
      ins(%x : memref<?x64xf32>) outs(%t, %c, %all : memref<64xf32>, memref<?xf32>, memref<f32>)
      maps [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (c)>, affine_map<(t, c) -> (t)>, affine_map<(t, c) -> ()>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in, %in, %in : f32, f32, f32
      }
  return
}

// -----

// Along rows, a reduction over time goes from step to step in registers; one over the
// rows is in memory.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<4x?xi32>, %[[T:.*]]: memref<4xi32>, %[[R:.*]]: memref<?xi32>, %[[I:.*]]: i32)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[LAST:.*]]:4 = scf.for %[[STEP:.*]] = {{.*}} iter_args(%{{.*}} = %[[I]], %{{.*}} = %[[I]], %[[S0:.*]] = %[[ZERO]], %[[S1:.*]] = %[[ZERO]])
// CHECK:           %[[IN0:.*]] = arith.addi
// CHECK-NEXT:      %[[N0:.*]] = arith.addi %[[S0]], %[[IN0]]
// CHECK-NEXT:      %[[IN1:.*]] = arith.addi
// CHECK-NEXT:      %[[N1:.*]] = arith.addi %[[S1]], %[[IN1]]
// CHECK-NEXT:      %[[O0:.*]] = memref.load %[[R]][%[[STEP]]]
// CHECK-NEXT:      %[[A0:.*]] = arith.addi %[[O0]], %[[IN0]]
// CHECK-NEXT:      memref.store %[[A0]], %[[R]][%[[STEP]]]
// CHECK:           scf.yield %[[IN0]], %[[IN1]], %[[N0]], %[[N1]]
// CHECK:         %[[T0:.*]] = memref.load %[[T]]
// CHECK-NEXT:    %[[U0:.*]] = arith.addi %[[T0]], %[[LAST]]#2
// CHECK-NEXT:    memref.store %[[U0]], %[[T]]
// CHECK-NEXT:    %[[T1:.*]] = memref.load %[[T]]
// CHECK-NEXT:    %[[U1:.*]] = arith.addi %[[T1]], %[[LAST]]#3
// CHECK-NEXT:    memref.store %[[U1]], %[[T]]
func.func @rows(%x: memref<4x?xi32>, %t: memref<4xi32>, %r: memref<?xi32>, %i: i32) {
  scan.kernel dim = 1
      ins(%x : memref<4x?xi32>) init(%i : i32) outs(%t, %r : memref<4xi32>, memref<?xi32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (t)>]
      attributes {order = #scan.order<sequential>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } initialize {
      ^bb0(%h: i32):
        scan.yield %h : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %e: i32):
        scan.yield %in, %in : i32, i32
      }
  return
}
