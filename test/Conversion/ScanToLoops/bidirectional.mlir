// Scans in both directions.

// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=0 rows=2" -canonicalize -cse -verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Each few rows are walked forward, and then, when they are in the cache,
// in reverse.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x64xf32>, %[[Z:.*]]: memref<?x64xf32>)
// CHECK:         scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {{{$}}
// CHECK:           scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-NEXT:        %[[E:.*]] = memref.load %[[X]][%[[R]], %[[T]]]
// CHECK:             arith.addf
// CHECK:             memref.store %{{.*}}, %[[Y]][%[[R]], %[[T]]]
// CHECK:           scf.for %[[U:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-NEXT:        %[[TIME:.*]] = arith.subi %{{.*}}, %[[U]]
// CHECK:             memref.load %[[X]][%[[R]], %[[TIME]]]
// CHECK:             arith.subf
// CHECK:             memref.store %{{.*}}, %[[Z]][%[[R]], %[[TIME]]]
// CHECK:         return
func.func @rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x64xf32>) outs(%y, %z : memref<?x64xf32>, memref<?x64xf32>)
      maps [#id, #id, #id]
      attributes {bidirectional = 1 : i64}
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
        scan.yield %up_to, %from : f32, f32
      }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Columns: each block of so many that a second-level cache holds all of their steps is walked forward, and then in
// reverse.
// CHECK-LABEL: func.func @columns(
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c256 {
// CHECK:           scf.for %{{.*}} = %c1 to %c1024 step %c1 {
// CHECK:             arith.addf
// CHECK:           scf.for %{{.*}} = %c1 to %c1024 step %c1 {
// CHECK:             arith.subf
// CHECK:         return
func.func @columns(%x: memref<1024x?xf32>, %y: memref<1024x?xf32>, %z: memref<1024x?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1024x?xf32>) outs(%y, %z : memref<1024x?xf32>, memref<1024x?xf32>)
      maps [#id, #id, #id]
      attributes {bidirectional = 1 : i64}
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
        scan.yield %up_to, %from : f32, f32
      }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// States would have to be kept.
func.func @mixed(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected outputs of one direction each on memrefs, found one that depends on leaves of both, which takes memory for states where it is not computed in one tile of a GPU's block; run scan-bidirectional=split before bufferization}}
  scan.kernel dim = 1
      ins(%x : memref<?x64xf32>) outs(%y, %z : memref<?x64xf32>, memref<?x64xf32>)
      maps [#id, #id, #id]
      attributes {bidirectional = 1 : i64}
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
