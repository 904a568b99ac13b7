// RUN: scan-opt %s -scan-bufferize | FileCheck %s
// RUN: scan-opt %s -scan-bufferize="writable-arguments" | FileCheck %s --check-prefix=WRITABLE

// Arguments are in row-major order and are not written to.

// CHECK-LABEL: func.func @read_only(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[V:.*]]: f32)
// CHECK:         %[[Y:.*]] = memref.alloc
// CHECK:         memref.copy %[[X]], %[[Y]]
// CHECK:         memref.store %[[V]], %[[Y]]
// CHECK:         return %[[Y]]

// WRITABLE-LABEL: func.func @read_only(
// WRITABLE-SAME:    %[[X:.*]]: memref<?xf32>, %[[V:.*]]: f32)
// WRITABLE-NOT:     memref.alloc
// WRITABLE:         memref.store %[[V]], %[[X]]
// WRITABLE:         return %[[X]]
func.func @read_only(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.insert %v into %x[%c0] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// What the program says about an argument is left alone.

// CHECK-LABEL: func.func @writable(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @writable(%x: tensor<?xf32> {bufferization.writable = true}, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.insert %v into %x[%c0] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// A part of an array is returned as a view.

// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    -> memref<4xf32, strided<[2], offset: 1>>
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @slice(%x: tensor<9xf32>) -> tensor<4xf32> {
  %y = tensor.extract_slice %x[1] [4] [2] : tensor<9xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}
