// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// Two blocks of five warps share tiles of 64 x 12 steps, four of which are in shared memory
// at a time. The launch asks for that: tickets, states before tiles, mbarriers, totals of
// warps, and tiles of 3072 bytes of the input. The output has the place of the input.

// CHECK-LABEL: func.func @sum(
// CHECK: gpu.launch_func @scan_kernels::@sum_scan0 blocks in (%c2, %c1, %c1) threads in (%c160, %c1, %c1)
// CHECK-SAME: dynamic_shared_memory_size %c12544_i32 args(

// CHECK-LABEL: gpu.func @sum_scan0(
// CHECK-NOT: workgroup(
// CHECK-SAME: known_block_size = array<i32: 160, 1, 1>
// CHECK-SAME: scan.plan = {{{.*}}kernel = "warp-specialized-row"
// CHECK-SAME: shared_regions = [{bytes = 48 : i64, name = "tickets"}, {bytes = 16 : i64, name = "states before tiles"},
// CHECK-SAME: {bytes = 160 : i64, name = "mbarriers"}, {bytes = 32 : i64, name = "warp totals"}, {bytes = 12288 : i64, name = "tiles"}]
// CHECK-SAME: stages = 4 : i64, tile_steps = 768 : i64
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK-DAG: %[[TILES:.*]] = memref.view %[[SHARED]][%c256][] : {{.*}} to memref<3072xf32
// CHECK-DAG: %[[TOTALS:.*]] = memref.view {{.*}} to memref<8xf32
// CHECK-DAG: %[[BEFORE:.*]] = memref.view {{.*}} to memref<4xf32
// CHECK-DAG: %[[TICKETS:.*]] = memref.view {{.*}} to memref<5xi64

// One arrival completes a phase of `loaded`, that of each of two warps one of `scanned` and
// `stored`; at the others one warp arrives. Bulk copies have to see them, too.
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c2_i32 :
// CHECK-COUNT-8: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c2_i32 :
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>

// The first ticket, of nine: seven for tiles and one more for each block. Behind the only barrier of
// the block warps have roles.
// CHECK: llvm.atomicrmw add
// CHECK: arith.cmpi eq, %{{.*}}, %c9_i64
// CHECK: llvm.atomicrmw add %{{.*}}, %c4294967287_i64
// CHECK: gpu.barrier
// CHECK: %[[SCANS:.*]] = arith.cmpi ult, %[[WARP:.*]], %c2 : index
// CHECK-NOT: gpu.barrier

// Two warps scan: they wait until a tile is there, which they load themselves only where it is
// partial or not aligned, scan it, leave the total, and arrive.
// CHECK: scf.if %[[SCANS]] {
// CHECK: scf.while (%{{.*}} = %true, %{{.*}} = %c2, %{{.*}} = %c2,
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.load %[[TICKETS]]
// CHECK: %[[FULL:.*]] = arith.cmpi ule, %{{.*}}, %c5000
// CHECK: %[[BULK:.*]] = arith.andi %[[FULL]], %{{.*}} : i1
// CHECK: scf.if %[[BULK]] {
// CHECK-NEXT: } else {
// CHECK: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[TILES]]
// CHECK: nvvm.bar.warp.sync
// CHECK: vector.load %[[TILES]]
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: memref.store %{{.*}}, %[[TOTALS]]
// CHECK: nvvm.mbarrier.arrive

// What was scanned two turns ago is stored, once the state before it is found. The results
// take the place of the input.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.load %[[TOTALS]]
// CHECK: memref.load %[[BEFORE]]
// CHECK: vector.load %[[TILES]]
// CHECK: vector.store %{{.*}}, %[[TILES]]
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive

// The loader says what tile it is, expects the bytes of it and has them copied, or arrives
// for who loads it. It draws the next ticket once the next slot is stored.
// CHECK: arith.cmpi eq, %[[WARP]], %c2 : index
// CHECK: memref.store %{{.*}}, %[[TICKETS]]
// CHECK: scf.if %{{.*}} {
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c3072_i32
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, %c3072_i32
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: } else {
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK-NOT: scf
// CHECK: llvm.atomicrmw add

// The publisher waits for the tile's ticket, and for the totals of the warps.
// CHECK: arith.cmpi eq, %[[WARP]], %c3 : index
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.load %[[TICKETS]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.load %[[TOTALS]]
// CHECK: llvm.store {{.*}} atomic syncscope("device") monotonic
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive

// The last warp looks back behind it.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK-COUNT-5: gpu.shuffle down
// CHECK: llvm.store {{.*}} atomic syncscope("device") monotonic
// CHECK: memref.store %{{.*}}, %[[BEFORE]]
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @sum(%x: memref<5000xf32>, %y: memref<5000xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<5000xf32>) outs(%y : memref<5000xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 4>}
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

// -----

// Two inputs: two copies, for whose bytes one phase waits. Two outputs: each has the place of
// an input. With six stages tiles wait three turns, and with three scanning warps three arrive.
// Backwards the first tile is the last one in memory; partial tiles are those in front.

// CHECK-LABEL: gpu.func @affine_scan0(
// CHECK-SAME: shared_regions = [{bytes = 64 : i64, name = "tickets"}, {bytes = 64 : i64, name = "states before tiles"},
// CHECK-SAME: {bytes = 240 : i64, name = "mbarriers"}, {bytes = 160 : i64, name = "warp totals"},
// CHECK-SAME: {bytes = 27648 : i64, name = "tiles"}, {bytes = 27648 : i64, name = "tiles"}]
// CHECK-COUNT-6: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-COUNT-6: nvvm.mbarrier.init %{{.*}}, %c3_i32 :
// CHECK-COUNT-12: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-COUNT-6: nvvm.mbarrier.init %{{.*}}, %c3_i32 :
// CHECK: scf.while (%{{.*}} = %true, %{{.*}} = %c3, %{{.*}} = %c3,
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[LOADED:.*]], %c9216_i32
// CHECK: arith.subi
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %[[LOADED]], %c4608_i32
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %[[LOADED]], %c4608_i32
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: gpu.return
#rt = affine_map<(d0, d1) -> (d0, d1)>
func.func @affine(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %p: memref<?x?xi32>, %q: memref<?x?xi32>) {
  scan.kernel dim = 1 reverse
      ins(%a, %b : memref<?x?xi32>, memref<?x?xi32>) outs(%p, %q : memref<?x?xi32>, memref<?x?xi32>)
      maps [#rt, #rt, #rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 192, items = 12, scope = grid, blocks = 2, stages = 6>}
      load {
      ^bb0(%ea: i32, %eb: i32):
        scan.yield %ea, %eb : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %x = arith.muli %a0, %a1 : i32
        %m = arith.muli %b0, %a1 : i32
        %y = arith.addi %m, %b1 : i32
        scan.yield %x, %y : i32, i32
      } store {
      ^bb0(%ia: i32, %ib: i32, %xa: i32, %xb: i32, %ea: i32, %eb: i32):
        scan.yield %ia, %ib : i32, i32
      }
  return
}

// -----

// The first output has the place of the input; the second one, of which there is no other input,
// and the third one, whose elements are wider, have a buffer of one tile each.

// CHECK-LABEL: gpu.func @more_outputs_scan0(
// CHECK-SAME: {bytes = 9216 : i64, name = "tiles"}, {bytes = 3072 : i64, name = "tiles"}, {bytes = 6384 : i64, name = "tiles"}]
#m = affine_map<(d0) -> (d0)>
func.func @more_outputs(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %w: memref<?xf64>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) outs(%y, %z, %w : memref<?xf32>, memref<?xf32>, memref<?xf64>)
      maps [#m, #m, #m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        %double = arith.addf %inclusive, %inclusive : f32
        %wide = arith.extf %inclusive : f32 to f64
        scan.yield %inclusive, %double, %wide : f32, f32, f64
      }
  return
}

// -----

// Segment offsets: a mask of each tile in shared memory, 25 words of 32 steps, and an mbarrier
// more for each stage, which says what tile comes next. The publisher makes the mask of the
// first tile, and that of the next one while this one is scanned: once a tile is drawn, it clears
// the words of the slot and looks for offsets; behind the publication it sets their bits, and
// arrives for the tile to be loaded, as the loader does.

// CHECK-LABEL: gpu.func @packed_scan0(
// CHECK-SAME: {bytes = 192 : i64, name = "mbarriers"}
// CHECK-SAME: {bytes = 400 : i64, name = "segment masks"}
// CHECK-DAG: %[[MASKS:.*]] = memref.view {{.*}} to memref<100xi32
// CHECK-DAG: %[[TICKETS:.*]] = memref.view {{.*}} to memref<5xi64
// CHECK-COUNT-8: nvvm.mbarrier.init %{{.*}}, %c2_i32 :
// CHECK-COUNT-8: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c2_i32 :
// CHECK-COUNT-4: nvvm.mbarrier.init %{{.*}}, %c1_i32 :
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: arith.cmpi ult, %[[WARP:.*]], %c2 : index

// Twice: where tiles are scanned and where they are stored.
// CHECK-COUNT-4: memref.load %[[MASKS]][
// CHECK-NOT: memref.load %[[MASKS]][

// CHECK: arith.cmpi eq, %[[WARP]], %c2 : index
// CHECK: memref.store %{{.*}}, %[[TICKETS]]
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.cp.async.bulk

// CHECK: arith.cmpi eq, %[[WARP]], %c3 : index
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.load %[[TICKETS]]
// CHECK: memref.store %c0_i32, %[[MASKS]][
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load %{{.*}} : memref<?xi32
// CHECK: llvm.atomicrmw _or {{.*}} : !llvm.ptr<3>, i32
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: memref.store %c0_i32, %[[MASKS]][
// CHECK: llvm.store {{.*}} atomic syncscope("device") monotonic
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.atomicrmw _or {{.*}} : !llvm.ptr<3>, i32
// CHECK: nvvm.mbarrier.arrive %

#m = affine_map<(d0) -> (d0)>
#list = affine_map<(d0) -> (0)>
func.func @packed(%x: memref<?xf32>, %s: memref<?xi32>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x, %s : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) maps [#m, #list, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 4>, segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      }
  return
}
