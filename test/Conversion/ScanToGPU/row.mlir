// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#rt = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// One block a row: full tiles with a carry, one barrier for the transposed
// load, one for the totals of the warps, one for the transposed store; then
// the partial tile, where loads repeat the last element and stores are masked.

// CHECK-LABEL: gpu.func @sum_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index)
// CHECK-SAME: workgroup(%[[TOTALS:.*]] : memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[IN:.*]] : memref<131xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[OUT:.*]] : memref<131xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[X:.*]] = memref.reinterpret_cast
// CHECK: %[[Y:.*]] = memref.reinterpret_cast
// CHECK-DAG: %[[TID:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[TID]]
// CHECK-DAG: %[[WARP:.*]] = arith.divui %[[TID]]
// CHECK-DAG: %[[BX:.*]] = gpu.block_id x
// CHECK-DAG: %[[BY:.*]] = gpu.block_id y
// CHECK-DAG: %[[WIDTH:.*]] = gpu.grid_dim x
// CHECK: %[[FIRST:.*]] = arith.muli %[[BY]], %[[WIDTH]]
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[BX]]
// CHECK: %[[ISROW:.*]] = arith.cmpi ult, %[[ROW]], %[[N0]]
// CHECK: scf.if %[[ISROW]]
// CHECK: %[[TILES:.*]] = arith.divui %[[N1]], %[[C128]]
// CHECK: %[[STATE:.*]] = scf.for %[[TILE:.*]] = %[[C0]] to %[[TILES]] step %[[C1]] iter_args(%[[CARRY:.*]] =

// The load, striped.
// CHECK: %[[BASE:.*]] = arith.muli %[[TILE]], %[[C128]]
// CHECK: %[[AT0:.*]] = arith.addi %[[BASE]], %[[TID]]
// CHECK: %[[V0:.*]] = memref.load %[[X]][%[[ROW]], %[[AT0]]]
// CHECK: %[[AT1:.*]] = arith.addi %[[AT0]], %[[C64]]
// CHECK: %[[V1:.*]] = memref.load %[[X]][%[[ROW]], %[[AT1]]]
// CHECK: memref.store %[[V0]], %[[IN]]
// CHECK: memref.store %[[V1]], %[[IN]]
// CHECK: gpu.barrier
// CHECK: %[[E0:.*]] = memref.load %[[IN]]
// CHECK: %[[E1:.*]] = memref.load %[[IN]]

// The scan. The carry is absent in front of the first tile.
// CHECK: %[[HASCARRY:.*]] = arith.cmpi ne, %[[TILE]], %[[C0]]
// CHECK: %[[PARITY:.*]] = arith.andi %[[TILE]], %[[C1]]
// CHECK: arith.addf %[[E0]], %[[E1]]
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: %[[HALF:.*]] = arith.muli %[[PARITY]], %[[C2]]
// CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[LANE]], %[[C31]]
// CHECK: scf.if %[[ISLAST]]
// CHECK: memref.store %{{.*}}, %[[TOTALS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TOTALS]]
// CHECK: %[[AFTER0:.*]] = arith.addf %[[CARRY]]
// CHECK: %[[RUN0:.*]] = arith.select %[[HASCARRY]], %[[AFTER0]]
// CHECK: memref.load %[[TOTALS]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[RUN0]]
// CHECK: gpu.shuffle up
// CHECK-NOT: gpu.shuffle
// CHECK: arith.select
// CHECK: %[[Y0:.*]] = arith.select %{{.*}}, %{{.*}}, %[[E0]]
// CHECK: %[[Y1:.*]] = arith.addf %[[Y0]], %[[E1]]

// The store, striped again.
// CHECK: memref.store %[[Y0]], %[[OUT]]
// CHECK: memref.store %[[Y1]], %[[OUT]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[OUT]]
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]], %[[AT0]]]
// CHECK: memref.load %[[OUT]]
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]], %[[AT1]]]
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[NEXT]]

// The rest of the row.
// CHECK: %[[REST:.*]] = arith.remui %[[N1]], %[[C128]]
// CHECK: %[[ISREST:.*]] = arith.cmpi ne, %[[REST]], %[[C0]]
// CHECK: scf.if %[[ISREST]]
// CHECK: %[[BASE:.*]] = arith.muli %[[TILES]], %[[C128]]
// CHECK: %[[AT0:.*]] = arith.addi %[[BASE]], %[[TID]]
// CHECK: %[[LASTAT:.*]] = arith.subi %[[N1]], %[[C1]]
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[AT0]], %[[LASTAT]]
// CHECK: memref.load %[[X]][%[[ROW]], %[[CLAMPED]]]
// CHECK-COUNT-3: gpu.barrier
// CHECK: memref.load %[[OUT]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[AT0]], %[[N1]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]], %[[AT0]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @sum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
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

// Reverse mirrors the index, nothing else: position p lies at extent - 1 - p.
// With an init the carry is always there. One warp needs no shared memory for
// its scan. Finals come from the thread that holds the last element, or from
// the carry where the last tile is full or there is none.

// CHECK-LABEL: gpu.func @reverse_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index)
// CHECK-NOT: workgroup
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[X:.*]] = memref.reinterpret_cast
// CHECK: %[[Y:.*]] = memref.reinterpret_cast
// CHECK: %[[F:.*]] = memref.reinterpret_cast
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[TID]]
// CHECK: %[[ISROW:.*]] = arith.cmpi ult, %[[ROW:[^,]*]], %[[N0]]
// CHECK: scf.if %[[ISROW]]
// CHECK: %[[TILES:.*]] = arith.divui %[[N1]]
// CHECK: %[[INIT:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[STATE:.*]] = scf.for %{{.*}} iter_args(%[[CARRY:.*]] = %[[INIT]]) -> (i32)
// CHECK-DAG: %[[AT:.*]] = arith.addi %{{.*}}, %[[TID]]
// CHECK-DAG: %[[LAST:.*]] = arith.subi %[[N1]], %[[C1]]
// CHECK: %[[INDEX:.*]] = arith.subi %[[LAST]], %[[AT]]
// CHECK: memref.load %[[X]][%[[ROW]], %[[INDEX]]]
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle up
// CHECK-NOT: gpu.barrier
// CHECK: %[[BEFORE:.*]], %{{.*}} = gpu.shuffle up
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[C0]]
// CHECK: %[[JOINED:.*]] = arith.subi %[[CARRY]], %[[BEFORE]]
// CHECK: %[[PREFIX:.*]] = arith.select %[[ISFIRST]], %[[CARRY]], %[[JOINED]]
// CHECK: %[[TOTAL:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: %[[NEXT:.*]] = arith.subi %[[CARRY]], %[[TOTAL]]
// The output is exclusive: the prefix itself.
// CHECK: memref.store %[[PREFIX]], %[[Y]][%[[ROW]], %[[INDEX]]]
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[REST:.*]] = arith.remui %[[N1]]
// CHECK: %[[ISREST:.*]] = arith.cmpi ne, %[[REST]], %[[C0]]
// CHECK: scf.if %[[ISREST]]
// Threads beyond the end read the last element; were the output the input's
// buffer, its own thread must not have written it yet.
// CHECK: memref.load %[[X]]
// CHECK-NEXT: gpu.barrier
// CHECK: %[[INCLUSIVE:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: %[[OWNER:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[OWNS:.*]] = arith.cmpi eq, %[[TID]], %[[OWNER]]
// CHECK: scf.if %[[OWNS]]
// CHECK: memref.store %{{.*}}, %[[F]][%[[ROW]]]
// CHECK: else
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]], %[[C0]]
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.store %[[STATE]], %[[F]][%[[ROW]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @reverse(%x: memref<?x?xi32>, %i: i32, %y: memref<?x?xi32>, %f: memref<?xi32>) {
  scan.kernel dim = 1 reverse
      ins(%x : memref<?x?xi32>) init(%i : i32) outs(%y : memref<?x?xi32>)
      finals(%f : memref<?xi32>)
      maps [#rt, affine_map<(d0, d1) -> ()>, #rt, #r]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } initialize {
      ^bb0(%e: i32):
        %l = arith.muli %e, %e : i32
        scan.yield %l : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.subi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %exclusive : i32
      } finalize {
      ^bb0(%last: i32):
        scan.yield %last : i32
      }
  return
}

// A known extent that tiles divide has no partial tile.

// CHECK-LABEL: gpu.func @static_scan0
// CHECK: scf.for
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT: arith.minui
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @static(%x: memref<16x1024xf32>, %y: memref<16x1024xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<16x1024xf32>) outs(%y : memref<16x1024xf32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>}
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
