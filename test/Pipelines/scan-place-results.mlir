// RUN: scan-opt %s -split-input-file -scan-place-results | FileCheck %s
// RUN: scan-opt %s -split-input-file -scan-place-results -convert-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// Each result by its number, its bytes, and what it has to be aligned to.

// CHECK-LABEL: llvm.func @scan.allocate_result(i64, i64, i64) -> (!llvm.ptr {llvm.noalias})
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK-DAG:     %[[ROWS:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[COUNT:.*]] = arith.muli %{{.*}}, %[[ROWS]] : i64
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 2 : i64
// CHECK-DAG:     %[[BYTES:.*]] = arith.muli %[[COUNT]], %[[SIZE]] : i64
// CHECK-DAG:     %[[NUMBER:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[ALIGNMENT:.*]] = arith.constant 64 : i64
// CHECK:         llvm.call @scan.allocate_result(%{{.*}}, %[[BYTES]], %[[ALIGNMENT]]) : (i64, i64, i64) -> !llvm.ptr
// CHECK:         %[[FIRST:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x8xbf16>
// CHECK:         memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         %[[OTHER_BYTES:.*]] = arith.muli
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         %[[OTHER_ALIGNMENT:.*]] = arith.constant 8 : i64
// CHECK:         llvm.call @scan.allocate_result(%[[ZERO]], %[[OTHER_BYTES]], %[[OTHER_ALIGNMENT]])
// CHECK:         %[[SECOND:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<complex<f32>>
// CHECK:         memref.dealloc
// CHECK:         return %[[SECOND]], %[[FIRST]]
//
// LLVM-LABEL: llvm.func @two(
// LLVM-NOT:     builtin.unrealized_conversion_cast
// LLVM:         llvm.call @scan.allocate_result
// LLVM-NOT:     builtin.unrealized_conversion_cast
func.func @two(%n: index) -> (memref<complex<f32>>, memref<?x8xbf16>) {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x8xbf16>
  %t = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc() : memref<complex<f32>>
  memref.dealloc %t : memref<?xf32>
  return %b, %a : memref<complex<f32>>, memref<?x8xbf16>
}

// Seen in another shape.

// CHECK-LABEL: func.func @views(
// LLVM-LABEL:  llvm.func @views(
// CHECK-COUNT-2: llvm.call @scan.allocate_result
// CHECK-NOT:     memref.alloc
func.func @views(%n: index) -> (memref<?xf32>, memref<?x2x8xf32, strided<[?, ?, ?], offset: ?>>) {
  %a = memref.alloc(%n) : memref<?x8xf32>
  %x = memref.collapse_shape %a [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  %b = memref.alloc(%n) : memref<?x8xf32>
  %c2 = arith.constant 2 : index
  %half = arith.divsi %n, %c2 : index
  %e = memref.expand_shape %b [[0, 1], [2]] output_shape [%half, 2, 8] : memref<?x8xf32> into memref<?x2x8xf32>
  %y = memref.cast %e : memref<?x2x8xf32> to memref<?x2x8xf32, strided<[?, ?, ?], offset: ?>>
  return %x, %y : memref<?xf32>, memref<?x2x8xf32, strided<[?, ?, ?], offset: ?>>
}

// What is returned twice is placed once; what a callee, a branch or a part of
// an array is, not at all; nor is anything of private functions.

// CHECK-LABEL: func.func @twice(
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         llvm.call @scan.allocate_result(%[[ZERO]],
// CHECK-NOT:     llvm.call
// CHECK:         return %[[X:.*]], %[[X]] :
func.func @twice(%n: index) -> (memref<?xf32>, memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  return %a, %a : memref<?xf32>, memref<?xf32>
}

// CHECK-LABEL: func.func private @callee(
// CHECK-NOT:     llvm.call
func.func private @callee(%n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     llvm.call
func.func @others(%n: index, %c: i1, %x: memref<4xf32>) -> (memref<?xf32>, memref<?xf32>, memref<2xf32, strided<[1], offset: 2>>, memref<4xf32>, memref<4xf32, affine_map<(d0) -> (d0 * 2)>>) {
  %a = func.call @callee(%n) : (index) -> memref<?xf32>
  %b = scf.if %c -> memref<?xf32> {
    %d = memref.alloc(%n) : memref<?xf32>
    scf.yield %d : memref<?xf32>
  } else {
    scf.yield %a : memref<?xf32>
  }
  %e = memref.alloc() : memref<4xf32>
  %p = memref.subview %e[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  %g = memref.alloc() : memref<4xf32, affine_map<(d0) -> (d0 * 2)>>
  return %a, %b, %p, %x, %g : memref<?xf32>, memref<?xf32>, memref<2xf32, strided<[1], offset: 2>>, memref<4xf32>, memref<4xf32, affine_map<(d0) -> (d0 * 2)>>
}

// CHECK-LABEL: func.func @blocks(
// CHECK-NOT:     llvm.call
func.func @blocks(%n: index, %c: i1) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  cf.cond_br %c, ^end, ^end
^end:
  return %a : memref<?xf32>
}

// -----

// The name is taken.

// CHECK-LABEL: func.func @mine(
// CHECK:         memref.alloc(
func.func @mine(%n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}
func.func private @scan.allocate_result()
