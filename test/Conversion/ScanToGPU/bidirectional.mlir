// Scans in both directions, in one GPU kernel or in two. (What is read and written
// is counted in test/Analysis/traffic-emulator.test.)

// RUN: scan-opt %s -split-input-file -convert-scan-to-gpu -canonicalize -cse -verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The row is one tile, and full: it is loaded once, scanned by shuffles up and
// by shuffles down, and an output of both is stored once. A warp waits only for
// itself.
// CHECK-LABEL: func.func @one_tile(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func
// CHECK-NOT:   {{gpu.shuffle|gpu.barrier}}
// CHECK:       nvvm.bar.warp.sync
// CHECK-NOT:   nvvm.bar.warp.sync
// CHECK-COUNT-6: gpu.shuffle up
// CHECK-COUNT-6: gpu.shuffle down
// CHECK-NOT:   gpu.shuffle
// CHECK:       nvvm.bar.warp.sync
// CHECK-NOT:   {{nvvm.bar.warp.sync|gpu.barrier}}
// CHECK:       gpu.return
func.func @one_tile(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x64xf32>) outs(%y, %z : memref<?x64xf32>, memref<?x64xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>, bidirectional = 1 : i64}
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

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The row is more than a tile: two kernels.
// CHECK-LABEL: func.func @two_tiles(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func
// CHECK-NOT:   gpu.shuffle down
func.func @two_tiles(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x64xf32>) outs(%y, %z : memref<?x64xf32>, memref<?x64xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>, bidirectional = 1 : i64}
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

// So it is where a thread walks each row, and where nobody knows how long it is.
// CHECK-LABEL: func.func @sequential(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @sequential(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x64xf32>) outs(%y, %z : memref<?x64xf32>, memref<?x64xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = sequential>, bidirectional = 1 : i64}
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
// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>, bidirectional = 1 : i64}
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
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>, bidirectional = 1 : i64}
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

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Unless the host runs it only with rows that a tile holds: of none, one thread stores the finals, of which there are
// none here.
// CHECK-LABEL: func.func @dynamic_range(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func
// CHECK:       gpu.shuffle down
func.func @dynamic_range(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>, bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 128>}
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

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @range_of_two_tiles(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @range_of_two_tiles(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>)
      maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>, bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 129>}
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

// Columns: two groups of a warp split the steps of 16 columns, two warps those of a tile. Each direction has one step
// of shuffles, one more for the exclusive value, and a barrier; each element is loaded and stored once.
// CHECK-LABEL: func.func @columns(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.func
// CHECK-COUNT-4: llvm.load
// CHECK-NOT:   llvm.load
// CHECK:       gpu.shuffle up {{.*}}, %c16_i32
// CHECK-NOT:   gpu.shuffle
// CHECK:       gpu.barrier
// CHECK:       gpu.shuffle up
// CHECK-NOT:   gpu.shuffle up
// CHECK:       gpu.shuffle down {{.*}}, %c16_i32
// CHECK-NOT:   gpu.shuffle
// CHECK:       gpu.barrier
// CHECK:       gpu.shuffle down
// CHECK-NOT:   {{gpu.shuffle|gpu.barrier|llvm.load}}
// CHECK-COUNT-4: llvm.store
// CHECK-NOT:   llvm.store
// CHECK:       gpu.return
func.func @columns(%x: memref<16x64xf32>, %z: memref<16x64xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<16x64xf32>) outs(%z : memref<16x64xf32>)
      maps [#id, #id]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 16>, bidirectional = 1 : i64}
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
        scan.yield %p : f32
      }
  return
}
