// RUN: scan-opt %s --scan-expand-copies | FileCheck %s

// CHECK-LABEL: func.func @layouts
// CHECK-SAME:    (%[[DENSE:.+]]: memref<?x4xf32>, %[[STRIDED:.+]]: memref<?x4xf32, strided<[8, 2]>>)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[STRIDED]] :
// CHECK-SAME:      outs(%[[DENSE]] :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[DENSE]] :
// CHECK-SAME:      outs(%[[STRIDED]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @layouts(%dense: memref<?x4xf32>, %strided: memref<?x4xf32, strided<[8, 2]>>) {
  memref.copy %strided, %dense : memref<?x4xf32, strided<[8, 2]>> to memref<?x4xf32>
  memref.copy %dense, %strided : memref<?x4xf32> to memref<?x4xf32, strided<[8, 2]>>
  return
}

// What becomes a memcpy stays.

// CHECK-LABEL: func.func @dense
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    return
func.func @dense(%x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  memref.copy %x, %y : memref<?x4xf32> to memref<?x4xf32>
  return
}

// CHECK-LABEL: func.func @unranked
// CHECK:         memref.copy
// CHECK-NEXT:    return
func.func @unranked(%x: memref<*xf32>, %y: memref<?x4xf32, strided<[8, 2]>>) {
  %z = memref.cast %y : memref<?x4xf32, strided<[8, 2]>> to memref<*xf32>
  memref.copy %x, %z : memref<*xf32> to memref<*xf32>
  return
}

// A type that a dense array can have.

// CHECK-LABEL: func.func @clone_dense
// CHECK-SAME:    (%[[X:.+]]: memref<?x4xf32, strided<[?, ?], offset: ?>>)
// CHECK:         %[[A:.+]] = memref.alloc(%{{.+}}) : memref<?x4xf32>
// CHECK:         %[[C:.+]] = memref.cast %[[A]]
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[C]] :
// CHECK:         return %[[C]]
func.func @clone_dense(%x: memref<?x4xf32, strided<[?, ?], offset: ?>>) -> memref<?x4xf32, strided<[?, ?], offset: ?>> {
  %y = bufferization.clone %x : memref<?x4xf32, strided<[?, ?], offset: ?>> to memref<?x4xf32, strided<[?, ?], offset: ?>>
  return %y : memref<?x4xf32, strided<[?, ?], offset: ?>>
}

// One that says where it starts.

// CHECK-LABEL: func.func @clone_offset
// CHECK:         %[[A:.+]] = memref.alloc(%{{.+}}) : memref<?xf32>
// CHECK:         %[[C:.+]] = memref.reinterpret_cast %[[A]] to offset: [3], sizes: [%{{.+}}, 2], strides: [%{{.+}}, 2]
// CHECK:         return %[[C]]
func.func @clone_offset(%x: memref<?x2xf32, strided<[?, 2], offset: 3>>) -> memref<?x2xf32, strided<[?, 2], offset: 3>> {
  %y = bufferization.clone %x : memref<?x2xf32, strided<[?, 2], offset: 3>> to memref<?x2xf32, strided<[?, 2], offset: 3>>
  return %y : memref<?x2xf32, strided<[?, 2], offset: 3>>
}

// CHECK-LABEL: func.func @clone_row_major
// CHECK-NEXT:    bufferization.clone
func.func @clone_row_major(%x: memref<?xf32>) -> memref<?xf32> {
  %y = bufferization.clone %x : memref<?xf32> to memref<?xf32>
  return %y : memref<?xf32>
}

// What clears memory of a GPU fills that of the host.

// CHECK-LABEL: func.func @memset
// CHECK-SAME:    (%[[X:.+]]: memref<?xf32>)
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%[[X]] : memref<?xf32>)
// CHECK-NOT:     gpu.memset
// CHECK:         return
func.func @memset(%x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  gpu.memset %x, %zero : memref<?xf32>, f32
  return
}
