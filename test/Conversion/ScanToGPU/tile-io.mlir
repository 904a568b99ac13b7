// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#rt = affine_map<(d0, d1) -> (d0, d1)>

// Matrices travel two elements at a time: the neighbouring threads of a warp read
// its 32 matrices in two steps. A thread's matrix is two chunks of shared memory,
// where one chunk stays unused after every eight.

// CHECK-LABEL: gpu.func @matrices_scan0
// CHECK-SAME: %[[IN:[^ ]*]] : memref<1150xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[OUT:[^ ]*]] : memref<1150xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[TID]], %[[C32]]
// CHECK: %[[WARP:.*]] = arith.divui %[[TID]], %[[C32]]
// CHECK: %[[ISROW:.*]] = arith.cmpi ult, %[[ROW:[^,]*]],
// CHECK: scf.if %[[ISROW]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[WARP]], %{{.*}}
// CHECK: %[[PAIR:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: arith.addi %[[FIRST]], %[[PAIR]]
// CHECK: %[[AT:.*]] = llvm.getelementptr
// CHECK-NEXT: llvm.load %[[AT]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xf64>
// CHECK-NEXT: %[[BEHIND:.*]] = llvm.getelementptr %[[AT]][512]
// CHECK-NEXT: llvm.load %[[BEHIND]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xf64>
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: %[[PAD:.*]] = arith.divui
// CHECK: %[[CHUNK:.*]] = arith.addi %[[FIRST]], %[[PAD]]
// CHECK: %[[OFWARP:.*]] = arith.muli %[[CHUNK]], %[[C2]]
// CHECK: %[[OFLANE:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: %[[GROUP:.*]] = arith.divui %[[LANE]], %[[C8]]
// CHECK: %[[PAD:.*]] = arith.muli %[[GROUP]], %[[C2]]
// CHECK: %[[INWARP:.*]] = arith.addi %[[OFLANE]], %[[PAD]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[OFWARP]], %[[INWARP]]
// CHECK: vector.store %{{.*}}, %[[IN]][%[[SLOT]]] {alignment = 16 : i64}
// CHECK: else
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[FIRST:.*]] = arith.muli %[[TID]], %[[C2]]
// CHECK: %[[PAD:.*]] = arith.divui %[[TID]], %[[C4]]
// CHECK: %[[CHUNK:.*]] = arith.addi %[[FIRST]], %[[PAD]]
// CHECK: arith.muli %[[CHUNK]], %[[C2]]
// CHECK-COUNT-2: vector.load %[[IN]]{{.*}} vector<2xf64>
func.func @matrices(%x: memref<?x?x2x2xf64>, %y: memref<?x?x2x2xf64>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?x2x2xf64>) outs(%y : memref<?x?x2x2xf64>) maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 256>}
      load {
      ^bb0(%e0: f64, %e1: f64, %e2: f64, %e3: f64):
        scan.yield %e0, %e1, %e2, %e3 : f64, f64, f64, f64
      } combine {
      ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %b0: f64, %b1: f64, %b2: f64, %b3: f64):
        %r0 = arith.addf %a0, %b0 : f64
        %r1 = arith.addf %a1, %b1 : f64
        %r2 = arith.addf %a2, %b2 : f64
        %r3 = arith.addf %a3, %b3 : f64
        scan.yield %r0, %r1, %r2, %r3 : f64, f64, f64, f64
      } store {
      ^bb0(%i0: f64, %i1: f64, %i2: f64, %i3: f64, %x0: f64, %x1: f64, %x2: f64, %x3: f64,
           %e0: f64, %e1: f64, %e2: f64, %e3: f64):
        scan.yield %i0, %i1, %i2, %i3 : f64, f64, f64, f64
      }
  return
}

// A scan dimension that is not contiguous is accessed in place, and three
// elements per thread are moved one by one, without padding. What does not vary
// along the scan is read once a row.

// CHECK-LABEL: gpu.func @mixed_scan0
// CHECK-SAME: workgroup(%{{.*}} : memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[IN:[^ ]*]] : memref<192xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-COUNT-2: memref.reinterpret_cast
// CHECK: %[[W:.*]] = memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK: scf.if
// CHECK: memref.load %[[W]]
// CHECK-COUNT-3: llvm.load {{.*}} vector<1xf32>
// In place, addresses grow by the stride from item to item.
// CHECK: llvm.load %[[Z0:[^ ]*]] {{.*}} -> f32
// CHECK-NEXT: %[[STRIDE:.*]] = arith.index_cast
// CHECK-NEXT: %[[Z1:.*]] = llvm.getelementptr %[[Z0]][%[[STRIDE]]]
// CHECK-NEXT: llvm.load %[[Z1]]
// CHECK-NEXT: %[[Z2:.*]] = llvm.getelementptr %[[Z1]][%[[STRIDE]]]
// CHECK-NEXT: llvm.load %[[Z2]]
// CHECK: scf.for
// CHECK-COUNT-3: vector.store %{{.*}}, %[[IN]]
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-3: vector.load %[[IN]]
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}}, %[[Y0:[^ ]*]] {{.*}} : f32
// CHECK: %[[Y1:.*]] = llvm.getelementptr %[[Y0]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[Y1]]
// CHECK-NEXT: %[[Y2:.*]] = llvm.getelementptr %[[Y1]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[Y2]]
// CHECK-NEXT: scf.yield
func.func @mixed(%x: memref<?x?xf32>, %z: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x, %z, %w : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>)
      maps [#rt, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1, d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>}
      load {
      ^bb0(%e: f32, %f: f32, %g: f32):
        %p = arith.mulf %e, %f : f32
        %q = arith.mulf %p, %g : f32
        scan.yield %q : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %f: f32, %g: f32):
        scan.yield %inclusive : f32
      }
  return
}

// One warp whose only shared memory is that of the store: it waits for itself, so
// that the next tile's writes stay behind this tile's reads.

// CHECK-LABEL: gpu.func @only_store_scan0
// CHECK-SAME: workgroup(%[[OUT:[^ ]*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[OUT]]
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: vector.load %[[OUT]]
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: scf.yield
func.func @only_store(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [affine_map<(d0, d1) -> (d1, d0)>, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>}
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

// Beyond 48 KiB of shared memory operands are accessed in place: the input
// takes 1024 * 8 * 4 bytes and padding, the output finds no room.

// CHECK-LABEL: gpu.func @budget_scan0
// CHECK-SAME: workgroup(%{{[^ ]*}} : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[IN:[^ ]*]] : memref<9212xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: kernel
func.func @budget(%x: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 1024, items = 8>}
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
