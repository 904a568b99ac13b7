// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

// Two persistent blocks share the tiles of 128 steps. The workspace has a descriptor
// for each of the eight tiles; the launch has two blocks, and asks for shared
// memory: tickets, carries, totals of warps, the inputs of three tiles, the outputs
// of one.

// CHECK-LABEL: func.func @sum(
// CHECK: memref.alloc() {{.*}} : memref<24xi64>
// CHECK: gpu.launch_func @scan_kernels::@sum_scan0 blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
// CHECK-SAME: dynamic_shared_memory_size %c2112_i32 args(

// CHECK-LABEL: gpu.func @sum_scan0(
// CHECK-NOT: workgroup(
// CHECK: gpu.dynamic_shared_memory

// The first ticket, of twelve: eight for tiles and two for each block. No tile is prefetched
// before the stages: a stage in front of all tiles does that, with their code.
// CHECK: %[[DRAWN:.*]] = llvm.atomicrmw add
// CHECK: arith.cmpi eq, %{{.*}}, %c12_i64
// CHECK: llvm.atomicrmw add %{{.*}}, %c4294967284_i64
// CHECK: gpu.barrier
// CHECK-NOT: llvm.load
// CHECK-NOT: llvm.atomicrmw add
// CHECK: scf.while ({{.*}} = %true)

// A stage has one barrier. Before it, the prefetched tile is stored to shared memory,
// and each warp computes the tile-local scan of its part.
// CHECK: } do {
// CHECK: vector.store %{{.*}}, %[[INPUTS:.*]][%{{.*}}] {{.*}} memref<384xf32
// CHECK: nvvm.bar.warp.sync
// CHECK: vector.load %[[INPUTS]]
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: memref.store %{{.*}}, %[[TOTALS:.*]][%{{.*}}] : memref<4xf32
// CHECK: gpu.barrier

// Behind it, the next tile is prefetched, a ticket is drawn, the total is published.
// CHECK: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: llvm.atomicrmw add
// CHECK: memref.load %[[TOTALS]]
// CHECK: llvm.store {{.*}} atomic syncscope("device") monotonic

// One warp looks back for the tile of the stage before, and leaves what it finds
// for the next stage.
// CHECK: llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK-COUNT-5: gpu.shuffle down
// CHECK: llvm.store {{.*}} atomic syncscope("device") monotonic
// CHECK: memref.store %{{.*}}, %[[BEFORE:.*]][%[[PHASE:.*]]] : memref<2xf32

// What the stage before this one has left belongs to the tile that is stored now.
// CHECK: vector.load %[[INPUTS]]
// CHECK: memref.load %[[BEFORE]]
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: gpu.return
func.func @sum(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2, scope = grid, blocks = 2>}
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
