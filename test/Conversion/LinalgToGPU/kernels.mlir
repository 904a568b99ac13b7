// RUN: scan-opt %s --scan-linalg-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// Three dimensions that are one in memory become one, so that no thread divides.

// CHECK: #[[$GRID:.*]] = affine_map<()[s0] -> ((s0 ceildiv 256) ceildiv ((s0 ceildiv 256) floordiv 2147483648 + 1), (s0 ceildiv 256) floordiv 2147483648 + 1, 1)>
// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func @scan_kernels::@elementwise_map0 blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%c256, %c1, %c1)
// CHECK:         gpu.func @elementwise_map0(%[[XP:.*]]: memref<complex<f64>>, %[[YP:.*]]: memref<complex<f64>>, %[[N:.*]]: index) kernel
// CHECK-SAME:      scan.block = array<i64: 256, 1, 1>
// CHECK-SAME:      scan.grid = #[[$GRID]]
// CHECK-SAME:      scan.strategy = "elementwise"
// CHECK-DAG:       %[[X:.*]] = memref.reinterpret_cast %[[XP]] to offset: [0], sizes: [%[[N]]], strides: [1]
// CHECK-DAG:       %[[Y:.*]] = memref.reinterpret_cast %[[YP]] to offset: [0], sizes: [%[[N]]], strides: [1]
// CHECK-NOT:       arith.rem
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[I:[a-z0-9_]+]], %[[N]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:        %[[E:.*]] = complex.exp %[[V]]
// CHECK-NEXT:        memref.store %[[E]], %[[Y]][%[[I]]]
// CHECK-NEXT:      }
func.func @elementwise(%x: memref<2x?x3xcomplex<f64>>, %y: memref<2x?x3xcomplex<f64>>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<2x?x3xcomplex<f64>>) outs(%y : memref<2x?x3xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %b: complex<f64>):
    %e = complex.exp %a : complex<f64>
    linalg.yield %e : complex<f64>
  }
  return
}

// -----

// The threads own neighbouring columns, though the loop over them is the outer
// one, and the fill is what they start from. A long walk loads several points at a
// time; ptxas is told to take the registers that this needs.

// CHECK-LABEL: func.func @columns(
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func @columns_map0(
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>, nvvm.minctasm = 1 : i32
// CHECK:           %[[ZERO:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:           scf.if
// CHECK:             %[[REST:.*]] = arith.remui %{{.*}}, %c32
// CHECK:             %[[MIDDLE:.*]] = arith.subi %{{.*}}, %[[REST]]
// CHECK:             %[[SUMS:.*]] = scf.for %{{.*}} = %c0 to %[[MIDDLE]] step %c32 iter_args(%{{.*}} = %[[ZERO]]) -> (f32) {
// CHECK-COUNT-32:      arith.addf
// CHECK-NOT:           arith.addf
// CHECK:             %[[SUM:.*]] = scf.for %[[K:.*]] = %[[MIDDLE]] to %{{.*}} step %c1 iter_args(%[[ACC:.*]] = %[[SUMS]]) -> (f32) {
// CHECK:               %[[V:.*]] = memref.load %{{.*}}[%[[K]], %[[J:[a-z0-9_]+]]]
// CHECK:               arith.addf %[[V]], %[[ACC]]
// CHECK:             memref.store %[[SUM]], %{{.*}}[%[[J]]]
func.func @columns(%x: memref<?x64xf32>) -> memref<64xf32> {
  %c = arith.constant 0.5 : f32
  %y = memref.alloc() : memref<64xf32>
  linalg.fill ins(%c : f32) outs(%y : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(j, k) -> (k, j)>, affine_map<(j, k) -> (j)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %a, %b : f32
    linalg.yield %e : f32
  }
  return %y : memref<64xf32>
}

// -----

// A fill stays where it is read, or where the memory may be another operand's.

// CHECK-LABEL: func.func @fills(
// CHECK-COUNT-5: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @fills(%x: memref<64xf32>, %z: memref<64xf32>) -> memref<64xf32> {
  %c = arith.constant 0.5 : f32
  %y = memref.alloc() : memref<64xf32>
  linalg.fill ins(%c : f32) outs(%y : memref<64xf32>)
  linalg.exp ins(%y : memref<64xf32>) outs(%z : memref<64xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%c : f32) outs(%x : memref<64xf32>)
  linalg.add ins(%z, %z : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  return %y : memref<64xf32>
}

// -----

// Copies and stores; the result of the function that is a whole buffer is left
// to the manifest.

// CHECK-LABEL: func.func @copies(
// CHECK:         gpu.launch_func @scan_kernels::@copies_map0 {{.*}} args(%{{.*}} : memref<i8>, %{{.*}} : index, %{{.*}} : memref<i8>, %{{.*}} : index)
// CHECK:         gpu.launch_func @scan_kernels::@copies_map1 {{.*}} args(%{{.*}} : i8, %{{.*}} : memref<i8>, %{{.*}} : index)
// CHECK:         memref.copy %arg0, %arg3
func.func @copies(%x: memref<8x?xi8>, %i: index, %v: i8, %y: memref<8x?xi8> {scan.result = {index = 0 : i64, shape = ["8", "arg0_d1"]}}) -> memref<?xi8> {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<8x?xi8>
  %a = memref.alloc(%n) : memref<?xi8>
  %row = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<8x?xi8> to memref<?xi8, strided<[1], offset: ?>>
  memref.copy %row, %a : memref<?xi8, strided<[1], offset: ?>> to memref<?xi8>
  memref.store %v, %a[%i] : memref<?xi8>
  memref.copy %x, %y : memref<8x?xi8> to memref<8x?xi8>
  return %a : memref<?xi8>
}

// -----

// A copy out of something that changes afterwards is a kernel.

// CHECK-LABEL: func.func @snapshot(
// CHECK-NOT:     memref.copy
// CHECK-COUNT-2: gpu.launch_func
func.func @snapshot(%x: memref<8xi8>, %v: i8, %y: memref<8xi8> {scan.result = {index = 0 : i64, shape = ["8"]}}) {
  memref.copy %x, %y : memref<8xi8> to memref<8xi8>
  linalg.fill ins(%v : i8) outs(%x : memref<8xi8>)
  return
}

// -----

// What the region reads from outside is passed along: scalars, and arrays with
// their extents.

// CHECK-LABEL: func.func @gather(
// CHECK:         gpu.launch_func {{.*}} args(%{{.*}} : memref<i32>, %{{.*}} : memref<f32>, %{{.*}} : index, %{{.*}} : f32, %{{.*}} : memref<f32>, %[[N:.*]] : index, %[[M:.*]] : index, %[[K:.*]] : index)
// CHECK:         gpu.func @gather_map0(
// CHECK-SAME:      {dim = 0 : i64, kind = "size", name = "n0"}, {dim = 1 : i64, kind = "size", name = "n1"}, {dim = 2 : i64, kind = "size", name = "n2"}
// CHECK:           %[[I:[a-z0-9_]+]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:           memref.load %{{.*}}[%[[I]], %{{.*}}] : memref<?x?xf32
func.func @gather(%i: memref<?xi32>, %t: memref<?x?xf32>, %s: f32, %y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%i : memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: i32, %b: f32):
    %j = arith.index_cast %a : i32 to index
    %n = memref.dim %t, %c1 : memref<?x?xf32>
    %last = arith.subi %n, %c1 : index
    %v = memref.load %t[%j, %last] : memref<?x?xf32>
    %w = arith.mulf %v, %s : f32
    linalg.yield %w : f32
  }
  return
}

// -----

// Points that write the same element belong to one thread.

// CHECK-LABEL: func.func @diagonals(
// CHECK:         gpu.func @diagonals_map0(
// CHECK-SAME:      scan.block = array<i64: 32, 1, 1>
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               memref.load
// CHECK:               memref.store
func.func @diagonals(%x: memref<4x5xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x5xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %a, %b : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// What no launch can take the place of stays: tensors, and operations in device
// code.

// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     gpu.launch_func
// CHECK:         linalg.exp ins(%{{.*}} : tensor<4xf32>)
// CHECK:         gpu.launch blocks
// CHECK:           linalg.exp
// CHECK:         scf.parallel
// CHECK:           linalg.exp
// CHECK-NOT:     gpu.module
func.func @stays(%t: tensor<4xf32>, %x: memref<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  gpu.launch blocks(%a, %b, %c) in (%ga = %c1, %gb = %c1, %gc = %c1)
             threads(%d, %f, %g) in (%gd = %c1, %ge = %c1, %gf = %c1) {
    linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
    gpu.terminator
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
  return %e : tensor<4xf32>
}
