// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

// A block owns 16 columns, two of each of 8 lanes, and one tile of 32 steps: 16
// descriptors of 8 bytes, or as many as there are columns if these are fewer, after
// the line of the counter.

// CHECK-DAG: #[[$BYTES:.*]] = affine_map<()[s0, s1] -> ((((s0 ceildiv 32) * (s1 ceildiv 16)) * ((1 floordiv (s1 floordiv 16 + 1)) * (s1 - 16) + 16)) * 8 + 128)>
// CHECK-LABEL: func.func @sum
// CHECK: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c32
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %c16
// CHECK: %[[PARTS:.*]] = arith.muli %[[TILES]], %[[BLOCKS]]
// CHECK: %[[COLUMNS:.*]] = arith.minui %{{.*}}, %c16
// CHECK: arith.muli %[[PARTS]], %[[COLUMNS]]
// CHECK: linalg.fill {scan.workspace}
// CHECK: gpu.launch_func @scan_kernels::@sum_scan0
// CHECK-LABEL: func.func @in_order

// CHECK-LABEL: gpu.func @sum_scan0(
// CHECK-SAME: workgroup(%{{.*}} : memref<1xi64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[CARRY:.*]] : memref<16xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<64xf32,
// CHECK-SAME: {bytes = #[[$BYTES]], kind = "workspace", name = "workspace", zeroed = true}
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[TID]], %c8
// CHECK: llvm.atomicrmw add
// CHECK: gpu.barrier
// CHECK-NOT: gpu.block_id
// CHECK: %[[AGGREGATE:.*]] = arith.addi %{{.*}}, %c1_i32
// CHECK: %[[PREFIX:.*]] = arith.addi %{{.*}}, %c2_i32

// Both columns are loaded at once, before anything is waited for, and scanned: over
// the groups of a warp, and over the two warps.
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: gpu.shuffle up
// CHECK: gpu.barrier

// The first tile publishes prefixes for both columns, if these are there: those of the
// lanes' first columns, then those of their second ones.
// CHECK: memref.store %{{.*}}, %[[CARRY]][%[[LANE]]]
// CHECK: scf.if %{{.*}} {
// CHECK: arith.muli %{{.*}}, %[[COUNT:.*]] : index
// CHECK: arith.extui %[[PREFIX]] : i32 to i64
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64
// CHECK: scf.if %{{.*}} {
// CHECK: arith.muli %{{.*}}, %[[COUNT]] : index
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64

// The others publish aggregates,
// CHECK: arith.extui %[[AGGREGATE]] : i32 to i64
// CHECK-COUNT-2: llvm.store %{{.*}} atomic syncscope("device") monotonic
// look at the tile before alone, and then at four tiles at a time, one for each group
// of the warp; both columns have to show the same.
// CHECK: %[[BEFORE:.*]] = arith.subi %[[TILE:.*]], %c1 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[GROUP:.*]], %c1 : index
// CHECK: arith.subi %[[BEFORE]], %[[GROUP]] : index
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64}
// CHECK: scf.while ({{.*}}) : (i64, i64) -> (i64, i64)
// CHECK: arith.andi
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK: %[[WAITS:.*]] = arith.ori %{{.*}}, %[[DIFFERS]]
// CHECK: scf.condition(%[[WAITS]])
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64}
// CHECK-NOT: gpu.shuffle down
// CHECK: gpu.shuffle idx

// The lanes go on together until all of them know.
// CHECK: %[[NEXT:.*]] = arith.subi %[[TILE]], %c2 : index
// CHECK: scf.while (%[[NEAREST:.*]] = %[[NEXT]], %[[DONE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[DONE]],
// CHECK: ^bb0(%[[NEAREST:.*]]: index, %[[DONE:.*]]: i1,
// CHECK: arith.subi %[[NEAREST]], %[[GROUP]] : index
// CHECK: %[[SEARCHES:.*]] = arith.xori %[[DONE]], %true : i1
// CHECK: arith.andi %{{.*}}, %[[SEARCHES]] : i1
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64}
// CHECK: gpu.shuffle down %{{.*}}, %c8_i32, %c32_i32 : f32
// CHECK: gpu.shuffle down %{{.*}}, %c16_i32, %c32_i32 : f32
// CHECK: gpu.shuffle idx
// CHECK: arith.subi %[[NEAREST]], %c4 : index

// Then they publish prefixes, and all threads go on.
// CHECK: memref.store %{{.*}}, %[[CARRY]][%[[LANE]]]
// CHECK: arith.extui %[[PREFIX]] : i32 to i64
// CHECK-COUNT-2: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK: gpu.barrier
// CHECK: memref.load %[[CARRY]][%[[LANE]]]
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>

// In a deterministic order there are no aggregates: a tile waits for the prefixes
// before it. The first one starts with the init.
// CHECK-LABEL: gpu.func @in_order_scan0(
// CHECK: %[[PREFIX:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK: llvm.store %{{.*}} atomic
// CHECK-NOT: llvm.store %{{.*}} atomic
// CHECK: llvm.load %{{.*}} atomic
// CHECK: scf.while ({{.*}}) : (i64) -> i64
// CHECK: %[[WAITS:.*]] = arith.cmpi ne, %{{.*}}, %[[PREFIX]] : i32
// CHECK: scf.condition(%[[WAITS]])
// CHECK: llvm.store %{{.*}} atomic
// CHECK-NOT: llvm.store %{{.*}} atomic

#tc = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>

func.func @sum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 2, scope = grid>}
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

func.func @in_order(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %i: memref<64xf32>) {
  scan.kernel dim = 0 ins(%x : memref<4096x64xf32>) init(%i : memref<64xf32>) outs(%y : memref<4096x64xf32>) maps [#tc, #c, #tc]
      attributes {order = #scan.order<deterministic>, schedule = #scan.schedule<strategy = column, threads = 128, items = 8, scope = grid>}
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
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
