// RUN: scan-opt %s --split-input-file --scan-deallocate | FileCheck %s

// What is not returned is freed at the end of its block, that of a loop included, and
// nothing is asked about it at run time.

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK:         %[[Y:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         %[[T:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         scf.for
// CHECK-NEXT:      %[[B:.*]] = memref.alloc() : memref<1xf32>
// CHECK:           memref.store %{{.*}}, %[[T]]
// CHECK-NEXT:      memref.dealloc %[[B]] : memref<1xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[T]]
// CHECK-NEXT:    memref.copy %[[V]]
// CHECK-NEXT:    memref.dealloc %[[T]] : memref<?xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @plain(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<1xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %b[%c0] : memref<1xf32>
    %w = memref.load %b[%c0] : memref<1xf32>
    memref.store %w, %t[%i] : memref<?xf32>
  }
  %view = memref.subview %t[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %view, %y : memref<?xf32, strided<[1]>> to memref<?xf32>
  return %y : memref<?xf32>
}

// -----

// A result is never memory of the caller.

// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[X:.*]]: memref<4xf32>)
// CHECK:         bufferization.clone %[[X]]
// CHECK:         return
func.func @argument(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// A buffer that comes out of a branch is freed once, whichever it is.

// CHECK-LABEL: func.func @branch(
// CHECK:         scf.if
// CHECK:         memref.alloc
// CHECK:         memref.dealloc
func.func @branch(%c: i1, %x: memref<4xf32>) {
  %y = scf.if %c -> (memref<4xf32>) {
    %a = memref.alloc() : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  memref.copy %y, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// What a call returns belongs to the caller.

// CHECK-LABEL: func.func @call(
// CHECK:         %[[Y:.*]] = call @make
// CHECK:         memref.copy
// CHECK:         memref.dealloc
func.func @call(%x: memref<4xf32>) {
  %y = call @make() : () -> memref<4xf32>
  memref.copy %y, %x : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func private @make(
// CHECK:         memref.alloc
// CHECK-NOT:     memref.dealloc
// CHECK:         return
func.func private @make() -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  return %y : memref<4xf32>
}
