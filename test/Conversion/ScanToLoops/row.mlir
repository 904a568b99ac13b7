// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=0 rows=2" -canonicalize -cse | FileCheck %s

// Along the innermost dimension rows are walked two at a time, with their state
// in registers; all loads of a step come before its stores.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[I:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[LAST:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[X]], %[[C1]]
// CHECK:         %[[MODULO:.*]] = arith.remui %[[N]], %[[C2]]
// CHECK-NEXT:    %[[WHOLE:.*]] = arith.subi %[[N]], %[[MODULO]]
// CHECK-NEXT:    scf.for %[[R0:.*]] = %[[C0]] to %[[WHOLE]] step %[[C2]] {
// CHECK-NEXT:      %[[R1:.*]] = arith.addi %[[R0]], %[[C1]]
// CHECK-NEXT:      %[[I0:.*]] = memref.load %[[I]][%[[R0]]]
// CHECK-NEXT:      %[[I1:.*]] = memref.load %[[I]][%[[R1]]]
// CHECK-NEXT:      %[[S:.*]]:2 = scf.for %[[STEP:.*]] = %[[C0]] to %[[T]] step %[[C1]] iter_args(%[[S0:.*]] = %[[I0]], %[[S1:.*]] = %[[I1]]) -> (f32, f32) {
// CHECK-NEXT:        %[[END:.*]] = arith.subi %[[T]], %[[C1]]
// CHECK-NEXT:        %[[TIME:.*]] = arith.subi %[[END]], %[[STEP]]
// CHECK-NEXT:        %[[X0:.*]] = memref.load %[[X]][%[[R0]], %[[TIME]]]
// CHECK-NEXT:        %[[X1:.*]] = memref.load %[[X]][%[[R1]], %[[TIME]]]
// CHECK-NEXT:        %[[N0:.*]] = arith.subf %[[X0]], %[[S0]]
// CHECK-NEXT:        %[[N1:.*]] = arith.subf %[[X1]], %[[S1]]
// CHECK-NEXT:        memref.store %[[S0]], %[[Y]][%[[R0]], %[[TIME]]]
// CHECK-NEXT:        memref.store %[[S1]], %[[Y]][%[[R1]], %[[TIME]]]
// CHECK-NEXT:        scf.yield %[[N0]], %[[N1]]
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %[[S]]#0, %[[LAST]][%[[R0]]]
// CHECK-NEXT:      memref.store %[[S]]#1, %[[LAST]][%[[R1]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[R:.*]] = %[[WHOLE]] to %[[N]] step %[[C1]] {
// CHECK-NEXT:      memref.load %[[I]][%[[R]]]
// CHECK:           scf.for {{.*}} -> (f32) {
func.func @rows(%x: memref<?x?xf32>, %i: memref<?xf32>, %y: memref<?x?xf32>, %last: memref<?xf32>) {
  scan.kernel dim = 1 reverse
      ins(%x : memref<?x?xf32>) init(%i : memref<?xf32>) outs(%y : memref<?x?xf32>) finals(%last : memref<?xf32>)
      maps [#id, #row, #id, #row]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.subf %new, %acc : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %ex : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      }
  return
}

// -----

// No init: the first step is peeled behind a test of the extent, the state of an
// empty scan is zero.

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @no_init(
// CHECK-SAME:    %[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xi32>, %[[LAST:.*]]: memref<i32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:         %[[EMPTY:.*]] = arith.cmpi eq, %[[T]], %[[C0]]
// CHECK-NEXT:    %[[FIRST:.*]] = scf.if %[[EMPTY]] -> (i32) {
// CHECK-NEXT:      scf.yield %[[ZERO]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[E:.*]] = memref.load %[[X]][%[[C0]]]
// CHECK-NEXT:      memref.store %[[E]], %[[Y]][%[[C0]]]
// CHECK-NEXT:      scf.yield %[[E]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[S:.*]] = scf.for %[[I:.*]] = %[[C1]] to %[[T]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (i32) {
// CHECK-NEXT:      %[[E:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[ACC]], %[[E]]
// CHECK-NEXT:      memref.store %[[NEXT]], %[[Y]][%[[I]]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[S]], %[[LAST]][]
func.func @no_init(%x: memref<?xi32>, %y: memref<?xi32>, %last: memref<i32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xi32>) outs(%y : memref<?xi32>) finals(%last : memref<i32>)
      maps [#id, #id, #none]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %e: i32):
        scan.yield %in : i32
      } finalize {
      ^bb0(%in: i32):
        scan.yield %in : i32
      }
  return
}

// -----

// Trailing dimensions are unrolled in row-major order.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @trailing(
// CHECK-SAME:    %[[X:.*]]: memref<?x1x2xf64>, %[[Y:.*]]: memref<?x2x1xf64>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK:         scf.for %[[I:.*]] = %[[C1]] to %{{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}) -> (f64, f64) {
// CHECK-NEXT:      %[[X0:.*]] = memref.load %[[X]][%[[I]], %[[C0]], %[[C0]]]
// CHECK-NEXT:      %[[X1:.*]] = memref.load %[[X]][%[[I]], %[[C0]], %[[C1]]]
// CHECK-NEXT:      %[[N0:.*]] = arith.mulf %[[S0]], %[[X1]]
// CHECK-NEXT:      %[[N1:.*]] = arith.addf %[[S1]], %[[X0]]
// CHECK-NEXT:      memref.store %[[N0]], %[[Y]][%[[I]], %[[C0]], %[[C0]]]
// CHECK-NEXT:      memref.store %[[N1]], %[[Y]][%[[I]], %[[C1]], %[[C0]]]
func.func @trailing(%x: memref<?x1x2xf64>, %y: memref<?x2x1xf64>) {
  scan.kernel dim = 0
      ins(%x : memref<?x1x2xf64>) outs(%y : memref<?x2x1xf64>)
      maps [#id, #id]
      load {
      ^bb0(%a: f64, %b: f64):
        scan.yield %a, %b : f64, f64
      } combine {
      ^bb0(%a0: f64, %b0: f64, %a1: f64, %b1: f64):
        %a = arith.mulf %a0, %b1 : f64
        %b = arith.addf %b0, %a1 : f64
        scan.yield %a, %b : f64, f64
      } store {
      ^bb0(%ai: f64, %bi: f64, %ae: f64, %be: f64, %a: f64, %b: f64):
        scan.yield %ai, %bi : f64, f64
      }
  return
}

// A single column, as tiling leaves it: there are no neighbours to walk with it.

// CHECK-LABEL: func.func @single_column
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK-NOT:     vector
// CHECK:         return
func.func @single_column(%x: memref<1x50x1xf32, strided<[3200, 64, 1], offset: ?>>,
                         %y: memref<1x50x1xf32, strided<[3200, 64, 1], offset: ?>>) {
  scan.kernel dim = 1 reverse
      ins(%x : memref<1x50x1xf32, strided<[3200, 64, 1], offset: ?>>) outs(%y : memref<1x50x1xf32, strided<[3200, 64, 1], offset: ?>>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
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
