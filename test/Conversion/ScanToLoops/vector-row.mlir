// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=128" -canonicalize -cse | FileCheck %s

// Tiles of four vectors: their blocks of 4 by 4 are transposed, so that each lane has
// four neighbouring steps, which are combined one after the other; the last ones are
// scanned over the lanes in two rounds. Then the state and the lanes before are
// combined in front, blocks are transposed back, and the next state is that of the last
// lane. The order of operands is kept. Long rows begin where stores are aligned, which
// past the caches they have to be. Vectors are what is left over, the last one of which
// may be partial.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[I:.*]]: f32, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[ROUND2:.*]] = arith.constant dense<[false, false, true, true]>
// CHECK-DAG:     %[[ROUND1:.*]] = arith.constant dense<[false, true, true, true]>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
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
// CHECK-NEXT:    %[[LAST:.*]] = scf.for %[[STEP:.*]] = %[[BEGIN:.*]] to %[[END:.*]] step %[[C16]] iter_args(%[[ACC:.*]] = %[[STATE]]) -> (vector<4xf32>) {
// CHECK-NEXT:      %[[LATER:.*]] = arith.addi %[[STEP]], %c512
// CHECK-NEXT:      memref.prefetch %{{.*}}[%[[LATER]]], read, locality<3>, data
// CHECK:           %[[E0:.*]] = vector.load %[[X]][%[[STEP]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:      %[[E1:.*]] = vector.load
// CHECK-NEXT:      %[[E2:.*]] = vector.load
// CHECK-NEXT:      %[[E3:.*]] = vector.load
// CHECK-NEXT:      %[[P0:.*]] = vector.shuffle %[[E0]], %[[E1]] [0, 4, 1, 5]
// CHECK-NEXT:      %[[P1:.*]] = vector.shuffle %[[E0]], %[[E1]] [2, 6, 3, 7]
// CHECK-NEXT:      %[[P2:.*]] = vector.shuffle %[[E2]], %[[E3]] [0, 4, 1, 5]
// CHECK-NEXT:      %[[P3:.*]] = vector.shuffle %[[E2]], %[[E3]] [2, 6, 3, 7]
// CHECK-NEXT:      %[[T0:.*]] = vector.shuffle %[[P0]], %[[P2]] [0, 1, 4, 5]
// CHECK-NEXT:      %[[T1:.*]] = vector.shuffle %[[P0]], %[[P2]] [2, 3, 6, 7]
// CHECK-NEXT:      %[[T2:.*]] = vector.shuffle %[[P1]], %[[P3]] [0, 1, 4, 5]
// CHECK-NEXT:      %[[T3:.*]] = vector.shuffle %[[P1]], %[[P3]] [2, 3, 6, 7]
// CHECK-NEXT:      %[[S1:.*]] = arith.subf %[[T1]], %[[T0]]
// CHECK-NEXT:      %[[S2:.*]] = arith.subf %[[T2]], %[[S1]]
// CHECK-NEXT:      %[[S3:.*]] = arith.subf %[[T3]], %[[S2]]
// CHECK-NEXT:      %[[M1:.*]] = vector.shuffle %[[S3]], %[[S3]] [3, 0, 1, 2]
// CHECK-NEXT:      %[[Q1:.*]] = arith.subf %[[S3]], %[[M1]]
// CHECK-NEXT:      %[[R1:.*]] = arith.select %[[ROUND1]], %[[Q1]], %[[S3]]
// CHECK-NEXT:      %[[M2:.*]] = vector.shuffle %[[R1]], %[[R1]] [2, 3, 0, 1]
// CHECK-NEXT:      %[[Q2:.*]] = arith.subf %[[R1]], %[[M2]]
// CHECK-NEXT:      %[[R2:.*]] = arith.select %[[ROUND2]], %[[Q2]], %[[R1]]
// CHECK-NEXT:      %[[M:.*]] = vector.shuffle %[[R2]], %[[R2]] [3, 0, 1, 2]
// CHECK-NEXT:      %[[Q:.*]] = arith.subf %[[M]], %[[ACC]]
// CHECK-NEXT:      %[[EARLIER:.*]] = arith.select %[[ROUND1]], %[[Q]], %[[ACC]]
// CHECK-NEXT:      %[[I0:.*]] = arith.subf %[[T0]], %[[EARLIER]]
// CHECK-NEXT:      %[[I1:.*]] = arith.subf %[[S1]], %[[EARLIER]]
// CHECK-NEXT:      %[[I2:.*]] = arith.subf %[[S2]], %[[EARLIER]]
// CHECK-NEXT:      %[[I3:.*]] = arith.subf %[[S3]], %[[EARLIER]]
// CHECK:           %[[IN0:.*]] = vector.shuffle %{{.*}} [0, 1, 4, 5]
// CHECK-NEXT:      %[[IN1:.*]] = vector.shuffle %{{.*}} [2, 3, 6, 7]
// CHECK:           %[[EX0:.*]] = vector.shuffle %[[ACC]], %[[IN0]] [3, 4, 5, 6]
// CHECK-NEXT:      %[[EX1:.*]] = vector.shuffle %[[IN0]], %[[IN1]] [3, 4, 5, 6]
// CHECK:           scf.if %[[STREAMS]] {
// CHECK-NEXT:        vector.store %[[EX0]], %[[Y]][%[[STEP]]] {alignment = 16 : i64, nontemporal = true}
// CHECK-NEXT:        vector.store %[[EX1]], %[[Y]]{{.*}} {alignment = 16 : i64, nontemporal = true}
// CHECK:           } else {
// CHECK-NEXT:        vector.store %[[EX0]], %[[Y]][%[[STEP]]] :
// CHECK:           }
// CHECK-NEXT:      %[[LANE:.*]] = vector.shuffle %[[R2]], %[[R2]] [3, 3, 3, 3]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.subf %[[LANE]], %[[ACC]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NEXT:    }
// CHECK:         scf.for %{{.*}} = %[[END]] to %[[REST:.*]] step %[[C4]] {{.*}} -> (vector<4xf32>) {
// CHECK:         scf.for %[[AT:.*]] = %[[REST]] to %[[T]] step %[[C4]] {{.*}} -> (vector<4xf32>) {
// CHECK-NEXT:      %[[COUNT:.*]] = arith.subi %[[T]], %[[AT]]
// CHECK-NEXT:      %[[LANES:.*]] = arith.minsi %[[COUNT]], %[[C4]]
// CHECK-NEXT:      %[[WORD:.*]] = arith.index_cast %[[LANES]] : index to i32
// CHECK-NEXT:      %[[COUNTS:.*]] = vector.broadcast %[[WORD]]
// CHECK-NEXT:      %[[MASK:.*]] = arith.cmpi sgt, %[[COUNTS]], %{{.*}} : vector<4xi32>
// CHECK-NEXT:      vector.maskedload %[[X]][%[[AT]]], %[[MASK]], %{{.*}}
// CHECK:           vector.maskedstore %[[Y]][%[[AT]]], %[[MASK]], %{{.*}}
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

// What is left of a row behind its tiles is walked a vector at a time, in reverse with its lanes
// downwards. They are neither aligned nor stored past the caches. The coefficient of a recurrence is combined in
// the lanes, but is no part of the state; where a product of coefficients overflows,
// steps are walked one after the other. The first vector has no state in front.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @recurrence_in_reverse(
// CHECK-DAG:     %[[ROUND2:.*]] = arith.constant dense<[true, true, false, false]>
// CHECK-DAG:     %[[ROUND1:.*]] = arith.constant dense<[true, true, true, false]>
// CHECK-DAG:     %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<4xf32>
// CHECK-DAG:     %[[C20:.*]] = arith.constant 20 : index
// CHECK-NOT:     extract_aligned_pointer
// CHECK:         scf.for %[[STEP:.*]] = %c16 to %c24 step %c4 iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK:           memref.prefetch
// CHECK-NEXT:      memref.prefetch
// CHECK-NEXT:      %[[AT:.*]] = arith.subi %[[C20]], %[[STEP]]
// CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi eq, %[[STEP]], %{{.*}}
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
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[AH]], %[[SB]]
// CHECK-NEXT:        %[[H:.*]] = arith.select %[[FIRST]], %[[SB]], %[[SUM]]
// CHECK-NEXT:        vector.store %[[H]], %{{.*}}[%{{.*}}, %[[AT]]]
// CHECK-NEXT:        %[[LA:.*]] = vector.shuffle %[[SA]], %[[SA]] [0, 0, 0, 0]
// CHECK-NEXT:        %[[LB:.*]] = vector.shuffle %[[SB]], %[[SB]] [0, 0, 0, 0]
// CHECK-NEXT:        %[[LAH:.*]] = arith.mulf %[[LA]], %[[ACC]]
// CHECK-NEXT:        %[[LSUM:.*]] = arith.addf %[[LAH]], %[[LB]]
// CHECK-NEXT:        %[[LAST:.*]] = arith.select %[[FIRST]], %[[LB]], %[[LSUM]]
// CHECK-NEXT:        scf.yield %[[LAST]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[END:.*]] = arith.addi %[[STEP]], %{{.*}}
// CHECK-NEXT:        %[[FROM:.*]] = vector.extract %[[ACC]][0]
// CHECK-NEXT:        %[[NUMBER:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[STEP]]
// CHECK-NEXT:        %[[START:.*]] = scf.if %[[FIRST]] -> (f32) {
// CHECK:               scf.yield %[[FROM]]
// CHECK:             %[[TO:.*]] = scf.for %{{.*}} = %[[NUMBER]] to %[[END]] {{.*}} iter_args(%{{.*}} = %[[START]]) -> (f32) {
// CHECK:             %[[ALL_LANES:.*]] = vector.broadcast %[[TO]]
// CHECK-NEXT:        scf.yield %[[ALL_LANES]]
func.func @recurrence_in_reverse(%a: memref<8x24xf32>, %b: memref<8x24xf32>, %y: memref<8x24xf32>) {
  scan.kernel dim = 1 reverse
      ins(%a, %b : memref<8x24xf32>, memref<8x24xf32>) outs(%y : memref<8x24xf32>)
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

// Of several leaves, what tiles leave is one loop over vectors, the last of which may have
// fewer steps than lanes: then it is loaded and stored with a mask.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @several_leaves(
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         %[[T:.*]] = memref.dim %[[A]], %[[C0]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END:.*]] step %[[C16]] {{.*}} -> (vector<4xf32>) {
// CHECK:         scf.for %[[AT:.*]] = %[[END]] to %[[T]] step %[[C4]] {{.*}} -> (vector<4xf32>) {
// CHECK:           memref.prefetch
// CHECK:           %[[COUNT:.*]] = arith.subi %[[T]], %[[AT]]
// CHECK-NEXT:      %[[LANES:.*]] = arith.minsi %[[COUNT]], %[[C4]]
// CHECK:           %[[MASK:.*]] = arith.cmpi sgt, %{{.*}} : vector<4xi32>
// CHECK-NEXT:      %[[WHOLE:.*]] = arith.cmpi eq, %[[LANES]], %[[C4]]
// CHECK:           %[[IN:.*]]:2 = scf.if %[[WHOLE]] -> (vector<4xf32>, vector<4xf32>) {
// CHECK-NEXT:        vector.load %[[A]][%[[AT]]]
// CHECK-NEXT:        vector.load %[[B]][%[[AT]]]
// CHECK:           } else {
// CHECK-NEXT:        vector.maskedload %[[A]][%[[AT]]], %[[MASK]], %{{.*}}
// CHECK-NEXT:        vector.maskedload %[[B]][%[[AT]]], %[[MASK]], %{{.*}}
// CHECK:           vector.shuffle %[[IN]]#0, %[[IN]]#0
// CHECK:           scf.if %[[WHOLE]] {
// CHECK-NEXT:        vector.store %{{.*}}, %[[Y]][%[[AT]]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        vector.maskedstore %[[Y]][%[[AT]]], %[[MASK]], %{{.*}}
// CHECK-NOT:     vector.maskedload
// CHECK:         return
func.func @several_leaves(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
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
// CHECK-NOT:     -> (f32) {
// CHECK:         return
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
