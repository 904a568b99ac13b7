// A fill that sets all bits of a whole buffer to zero takes no kernel.
//
// RUN: scan-opt %s --scan-linalg-to-gpu --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[X:.*]]: memref<?x3xf32>, %[[Y:.*]]: memref<8xcomplex<f64>>, %[[Z:.*]]: memref<4xi1>
// CHECK: gpu.memset %[[X]], %{{.*}} : memref<?x3xf32>, f32
// CHECK: gpu.memset %[[Y]], %{{.*}} : memref<8xcomplex<f64>>, complex<f64>
// CHECK: gpu.memset %[[Z]], %{{.*}} : memref<4xi1>, i1
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[X]]
// CHECK: gpu.memset %[[FLAT]], %{{.*}} : memref<?xf32>, f32
// CHECK: %[[A:.*]] = memref.alloc() : memref<i32>
// CHECK: gpu.memset %[[A]], %{{.*}} : memref<i32>, i32
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @whole(%x: memref<?x3xf32>, %y: memref<8xcomplex<f64>>, %z: memref<4xi1>) -> memref<i32> {
  %f = arith.constant 0.0 : f32
  %c = complex.constant [0.0, 0.0] : complex<f64>
  %b = arith.constant false
  %i = arith.constant 0 : i32
  linalg.fill ins(%f : f32) outs(%x : memref<?x3xf32>)
  linalg.fill ins(%c : complex<f64>) outs(%y : memref<8xcomplex<f64>>)
  linalg.fill ins(%b : i1) outs(%z : memref<4xi1>)
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x3xf32> into memref<?xf32>
  linalg.fill ins(%f : f32) outs(%flat : memref<?xf32>)
  %a = memref.alloc() : memref<i32>
  memref.store %i, %a[] : memref<i32>
  return %a : memref<i32>
}

// -----

// A negative zero, another number, one that is not known, and parts of buffers.

// CHECK-LABEL: func.func @kernels(
// CHECK-NOT: gpu.memset
// CHECK-COUNT-6: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @kernels(%x: memref<64xf32>, %y: memref<64xcomplex<f32>>, %z: memref<64xf32, strided<[1], offset: ?>>, %v: f32) {
  %n = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c = complex.constant [0.0 : f32, -0.0 : f32] : complex<f32>
  linalg.fill ins(%n : f32) outs(%x : memref<64xf32>)
  linalg.fill ins(%one : f32) outs(%x : memref<64xf32>)
  linalg.fill ins(%v : f32) outs(%x : memref<64xf32>)
  linalg.fill ins(%c : complex<f32>) outs(%y : memref<64xcomplex<f32>>)
  linalg.fill ins(%zero : f32) outs(%z : memref<64xf32, strided<[1], offset: ?>>)
  %part = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%part : memref<32xf32, strided<[1]>>)
  return
}
