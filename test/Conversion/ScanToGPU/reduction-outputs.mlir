// RUN: scan-opt %s --convert-scan-to-gpu --split-input-file | FileCheck %s

// One total per channel: every thread keeps its own over all steps. The two groups
// of a warp add up by one shuffle, and each warp adds to memory once.

// CHECK-LABEL: gpu.func @channels_scan0
// CHECK:      %[[TOTAL:.*]] = memref.alloca() : memref<1xf32>
// CHECK:      memref.store %{{.*}}, %[[TOTAL]]
// CHECK:      scf.for
// CHECK-NOT:    llvm.atomicrmw
// CHECK:        memref.load %[[TOTAL]]
// CHECK-NEXT:   arith.addf
// CHECK-NEXT:   memref.store %{{.*}}, %[[TOTAL]]
// CHECK:        scf.yield
// CHECK:      memref.load %[[TOTAL]]
// CHECK-NOT:  scf.for
// CHECK:      gpu.shuffle  xor
// CHECK-NOT:  gpu.shuffle
// CHECK:      llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1>, f32
// CHECK-NOT:  llvm.atomicrmw
// CHECK:      gpu.return
func.func @channels(%x: memref<?x?x?xf32>, %s: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?x?xf32>) outs(%s : memref<?xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 16, vector = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

// -----

// Sixteen totals per step, of all channels: 8 + 4 + 2 + 1 shuffles exchange halves,
// one more adds what two lanes then hold of the same one. 16 of 32 lanes add to
// memory.

// CHECK-LABEL: gpu.func @steps_scan0
// CHECK-NOT:  memref.alloca
// CHECK-COUNT-16: gpu.shuffle  xor
// CHECK-NOT:  gpu.shuffle
// CHECK:      %[[N:.*]] = arith.constant 16 : index
// CHECK:      arith.cmpi ult, %{{.*}}, %[[N]] : index
// CHECK:      llvm.atomicrmw fadd
// CHECK-NOT:  llvm.atomicrmw
// CHECK:      gpu.return
func.func @steps(%x: memref<2x128x64xf32>, %s: memref<2x128x16xf32>) {
  scan.kernel dim = 1 ins(%x : memref<2x128x64xf32>) outs(%s : memref<2x128x16xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 1, lanes = 32, vector = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        %p = arith.mulf %in, %e : f32
        scan.yield %in, %p, %e, %in, %p, %e, %in, %p, %e, %in, %p, %e, %in, %p, %e, %in : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      }
  return
}

// -----

// Four steps of a thread go together: 2 + 1 + 1 + 1 + 1 shuffles in place of four
// times five.

// CHECK-LABEL: gpu.func @items_scan0
// CHECK-COUNT-6: gpu.shuffle  xor
// CHECK-NOT:  gpu.shuffle
// CHECK:      llvm.atomicrmw add %{{.*}} : !llvm.ptr<1>, i32
// CHECK-NOT:  llvm.atomicrmw
// CHECK:      gpu.return
func.func @items(%x: memref<2x128x64xi32>, %s: memref<128xi32>) {
  scan.kernel dim = 1 ins(%x : memref<2x128x64xi32>) outs(%s : memref<128xi32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (t)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 4, lanes = 32, vector = 1>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %n = arith.addi %acc, %new : i32
        scan.yield %n : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %e: i32):
        scan.yield %in : i32
      }
  return
}

// -----

// Steps of each column go to memory at once. For that it matters whether two columns
// are neighbours: there is a body for each way to load them, and in the first one
// both are added behind one condition.

// CHECK-LABEL: gpu.func @columns_scan0
// CHECK:      llvm.load {{.*}} -> vector<2xi32>
// CHECK:      scf.if %[[BOTH:.*]] {
// CHECK:        llvm.atomicrmw fadd
// CHECK:      scf.if %[[BOTH]] {
// CHECK:        llvm.atomicrmw fadd
// CHECK-NOT:  vector<2xi32>
// CHECK-COUNT-2: llvm.atomicrmw fadd
// CHECK-NOT:  llvm.atomicrmw
// CHECK:      gpu.return
func.func @columns(%x: memref<2x1x?xf32>, %s: memref<1x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<2x1x?xf32>) outs(%s : memref<1x?xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (t, c)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 1, lanes = 32, vector = 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

// -----

// Rows: five shuffles, and one addition per warp, of each part of a complex number.
// What there is one of per step goes to memory at once.

// CHECK-LABEL: gpu.func @rows_scan0
// CHECK:      memref.alloca() : memref<1xcomplex<f32>>
// CHECK:      llvm.atomicrmw add {{.*}} : !llvm.ptr<1>, i64
// CHECK:      llvm.atomicrmw fadd
// CHECK:      llvm.atomicrmw fadd
// CHECK-NOT:  llvm.atomicrmw
// CHECK:      gpu.return
func.func @rows(%x: memref<8x64xcomplex<f32>>, %s: memref<8xcomplex<f32>>, %n: memref<64xi64>) {
  scan.kernel dim = 1 ins(%x : memref<8x64xcomplex<f32>>) outs(%s, %n : memref<8xcomplex<f32>>, memref<64xi64>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (t)>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 1>}
      load {
      ^bb0(%e: complex<f32>):
        scan.yield %e : complex<f32>
      } combine {
      ^bb0(%acc: complex<f32>, %new: complex<f32>):
        %m = complex.mul %acc, %new : complex<f32>
        scan.yield %m : complex<f32>
      } store {
      ^bb0(%in: complex<f32>, %ex: complex<f32>, %e: complex<f32>):
        %one = arith.constant 1 : i64
        scan.yield %in, %one : complex<f32>, i64
      }
  return
}
