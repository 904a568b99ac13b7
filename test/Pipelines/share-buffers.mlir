// RUN: scan-opt %s --scan-share-buffers="min-buffers=2" | FileCheck %s
// RUN: scan-opt %s --scan-share-buffers | FileCheck %s --check-prefix=FEW
// RUN: not scan-opt %s --scan-share-buffers="min-buffers=-1" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: scan-share-buffers: expected min-buffers of at least 0, found -1

// The third buffer takes the place of the first one, which nobody looks at any
// more; the second is still read where the third is written.
// CHECK-LABEL: func @in_turn
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index
// CHECK-DAG:  %[[A:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:      memref.copy %[[X]], %[[A]]
// CHECK:      %[[B:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[B]], %[[A]]
// CHECK-NEXT: memref.copy %[[A]], %[[X]]
// CHECK-NEXT: return

// FEW-LABEL: func @in_turn
// FEW-COUNT-3: memref.alloc
// FEW: return
func.func @in_turn(%x: memref<?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  memref.copy %c, %x : memref<?xf32> to memref<?xf32>
  return
}

// The buffer that is used first stands behind the other one.
// CHECK-LABEL: func @moved
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: return
func.func @moved(%v: f32, %w: f32, %x: memref<8xf32>) {
  %later = memref.alloc() : memref<8xf32>
  %sooner = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%sooner : memref<8xf32>)
  memref.copy %sooner, %x : memref<8xf32> to memref<8xf32>
  linalg.fill ins(%w : f32) outs(%later : memref<8xf32>)
  memref.copy %later, %x : memref<8xf32> to memref<8xf32>
  return
}

// A view of a buffer is the buffer, also in a loop.
// CHECK-LABEL: func @views
// CHECK-COUNT-2: memref.alloc
// CHECK: return
func.func @views(%v: f32, %x: memref<4xf32>, %lower: index, %upper: index, %step: index) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32>)
  %half = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<8xf32>)
  scf.for %i = %lower to %upper step %step {
    memref.copy %half, %x : memref<4xf32, strided<[1]>> to memref<4xf32>
  }
  %c = memref.load %b[%lower] : memref<8xf32>
  memref.store %c, %x[%lower] : memref<4xf32>
  return
}

// Who returns, yields or passes a buffer on may keep it; other types and other
// extents are other buffers.
// CHECK-LABEL: func @kept
// CHECK-COUNT-5: memref.alloc
// CHECK: return
func.func private @keep(memref<8xf32>)
func.func @kept(%v: f32, %m: index, %n: index) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  call @keep(%a) : (memref<8xf32>) -> ()
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<8xf32>)
  %c = memref.alloc() : memref<4xf32>
  linalg.fill ins(%v : f32) outs(%c : memref<4xf32>)
  %d = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%v : f32) outs(%d : memref<?xf32>)
  %e = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%v : f32) outs(%e : memref<?xf32>)
  return %b : memref<8xf32>
}

// What is copied into a part of another buffer, where it has one dimension less, is that part, if nobody looks at
// the part meanwhile.
// CHECK-LABEL: func @part
// CHECK-SAME:    %[[X:.*]]: memref<?x4x?xf32>, %[[N:.*]]: index, %[[P:.*]]: index, %[[ROWS:.*]]: index, %[[M:.*]]: index
// CHECK:         %[[ALL:.*]] = memref.alloc(%[[M]], %[[N]])
// CHECK-NOT:     memref.alloc
// CHECK:         %[[PART:.*]] = memref.subview %[[ALL]][0, 0] [%[[ROWS]], %[[N]]] [1, 1]
// CHECK:         %[[PLACE:.*]] = memref.expand_shape %[[PART]] {{\[}}[0, 1], [2]] output_shape [%[[P]], 4, %[[N]]]
// CHECK:         linalg.exp ins(%[[X]] {{.*}} outs(%[[PLACE]]
// CHECK-NOT:     memref.copy
// CHECK:         return %[[ALL]]
func.func @part(%x: memref<?x4x?xf32>, %n: index, %p: index, %rows: index, %m: index) -> memref<?x?xf32> {
  %all = memref.alloc(%m, %n) : memref<?x?xf32>
  %chunks = memref.alloc(%p, %n) : memref<?x4x?xf32>
  linalg.exp ins(%x : memref<?x4x?xf32>) outs(%chunks : memref<?x4x?xf32>)
  %flat = memref.collapse_shape %chunks [[0, 1], [2]] : memref<?x4x?xf32> into memref<?x?xf32>
  %part = memref.subview %all[0, 0] [%rows, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  memref.copy %flat, %part : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  return %all : memref<?x?xf32>
}

// The other buffer is looked at before the copy, and what is copied is looked at behind it.
// CHECK-LABEL: func @not_part
// CHECK:         memref.copy
// CHECK:         memref.copy
// CHECK:         return
func.func @not_part(%x: memref<2x4x8xf32>, %y: memref<2x4x8xf32>) -> memref<9x8xf32> {
  %all = memref.alloc() : memref<9x8xf32>
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2x4x8xf32>
  linalg.exp ins(%x : memref<2x4x8xf32>) outs(%a : memref<2x4x8xf32>)
  linalg.fill ins(%zero : f32) outs(%all : memref<9x8xf32>)
  %flatA = memref.collapse_shape %a [[0, 1], [2]] : memref<2x4x8xf32> into memref<8x8xf32>
  %partA = memref.subview %all[1, 0] [8, 8] [1, 1] : memref<9x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 8>>
  memref.copy %flatA, %partA : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 8>>
  %b = memref.alloc() : memref<2x4x8xf32>
  linalg.exp ins(%y : memref<2x4x8xf32>) outs(%b : memref<2x4x8xf32>)
  %flatB = memref.collapse_shape %b [[0, 1], [2]] : memref<2x4x8xf32> into memref<8x8xf32>
  %partB = memref.subview %all[0, 0] [8, 8] [1, 1] : memref<9x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  memref.copy %flatB, %partB : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  linalg.exp ins(%b : memref<2x4x8xf32>) outs(%y : memref<2x4x8xf32>)
  return %all : memref<9x8xf32>
}
