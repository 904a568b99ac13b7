// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s
// RUN: sed 's/memref<64x/memref<?x/g' %s | scan-opt --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=UNKNOWN

#cm = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d2)>
#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>

// A block owns 16 lanes with 2 columns each, its 4 groups walk tiles of 8 steps.

// CHECK: #[[$GRID:.*]] = affine_map<()[s0, s1, s2] -> ((s0 * (s2 ceildiv 32)) ceildiv
// CHECK-LABEL: func.func @sum
// CHECK: %[[PER_ROW:.*]] = arith.ceildivui %{{.*}}, %c32 : index
// CHECK: arith.muli %{{.*}}, %[[PER_ROW]]

// Two halves of two warps' totals of 32 columns.
// CHECK-LABEL: gpu.func @sum_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index, %[[N2:[^,]*]]: index)
// CHECK-SAME: workgroup(%[[TOTALS:.*]] : memref<128xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: scan.block = array<i64: 64, 1, 1>, scan.grid = #[[$GRID]]
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[TID:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[TID]], %[[C16]]
// CHECK-DAG: %[[GROUP:.*]] = arith.divui %[[TID]], %[[C16]]

// Whether columns can be accessed two by two: an even number of them, pointers
// and strides of both operands multiples of 8 bytes.
// CHECK: arith.remui %[[N2]], %[[C2]]
// CHECK: %[[INT:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[PTR:.*]] = llvm.inttoptr
// CHECK: llvm.addrspacecast %[[PTR]] : !llvm.ptr to !llvm.ptr<1>
// CHECK: arith.remui %{{.*}}, %[[C8]]
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: arith.remui %{{.*}}, %[[C8]]
// CHECK: %[[WIDE:.*]] = arith.andi

// Which columns a thread has depends on that: neighbours, or columns 16 apart,
// which neighbouring lanes access one by one. How many of them exist is one number.
// CHECK: scf.if %{{.*}} {
// CHECK: %[[PAIR:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: %[[OWN:.*]] = arith.select %[[WIDE]], %[[PAIR]], %[[LANE]]
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[OWN]]
// CHECK: %[[COUNT:.*]] = arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK: %[[ONE:.*]] = arith.cmpi sgt, %[[COUNT]], %c0_i32 : i32
// CHECK: %[[DISTANCE:.*]] = arith.select %[[WIDE]], %[[C1]], %[[C16]]
// CHECK: arith.addi %[[COLUMN]], %[[DISTANCE]]
// CHECK: %[[BOTH:.*]] = arith.cmpi sgt, %[[COUNT]], %c1_i32 : i32
// Each operand has one pointer per thread,
// CHECK: %[[START:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}]

// The first step is read by all, the others of the first tile where they are.
// CHECK: arith.minui
// CHECK: %[[FIRST:.*]]:4 = scf.if %[[WIDE]]
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: scf.if
// CHECK: } else {
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: scf.if
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[N1]], %[[C8]]
// CHECK: scf.for %[[TILE:.*]] = %[[C0]] to %[[TILES]] step %[[C1]] iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[V0:.*]] = %[[FIRST]]#0, %[[V1:.*]] = %[[FIRST]]#1, %[[V2:.*]] = %[[FIRST]]#2, %[[V3:.*]] = %[[FIRST]]#3) -> (f32, f32, i32, i32, i32, i32)

// to which a multiple of its stride is added once per tile, and the stride from
// step to step.
// The next tile, in either way. Threads whose items are all in bounds have no
// test per item: 32-bit numbers say how many steps there are from a thread's
// first item on.
// CHECK: %[[NEXT:.*]]:4 = scf.if %[[WIDE]]
// CHECK: %[[REST:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[ALL:.*]] = arith.cmpi sgt, %[[REST]], %c1_i32 : i32
// CHECK: scf.if %[[ALL]]
// CHECK: scf.if %[[ONE]]
// CHECK: %[[STEPS:.*]] = arith.muli %{{.*}}, %[[BYTES:.*]] : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[STEPS]] : index to i64
// CHECK: %[[ITEM0:.*]] = llvm.getelementptr %[[START]][%[[CAST]]]
// CHECK-NEXT: llvm.load %[[ITEM0]] {alignment = 8 : i64}
// CHECK: %[[STEP:.*]] = arith.index_cast %[[BYTES]] : index to i64
// CHECK-NEXT: %[[ITEM1:.*]] = llvm.getelementptr %[[ITEM0]][%[[STEP]]]
// CHECK-NEXT: llvm.load %[[ITEM1]] {alignment = 8 : i64}
// CHECK-NOT: llvm.load
// CHECK: scf.yield %[[V0]], %[[V1]], %[[V2]], %[[V3]]
// CHECK: } else {
// Other threads test each item, of which those that are not there keep their
// values.
// CHECK: arith.cmpi sgt, %[[REST]], %c0_i32 : i32
// CHECK-COUNT-2: llvm.load
// CHECK: scf.yield %[[V2]], %[[V3]]
// Single accesses test each element. Other columns lie constants away: 16 times
// 4 bytes.
// CHECK: } else {
// CHECK: %[[ITEM:.*]] = llvm.getelementptr %[[START]][%{{.*}}]
// CHECK: arith.andi %{{.*}}, %[[ONE]]
// CHECK: llvm.load %[[ITEM]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: arith.andi %{{.*}}, %[[BOTH]]
// CHECK: %[[NEAR:.*]] = llvm.getelementptr %[[ITEM]][64]
// CHECK-NEXT: llvm.load %[[NEAR]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-COUNT-2: llvm.load

// The code between loads and stores is there once.
// Totals of the thread's two items, of the two groups of the warp, of the warps.
// CHECK: %[[HASCARRY:.*]] = arith.cmpi ne, %[[TILE]], %[[C0]]
// CHECK: %[[E0:.*]] = arith.bitcast %[[V0]] : i32 to f32
// CHECK: %[[E1:.*]] = arith.bitcast %[[V1]] : i32 to f32
// CHECK: %[[E2:.*]] = arith.bitcast %[[V2]] : i32 to f32
// CHECK: %[[E3:.*]] = arith.bitcast %[[V3]] : i32 to f32
// CHECK: arith.addf %[[E0]], %[[E2]]
// CHECK: arith.addf %[[E1]], %[[E3]]
// CHECK: gpu.shuffle up %{{.*}}, %c16_i32, %c32_i32 : f32
// CHECK: gpu.shuffle up %{{.*}}, %c16_i32, %c32_i32 : f32
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK: vector.store %{{.*}}, %[[TOTALS]][%{{.*}}] {{.*}}vector<2xf32>
// CHECK: gpu.barrier
// CHECK: vector.load %[[TOTALS]][%{{.*}}] {{.*}}vector<2xf32>
// CHECK: %[[AFTER:.*]] = arith.addf %[[A]]
// CHECK: arith.select %[[HASCARRY]], %[[AFTER]]
// CHECK: vector.load %[[TOTALS]][%{{.*}}] {{.*}}vector<2xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-2: gpu.shuffle up
// CHECK-NOT: gpu.barrier

// CHECK: scf.if %[[WIDE]]
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK: } else {
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
// The group that has the last step stores the finals.
// CHECK: %[[OWNER:.*]] = arith.divui %{{.*}}, %[[C2]]
// CHECK: %[[ISOWNER:.*]] = arith.cmpi eq, %[[GROUP]], %[[OWNER]]
// CHECK: scf.if %[[ISOWNER]]
// CHECK-COUNT-2: memref.store

// Without a step, the first group stores the finals.
// CHECK: } else {
// CHECK: arith.cmpi eq, %[[GROUP]], %[[C0]]

// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @sum(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %f: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>) finals(%f : memref<?x?xf32>)
      maps [#cm, #cm, #c] attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 16, vector = 2>}
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
      } finalize {
      ^bb0(%l: f32):
        scan.yield %l : f32
      }
  return
}

// Extents that are known to be multiples of what a block has: nothing is masked.
// Only the carried leaf is carried, two 16-bit numbers per word; the coefficient
// is the same for all columns and read once. One warp has no barrier.

// CHECK-LABEL: gpu.func @decay_scan0
// CHECK-NOT: arith.minui
// CHECK: %[[A0:.*]] = llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: %[[B0:.*]] = llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32, bf16, i32, i32)
// CHECK: scf.if
// CHECK: scf.if
// CHECK: llvm.load {{.*}} -> bf16
// CHECK: llvm.load {{.*}} -> vector<2xi32>
// CHECK: } else {
// CHECK-COUNT-5: llvm.load {{.*}} -> bf16
// CHECK: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK: arith.shrui %{{.*}}, %c16_i32 : i32
// CHECK-NOT: gpu.barrier
// CHECK: gpu.shuffle idx
// CHECK: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// Of extents that are not known, single accesses to narrow elements are not prefetched,
// as each would take a register: they are made when their tile is combined.

// UNKNOWN-LABEL: gpu.func @decay_scan0
// UNKNOWN: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32, bf16, i32, i32)
// UNKNOWN: scf.if %[[VECTORIZED:[^ ]*]] -> (bf16, i32, i32)
// UNKNOWN-NEXT: scf.yield
// UNKNOWN-COUNT-5: llvm.load {{.*}} -> bf16
// UNKNOWN-COUNT-2: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// UNKNOWN: scf.if %[[VECTORIZED]] -> (bf16, i32, i32)
// UNKNOWN: llvm.load {{.*}} -> vector<2xi32>
// UNKNOWN-NOT: vector<2xbf16>
// UNKNOWN: arith.trunci %{{.*}} : i32 to i16
func.func @decay(%a: memref<64xbf16>, %b: memref<64x96xbf16>, %y: memref<64x96xbf16>) {
  scan.kernel dim = 0
      ins(%a, %b : memref<64xbf16>, memref<64x96xbf16>) outs(%y : memref<64x96xbf16>)
      maps [#t, #tc, #tc] attributes {schedule = #scan.schedule<strategy = column, threads = 32, lanes = 8, vector = 4>}
      load {
      ^bb0(%e: bf16, %f: bf16):
        %c = arith.extf %e : bf16 to f32
        %d = arith.extf %f : bf16 to f32
        scan.yield %c, %d : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: bf16, %f: bf16):
        %r = arith.truncf %i1 : f32 to bf16
        scan.yield %r : bf16
      }
  return
}
