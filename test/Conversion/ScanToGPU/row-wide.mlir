// A thread's inputs of a tile are 20 words, too many to prefetch those of the next
// tile. One loop walks full and partial tiles then: where a tile is full is asked
// around its loads, and around its stores; the scan between them is there once.

// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#t = affine_map<(b, t) -> (b, t)>
#b = affine_map<(b, t) -> (b)>

// CHECK-LABEL: gpu.func @wide_scan0
// CHECK: %[[FULL:.*]] = arith.divui %[[N:.*]], %c128
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[N]], %c128
// CHECK: %[[STATE:.*]] = scf.for %[[TILE:.*]] = %c0 to %[[TILES]]
// CHECK-NEXT: %[[ISFULL:.*]] = arith.cmpi ult, %[[TILE]], %[[FULL]]
// CHECK: scf.if %[[ISFULL]] -> (f32,
// CHECK: else
// CHECK: arith.cmpi sgt
// CHECK: scf.yield
// CHECK-COUNT-6: gpu.shuffle up
// CHECK-NOT: gpu.shuffle up
// CHECK: scf.if %[[ISFULL]]
// CHECK: llvm.store
// CHECK: else
// CHECK: llvm.store
// Finals are those of the last tile, which is partial, or of the carry behind it.
// CHECK: %[[ISPARTIAL:.*]] = arith.cmpi uge, %[[TILE]], %[[FULL]]
// CHECK: scf.if %[[ISPARTIAL]]
// CHECK: memref.store
// CHECK: scf.yield
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[FULL]], %[[TILES]]
// CHECK: scf.if %[[DONE]]
// CHECK: memref.store %[[STATE]]
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
func.func @wide(%x0: memref<?x?xf32>, %x1: memref<?x?xf32>, %x2: memref<?x?xf32>, %x3: memref<?x?xf32>,
                %x4: memref<?x?xf32>, %y: memref<?x?xf32>, %last: memref<?xf32>) {
  scan.kernel dim = 1
      ins(%x0, %x1, %x2, %x3, %x4 : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>)
      outs(%y : memref<?x?xf32>) finals(%last : memref<?xf32>)
      maps [#t, #t, #t, #t, #t, #t, #b]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 4>}
      load {
      ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32):
        %s0 = arith.mulf %e0, %e1 : f32
        %s1 = arith.mulf %e2, %e3 : f32
        %s2 = arith.subf %s0, %s1 : f32
        %s = arith.addf %s2, %e4 : f32
        scan.yield %s : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32):
        scan.yield %inclusive : f32
      } finalize {
      ^bb0(%state: f32):
        scan.yield %state : f32
      }
  return
}
