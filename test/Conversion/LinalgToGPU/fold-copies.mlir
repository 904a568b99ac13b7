// RUN: scan-opt %s --scan-linalg-to-gpu | FileCheck %s

// A loop that reads a row and writes the next one reads it where it is.
// CHECK-LABEL: func.func @next(
// CHECK:         scf.for %[[T:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK-NOT:       memref.alloc
// CHECK:           gpu.launch_func
// CHECK-NOT:       gpu.launch_func
// CHECK:         }
func.func @next(%h: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %before = memref.subview %h[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %copy = memref.alloc() : memref<8xf32>
    memref.copy %before, %copy : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    %at = arith.addi %t, %c1 : index
    %row = memref.subview %h[%at, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.exp ins(%copy : memref<8xf32>) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
    memref.dealloc %copy : memref<8xf32>
  }
  return
}

// A part of the row is read, and lanes of it by all threads.
// CHECK-LABEL: func.func @part(
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           gpu.launch_func
// CHECK-NOT:       gpu.launch_func
// CHECK:         }
func.func @part(%h: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %before = memref.subview %h[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %copy = memref.alloc() : memref<8xf32>
    memref.copy %before, %copy : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    %some = memref.subview %copy[3] [5] [1] : memref<8xf32> to memref<5xf32, strided<[1], offset: 3>>
    %at = arith.addi %t, %c1 : index
    %row = memref.subview %h[%at, 0] [1, 5] [1, 1] : memref<?x8xf32> to memref<5xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%some : memref<5xf32, strided<[1], offset: 3>>) outs(%row : memref<5xf32, strided<[1], offset: ?>>) {
    ^bb0(%e: f32, %o: f32):
      %first = memref.load %copy[%c0] : memref<8xf32>
      %s = arith.addf %e, %first : f32
      linalg.yield %s : f32
    }
    memref.dealloc %copy : memref<8xf32>
  }
  return
}

// A sum starts from a row of an input, without a copy of it, whatever the buffer was before.
// CHECK-LABEL: func.func @start(
// CHECK:         scf.for
// CHECK:           gpu.launch_func @scan_kernels::@start_map0
// CHECK:           gpu.launch_func @scan_kernels::@start_map1 {{.*}} args(%{{[^ ]+}} : memref<f32>, %{{[^ ]+}} : memref<f32>, %{{[^ ]+}} : memref<f32>, %{{[^ ]+}} : index, %{{[^ ]+}} : memref<f32>)
// CHECK-NOT:       gpu.launch_func
// CHECK:         return
func.func @start(%w: memref<8x8xf32>, %v: memref<8xf32>, %x: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %t = %c0 to %n step %c1 {
    %row = memref.subview %x[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %sum = memref.alloc() : memref<8xf32>
    linalg.fill ins(%one : f32) outs(%sum : memref<8xf32>)
    memref.copy %row, %sum : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.generic {indexing_maps = [affine_map<(j, k) -> (k, j)>, affine_map<(j, k) -> (k)>, affine_map<(j, k) -> (j)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%w, %v : memref<8x8xf32>, memref<8xf32>) outs(%sum : memref<8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    }
  }
  return
}

// Rows that may be the same, and a row that is changed before it is read, are copied.
// CHECK-LABEL: func.func @same(
// CHECK:         scf.for
// CHECK:           memref.alloc
// CHECK-COUNT-2:   gpu.launch_func
func.func @same(%h: memref<?x8xf32>, %n: index, %other: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %before = memref.subview %h[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %copy = memref.alloc() : memref<8xf32>
    memref.copy %before, %copy : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    %row = memref.subview %h[%other, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.exp ins(%copy : memref<8xf32>) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
    memref.dealloc %copy : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func.func @changed(
// CHECK:         scf.for
// CHECK:           memref.alloc
// CHECK-COUNT-3:   gpu.launch_func
func.func @changed(%h: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %before = memref.subview %h[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %copy = memref.alloc() : memref<8xf32>
    memref.copy %before, %copy : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.exp ins(%copy : memref<8xf32>) outs(%before : memref<8xf32, strided<[1], offset: ?>>)
    %at = arith.addi %t, %c1 : index
    %row = memref.subview %h[%at, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.exp ins(%copy : memref<8xf32>) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
    memref.dealloc %copy : memref<8xf32>
  }
  return
}
