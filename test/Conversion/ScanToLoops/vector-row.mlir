// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=128" -canonicalize -cse | FileCheck %s

// Four neighbouring steps at a time: they are scanned in two rounds, the state is
// combined in front, and the next state is that of the last lane. The order of
// operands is kept. Long rows begin where stores are aligned, which past the caches
// they have to be.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[I:.*]]: f32, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[ROUND2:.*]] = arith.constant dense<[false, false, true, true]>
// CHECK-DAG:     %[[ROUND1:.*]] = arith.constant dense<[false, true, true, true]>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 33554432 : index
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:         %[[BYTES:.*]] = arith.muli %[[T]], %[[C4]]
// CHECK-NEXT:    %[[LARGE:.*]] = arith.cmpi uge, %[[BYTES]], %[[LIMIT]]
// CHECK:         memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:         %[[LARGE_AND_LONG:.*]] = arith.andi %[[LARGE]], %{{.*}} : i1
// CHECK-NEXT:    %[[STREAMS:.*]] = arith.andi %[[LARGE_AND_LONG]], %{{.*}} : i1
// CHECK:         %[[HEAD:.*]] = scf.for %{{.*}} = %[[C0]] to %{{.*}} step %[[C1]] iter_args(%{{.*}} = %[[I]]) -> (f32) {
// CHECK:         %[[STATE:.*]] = vector.broadcast %[[HEAD]] : f32 to vector<4xf32>
// CHECK-NEXT:    %[[LAST:.*]] = scf.for %[[STEP:.*]] = %[[BEGIN:.*]] to %[[END:.*]] step %[[C4]] iter_args(%[[ACC:.*]] = %[[STATE]]) -> (vector<4xf32>) {
// CHECK-NEXT:      %[[E:.*]] = vector.load %[[X]][%[[STEP]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:      %[[E1:.*]] = vector.shuffle %[[E]], %[[E]] [3, 0, 1, 2]
// CHECK-NEXT:      %[[P1:.*]] = arith.subf %[[E]], %[[E1]]
// CHECK-NEXT:      %[[S1:.*]] = arith.select %[[ROUND1]], %[[P1]], %[[E]]
// CHECK-NEXT:      %[[E2:.*]] = vector.shuffle %[[S1]], %[[S1]] [2, 3, 0, 1]
// CHECK-NEXT:      %[[P2:.*]] = arith.subf %[[S1]], %[[E2]]
// CHECK-NEXT:      %[[S2:.*]] = arith.select %[[ROUND2]], %[[P2]], %[[S1]]
// CHECK-NEXT:      %[[IN:.*]] = arith.subf %[[S2]], %[[ACC]]
// CHECK-NEXT:      %[[EX:.*]] = vector.shuffle %[[IN]], %[[ACC]] [4, 0, 1, 2]
// CHECK-NEXT:      scf.if %[[STREAMS]] {
// CHECK-NEXT:        vector.store %[[EX]], %[[Y]][%[[STEP]]] {alignment = 16 : i64, nontemporal = true}
// CHECK-NEXT:      } else {
// CHECK-NEXT:        vector.store %[[EX]], %[[Y]][%[[STEP]]] :
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[LANE:.*]] = vector.shuffle %[[S2]], %[[S2]] [3, 3, 3, 3]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.subf %[[LANE]], %[[ACC]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[TAIL:.*]] = vector.extract %[[LAST]][0]
// CHECK-NEXT:    scf.for %{{.*}} = %[[END]] to %[[T]] step %[[C1]] iter_args(%{{.*}} = %[[TAIL]]) -> (f32) {
func.func @forward(%x: memref<?xf32>, %i: f32, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) init(%i : f32) outs(%y : memref<?xf32>)
      maps [#id, affine_map<(d0) -> ()>, #id]
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
      }
  return
}

// -----

// In reverse the lanes are walked downwards. Eight rows of 32 steps are neither
// aligned nor stored past the caches. The coefficient of a recurrence is combined in
// the lanes, but is no part of the state; where a product of coefficients overflows,
// steps are walked one after the other.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @recurrence_in_reverse(
// CHECK-DAG:     %[[ROUND2:.*]] = arith.constant dense<[true, true, false, false]>
// CHECK-DAG:     %[[ROUND1:.*]] = arith.constant dense<[true, true, true, false]>
// CHECK-DAG:     %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<4xf32>
// CHECK-DAG:     %[[C28:.*]] = arith.constant 28 : index
// CHECK-NOT:     extract_aligned_pointer
// CHECK:         scf.for %[[STEP:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK-NEXT:      %[[AT:.*]] = arith.subi %[[C28]], %[[STEP]]
// CHECK-NEXT:      %[[A:.*]] = vector.load %{{.*}}[%{{.*}}, %[[AT]]]
// CHECK-NEXT:      %[[B:.*]] = vector.load %{{.*}}[%{{.*}}, %[[AT]]]
// CHECK-NEXT:      vector.shuffle %[[A]], %[[A]] [1, 2, 3, 0]
// CHECK-NEXT:      %[[B1:.*]] = vector.shuffle %[[B]], %[[B]] [1, 2, 3, 0]
// CHECK:           arith.mulf %[[A]], %[[B1]]
// CHECK:           arith.select %[[ROUND1]],
// CHECK:           %[[SA:.*]] = arith.select %[[ROUND2]],
// CHECK-NEXT:      %[[SB:.*]] = arith.select %[[ROUND2]],
// CHECK-NEXT:      %[[ABS:.*]] = math.absf %[[SA]]
// CHECK-NEXT:      %[[FINITE:.*]] = arith.cmpf olt, %[[ABS]], %[[INF]]
// CHECK-NEXT:      %[[ALL:.*]] = vector.reduction <and>, %[[FINITE]]
// CHECK-NEXT:      %[[NEXT:.*]] = scf.if %[[ALL]] -> (vector<4xf32>) {
// CHECK-NEXT:        %[[AH:.*]] = arith.mulf %[[SA]], %[[ACC]]
// CHECK-NEXT:        %[[H:.*]] = arith.addf %[[AH]], %[[SB]]
// CHECK-NEXT:        vector.store %[[H]], %{{.*}}[%{{.*}}, %[[AT]]]
// CHECK-NEXT:        %[[LA:.*]] = vector.shuffle %[[SA]], %[[SA]] [0, 0, 0, 0]
// CHECK-NEXT:        %[[LB:.*]] = vector.shuffle %[[SB]], %[[SB]] [0, 0, 0, 0]
// CHECK-NEXT:        %[[LAH:.*]] = arith.mulf %[[LA]], %[[ACC]]
// CHECK-NEXT:        %[[LAST:.*]] = arith.addf %[[LAH]], %[[LB]]
// CHECK-NEXT:        scf.yield %[[LAST]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[END:.*]] = arith.addi %[[STEP]], %{{.*}}
// CHECK-NEXT:        %[[FROM:.*]] = vector.extract %[[ACC]][0]
// CHECK-NEXT:        %[[TO:.*]] = scf.for %{{.*}} = %[[STEP]] to %[[END]] {{.*}} iter_args(%{{.*}} = %[[FROM]]) -> (f32) {
// CHECK:             %[[ALL_LANES:.*]] = vector.broadcast %[[TO]]
// CHECK-NEXT:        scf.yield %[[ALL_LANES]]
func.func @recurrence_in_reverse(%a: memref<8x32xf32>, %b: memref<8x32xf32>, %y: memref<8x32xf32>) {
  scan.kernel dim = 1 reverse
      ins(%a, %b : memref<8x32xf32>, memref<8x32xf32>) outs(%y : memref<8x32xf32>)
      maps [#id, #id, #id]
      load {
      ^bb0(%c: f32, %e: f32):
        scan.yield %c, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%ai: f32, %h: f32, %ae: f32, %he: f32, %c: f32, %e: f32):
        scan.yield %h : f32
      }
  return
}

// -----

// How a scan is bracketed in `order = deterministic` does not depend on where arrays
// are: nothing is walked to reach an aligned store.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @deterministic(
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK:         arith.cmpi eq, %{{.*}}, %[[C0]]
// CHECK-NOT:     scf.for
// CHECK:         %[[LAST:.*]] = scf.for %{{.*}} = %[[C0]] to {{.*}} -> (vector<4xf32>) {
// CHECK:           nontemporal
// CHECK:         scf.for {{.*}} -> (f32) {
func.func @deterministic(%x: memref<?xf32>, %i: f32, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) init(%i : f32) outs(%y : memref<?xf32>)
      maps [#id, affine_map<(d0) -> ()>, #id]
      attributes {order = #scan.order<deterministic>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
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

// -----

// In order, or with a division that lanes without an earlier one must not do, or of
// fewer than two vectors: one step after the other.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @steps(
// CHECK-NOT:     vector<
// CHECK:         return
func.func @steps(%x: memref<?xf32>, %n: memref<?xi32>, %few: memref<7xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) outs(%x : memref<?xf32>) maps [#id, #id]
      attributes {order = #scan.order<sequential>}
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
  scan.kernel dim = 0
      ins(%n : memref<?xi32>) outs(%n : memref<?xi32>) maps [#id, #id]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.remui %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %e: i32):
        scan.yield %in : i32
      }
  scan.kernel dim = 0
      ins(%few : memref<7xf32>) outs(%few : memref<7xf32>) maps [#id, #id]
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
