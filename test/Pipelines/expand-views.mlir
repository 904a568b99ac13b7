// RUN: scan-opt %s --scan-expand-views --split-input-file | FileCheck %s

// Views become the arithmetic of their strides.

// CHECK-LABEL: func.func @subview
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xf32>, %[[O:[a-z0-9]+]]: index
// CHECK-NOT: memref.subview
// CHECK: memref.reinterpret_cast %{{.*}} to offset: {{\[}}%[[O]]]
func.func @subview(%x: memref<?xf32>, %o: index, %n: index, %i: index) -> f32 {
  %v = memref.subview %x[%o] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %e = memref.load %v[%i] : memref<?xf32, strided<[1], offset: ?>>
  return %e : f32
}

// -----

// Of two dimensions, transfers become loops; accesses of vectors stay.

// CHECK-LABEL: func.func @transfer
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<4xf32>
func.func @transfer(%x: memref<8x8xf32>, %i: index) -> vector<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %i], %zero : memref<8x8xf32>, vector<2x4xf32>
  return %v : vector<2x4xf32>
}

// -----

// What is no view stays as it is, and is not folded either.

// CHECK-LABEL: func.func @others
// CHECK: arith.addi
// CHECK: vector.load
func.func @others(%x: memref<?xf32>) -> vector<4xf32> {
  %zero = arith.constant 0 : index
  %sum = arith.addi %zero, %zero : index
  %v = vector.load %x[%sum] : memref<?xf32>, vector<4xf32>
  return %v : vector<4xf32>
}
