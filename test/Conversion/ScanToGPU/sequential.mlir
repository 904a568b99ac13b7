// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#btc = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#bc = affine_map<(d0, d1, d2) -> (d0, d2)>
#t1c = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d2)>

// Neighbouring threads own neighbouring channels; the first step without an
// init is peeled; a chunk of `items` steps is prefetched; only the state `h` is
// carried, not the product of the coefficients.

// CHECK-LABEL: gpu.func @linear_scan0
// CHECK-SAME: (%{{.*}}: memref<f32>, %{{.*}}: index, {{.*}}%[[N0:.*]]: index, %[[N1:.*]]: index, %[[N2:.*]]: index)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-COUNT-3: memref.reinterpret_cast
// CHECK: %[[F:.*]] = memref.reinterpret_cast
// CHECK-DAG: %[[TID:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BX:.*]] = gpu.block_id x
// CHECK-DAG: %[[BY:.*]] = gpu.block_id y
// CHECK-DAG: %[[WIDTH:.*]] = gpu.grid_dim x
// CHECK: %[[ROW:.*]] = arith.muli %[[BY]], %[[WIDTH]]
// CHECK: %[[BLOCK:.*]] = arith.addi %[[ROW]], %[[BX]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[C128]]
// CHECK: %[[P:.*]] = arith.addi %[[FIRST]], %[[TID]]
// CHECK: %[[POINTS:.*]] = arith.muli %[[N0]], %[[N2]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[P]], %[[POINTS]]
// CHECK: scf.if %[[INSIDE]]
// CHECK-DAG: %[[CHANNEL:.*]] = arith.remui %[[P]], %[[N2]]
// CHECK-DAG: %[[BATCH:.*]] = arith.divui %[[P]], %[[N2]]
// Each operand has one pointer per thread, and a stride in bytes.
// CHECK: arith.muli %[[CHANNEL]], %{{.*}}
// CHECK: %[[A:.*]] = llvm.getelementptr
// CHECK: %[[ASTEP:.*]] = arith.muli
// CHECK: arith.muli %[[BATCH]], %{{.*}}
// CHECK: %[[B:.*]] = llvm.getelementptr
// CHECK: %[[BSTEP:.*]] = arith.muli
// CHECK: arith.muli %[[BATCH]], %{{.*}}
// CHECK: %[[Y:.*]] = llvm.getelementptr
// CHECK: %[[YSTEP:.*]] = arith.muli
// CHECK: %[[ANY:.*]] = arith.cmpi ugt, %[[N1]], %[[C0]]
// CHECK: %[[H0:.*]] = scf.if %[[ANY]] -> (f32)
// CHECK: %[[B0:.*]] = llvm.load %[[B]] {{.*}} -> f32
// CHECK: llvm.store %[[B0]], %[[Y]]
// CHECK: scf.yield %[[B0]]
// CHECK: else
// CHECK: scf.yield %[[ZERO]]
// CHECK: %[[TO:.*]] = arith.maxui %[[N1]], %[[C1]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[TO]], %[[C1]]
// CHECK: %[[REST:.*]] = arith.remui %[[LEFT]], %[[C2]]
// CHECK: %[[MIDDLE:.*]] = arith.subi %[[TO]], %[[REST]]
// The first chunk.
// CHECK: %[[ANY:.*]] = arith.cmpi ugt, %[[MIDDLE]], %[[C1]]
// CHECK: %[[PREFETCHED:.*]]:4 = scf.if %[[ANY]]
// CHECK: %[[ABYTES:.*]] = arith.index_cast %[[ASTEP]] : index to i64
// CHECK: %[[PA0:.*]] = llvm.getelementptr %[[A]][%[[ABYTES]]]
// CHECK: %[[BBYTES:.*]] = arith.index_cast %[[BSTEP]] : index to i64
// CHECK: %[[PB0:.*]] = llvm.getelementptr %[[B]][%[[BBYTES]]]
// CHECK: %[[A0:.*]] = llvm.load %[[PA0]]
// CHECK: %[[B0:.*]] = llvm.load %[[PB0]]
// CHECK: %[[PA1:.*]] = llvm.getelementptr %[[PA0]][%[[ABYTES]]]
// CHECK: %[[PB1:.*]] = llvm.getelementptr %[[PB0]][%[[BBYTES]]]
// CHECK: %[[A1:.*]] = llvm.load %[[PA1]]
// CHECK: %[[B1:.*]] = llvm.load %[[PB1]]
// CHECK: scf.yield %[[A0]], %[[B0]], %[[A1]], %[[B1]]
// CHECK: else
// CHECK: scf.yield %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
// CHECK: %[[H1:.*]]:5 = scf.for %[[T:.*]] = %[[C1]] to %[[MIDDLE]] step %[[C2]] iter_args(%[[H:.*]] = %[[H0]], %[[A0:.*]] = %[[PREFETCHED]]#0, %[[B0:.*]] = %[[PREFETCHED]]#1, %[[A1:.*]] = %[[PREFETCHED]]#2, %[[B1:.*]] = %[[PREFETCHED]]#3)
// The next chunk's loads come before this one's stores.
// CHECK: %[[T2:.*]] = arith.addi %[[T]], %[[C2]]
// CHECK: %[[LAST:.*]] = arith.cmpi uge, %[[T2]], %[[MIDDLE]]
// CHECK: %[[AT:.*]] = arith.select %[[LAST]], %[[T]], %[[T2]]
// CHECK: arith.muli %[[AT]], %[[ASTEP]]
// CHECK: llvm.getelementptr %[[A]]
// CHECK: %[[NA0:.*]] = llvm.load
// CHECK: %[[NB0:.*]] = llvm.load
// CHECK: %[[NA1:.*]] = llvm.load
// CHECK: %[[NB1:.*]] = llvm.load
// CHECK: arith.muli %[[T]], %[[YSTEP]]
// CHECK: %[[PY0:.*]] = llvm.getelementptr %[[Y]]
// CHECK: %[[M0:.*]] = arith.mulf %[[A0]], %[[H]]
// CHECK: %[[S0:.*]] = arith.addf %[[M0]], %[[B0]]
// CHECK: llvm.store %[[S0]], %[[PY0]]
// CHECK: %[[PY1:.*]] = llvm.getelementptr %[[PY0]]
// CHECK: %[[M1:.*]] = arith.mulf %[[A1]], %[[S0]]
// CHECK: %[[S1:.*]] = arith.addf %[[M1]], %[[B1]]
// CHECK: llvm.store %[[S1]], %[[PY1]]
// CHECK: scf.yield %[[S1]], %[[NA0]], %[[NB0]], %[[NA1]], %[[NB1]]
// CHECK: %[[H2:.*]] = scf.for %{{.*}} = %[[MIDDLE]] to %[[N1]] step %[[C1]] iter_args(%{{.*}} = %[[H1]]#0)
// CHECK: memref.store %[[H2]], %[[F]][%[[BATCH]], %[[CHANNEL]]]
// CHECK: gpu.return
func.func @linear(%a: memref<1x?x?xf32>, %b: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %f: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%a, %b : memref<1x?x?xf32>, memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>)
      finals(%f : memref<?x?xf32>)
      maps [#t1c, #btc, #btc, #bc]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 128, items = 2>}
      load {
      ^bb0(%ea: f32, %eb: f32):
        scan.yield %ea, %eb : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %q = arith.mulf %a1, %a0 : f32
        %t = arith.mulf %a1, %b0 : f32
        %r = arith.addf %t, %b1 : f32
        scan.yield %q, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %ea: f32, %eb: f32):
        scan.yield %ib : f32
      } finalize {
      ^bb0(%la: f32, %lb: f32):
        scan.yield %lb : f32
      }
  return
}

// Exclusive and reverse: nothing is peeled, the walk counts down, and what
// does not vary along it is read once.

// CHECK-LABEL: gpu.func @exclusive_scan0
// CHECK-SAME: (%{{.*}}: memref<i32>, {{.*}}, %[[N0:.*]]: index, %[[N1:.*]]: index, %[[N2:.*]]: index)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: memref.reinterpret_cast
// CHECK: %[[W:.*]] = memref.reinterpret_cast
// CHECK: %[[I:.*]] = memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK: scf.if
// CHECK: %[[FACTOR:.*]] = memref.load %[[W]]
// CHECK: %[[INIT:.*]] = memref.load %[[I]]
// CHECK-NOT: scf.if
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[N1]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[INIT]])
// CHECK: %[[LAST:.*]] = arith.subi %[[N1]], %[[C1]]
// CHECK: %[[AT:.*]] = arith.subi %[[LAST]], %[[T]]
// CHECK: arith.muli %[[AT]], %{{.*}}
// CHECK: %[[PY:.*]] = llvm.getelementptr
// CHECK: arith.muli %[[AT]], %{{.*}}
// CHECK: %[[PX:.*]] = llvm.getelementptr
// CHECK: %[[E:.*]] = llvm.load %[[PX]]
// CHECK: %[[LEAF:.*]] = arith.muli %[[E]], %[[FACTOR]]
// CHECK: %[[NEXT:.*]] = arith.subi %[[ACC]], %[[LEAF]]
// CHECK: llvm.store %[[ACC]], %[[PY]]
// CHECK: scf.yield %[[NEXT]]
func.func @exclusive(%x: memref<?x?x?xi32>, %w: memref<?xi32>, %i: memref<?x?xi32>, %y: memref<?x?x?xi32>) {
  scan.kernel dim = 1 reverse
      ins(%x, %w : memref<?x?x?xi32>, memref<?xi32>) init(%i : memref<?x?xi32>)
      outs(%y : memref<?x?x?xi32>)
      maps [#btc, #c, #bc, #btc]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>}
      load {
      ^bb0(%e: i32, %f: i32):
        %l = arith.muli %e, %f : i32
        scan.yield %l : i32
      } initialize {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.subi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %f: i32):
        scan.yield %exclusive : i32
      }
  return
}

// The dimension that is contiguous in memory varies fastest over the threads,
// whichever it is in the domain.

// CHECK-LABEL: gpu.func @transposed_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index, %[[N2:[^,]*]]: index)
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[P:[^,]*]],
// CHECK: scf.if %[[INSIDE]]
// CHECK: %[[FAST:.*]] = arith.remui %[[P]], %[[N0]]
// CHECK: %[[SLOW:.*]] = arith.divui %[[P]], %[[N0]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[SLOW]], %{{.*}}
// CHECK: arith.addi %[[ROWS]], %[[FAST]]
// CHECK: llvm.getelementptr
// CHECK: llvm.load
func.func @transposed(%x: memref<?x?x?xf64>, %y: memref<?x?x?xf64>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?x?xf64>) outs(%y : memref<?x?x?xf64>)
      maps [affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %r = arith.mulf %acc, %new : f64
        scan.yield %r : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// Known extents leave only the loops that run: 9 steps are one peeled step and
// two times four.

// CHECK-LABEL: gpu.func @static_scan0
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : index
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %[[C1]] to %[[C9]] step %[[C4]]
// CHECK-NOT: scf.for
// CHECK: gpu.return
func.func @static(%x: memref<9x64xf32>, %y: memref<9x64xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<9x64xf32>) outs(%y : memref<9x64xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %r = arith.addf %acc, %new : f32
        scan.yield %r : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
