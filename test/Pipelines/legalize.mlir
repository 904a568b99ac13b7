// RUN: scan-opt %s --scan-linalg-to-loops --scan-legalize | FileCheck %s

// Each function gets the passes that have something to do for it, and nothing else changes
// what it has.

// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT:    %[[C:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[D:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[C]], %[[D]] : index
// CHECK-NEXT:    return %[[S]]
func.func @nothing() -> index {
  %c = arith.constant 1 : index
  %d = arith.constant 1 : index
  %s = arith.addi %c, %d : index
  return %s : index
}

// CHECK-LABEL: func.func @structured(
// CHECK:         scf.for
// CHECK:           math.exp %{{.*}} : f32
func.func @structured(%x: memref<8xf32>) {
  linalg.exp ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @narrow(
// CHECK:         math.exp %{{.*}} : f32
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK-NOT:     arith.truncf
// CHECK:         return %{{.*}} : bf16
func.func @narrow(%x: bf16) -> bf16 {
  %e = math.exp %x : bf16
  %p = arith.mulf %e, %x : bf16
  return %p : bf16
}

// CHECK-LABEL: func.func @half(
// CHECK:         math.exp %{{.*}} : f32
func.func @half(%x: f16) -> f16 {
  %e = math.exp %x : f16
  return %e : f16
}

// CHECK-LABEL: func.func @parts(
// CHECK-NOT:     complex.mul
// CHECK:         complex.create
func.func @parts(%x: complex<f32>) -> complex<f32> {
  %y = complex.mul %x, %x : complex<f32>
  return %y : complex<f32>
}

// CHECK-LABEL: func.func @rounds_up(
// CHECK-NOT:     arith.ceildivui
// CHECK:         arith.divui
func.func @rounds_up(%a: index, %b: index) -> index {
  %c = arith.ceildivui %a, %b : index
  return %c : index
}

// CHECK-LABEL: func.func @layouts(
// CHECK:         memref.reinterpret_cast
// CHECK-NOT:     memref.subview
// CHECK-NOT:     affine.apply
// CHECK:         memref.load
func.func @layouts(%x: memref<8x8xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.subview %x[%i, 0] [1, 8] [1, 1]
      : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %e = memref.load %v[%c0] : memref<8xf32, strided<[1], offset: ?>>
  return %e : f32
}

// CHECK-LABEL: func.func @maps(
// CHECK-NOT:     affine.apply
// CHECK:         arith.addi
func.func @maps(%i: index) -> index {
  %j = affine.apply affine_map<(i) -> (i + 1)>(%i)
  return %j : index
}
