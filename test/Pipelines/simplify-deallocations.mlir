// RUN: scan-opt %s --split-input-file --scan-simplify-deallocations | FileCheck %s

// What is never freed is no operand any more, and the memory of an allocation is named by
// it. What may be freed stays, apart from what it cannot overlap.

// CHECK-LABEL: func.func @free(
// CHECK-SAME:    %[[M:.*]]: memref<8xf32>, %[[N:.*]]: memref<8xf32>, %[[OWNS:.*]]: i1, %[[V:.*]]: f32)
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[A:.*]] = memref.alloc() : memref<f32>
// CHECK-NOT:     %[[N]]
// CHECK-DAG:     bufferization.dealloc (%[[M]] : memref<8xf32>) if (%[[OWNS]])
// CHECK-DAG:     bufferization.dealloc (%[[A]] : memref<f32>) if (%[[TRUE]])
// CHECK:         return
func.func @free(%m: memref<8xf32>, %n: memref<8xf32>, %owns: i1, %v: f32) {
  %true = arith.constant true
  %false = arith.constant false
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  %base, %offset = memref.extract_strided_metadata %a : memref<f32> -> memref<f32>, index
  bufferization.dealloc (%m, %n, %base : memref<8xf32>, memref<8xf32>, memref<f32>) if (%owns, %false, %true)
  return
}

// -----

// Where nothing is freed, nothing else changes.

// CHECK-LABEL: func.func @nothing(
// CHECK-SAME:    %[[M:.*]]: memref<8xf32>)
// CHECK-NEXT:    %{{.*}} = arith.constant false
// CHECK-NEXT:    %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    arith.addi %[[C1]], %[[C1]]
// CHECK-NEXT:    return
func.func @nothing(%m: memref<8xf32>) -> index {
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %two = arith.addi %c1, %c1 : index
  bufferization.dealloc (%m : memref<8xf32>) if (%false)
  return %two : index
}
