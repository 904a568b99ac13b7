// RUN: scan-opt %s --scan-to-fused=target=cpu --scan-pack-operands --scan-split-destinations --eliminate-empty-tensors --scan-bufferize --cse --canonicalize | FileCheck %s

// After bufferization a history is allocated once, rows are computed where they belong,
// and what is copied is rows.

// CHECK-LABEL: func.func @history
// CHECK:         %[[H:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<?x64xf32>
// CHECK:         memref.copy %{{.+}}, %{{.+}} : memref<2x64xf32> to
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK-NOT:       memref.alloc(%
// CHECK-NOT:       : memref<?x64xf32{{.*}} to memref<?x64xf32
// CHECK:           %[[AT:.+]] = arith.addi %{{.+}}, %c2
// CHECK:           %[[ROW:.+]] = memref.subview %[[H]][%[[AT]], 0] [1, 64] [1, 1]
// CHECK-NEXT:      linalg.generic {{.*}} outs(%[[ROW]] :
// CHECK:         }
// CHECK:         return %[[H]]
func.func @history(%x: tensor<?x64xf32>, %init: tensor<2x64xf32>) -> tensor<?x64xf32> {
  %h = scan.recurrence ins(%x : tensor<?x64xf32>) init(%init : tensor<2x64xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %h1: tensor<64xf32>, %h2: tensor<64xf32>, %row: tensor<64xf32>):
    %p = arith.mulf %h1, %h2 : tensor<64xf32>
    %next = arith.addf %p, %row : tensor<64xf32>
    scan.yield %next : tensor<64xf32>
  } -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// States that change places: a row is put aside, no history.
// CHECK-LABEL: func.func @swap
// CHECK-COUNT-2: memref.alloc(%{{.+}}) {{.*}} : memref<?x8xf32>
// CHECK:         scf.for
// CHECK-NOT:       : memref<?x8xf32{{.*}} to memref<?x8xf32
// CHECK-NOT:       memref.alloc(%
// CHECK:           memref.copy %{{.+}}, %{{.+}} : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK-NOT:       memref.copy
// CHECK:         }
// CHECK:         return
func.func @swap(%i: tensor<1x8xf32>, %j: tensor<1x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %r:2 = scan.recurrence init(%i, %j : tensor<1x8xf32>, tensor<1x8xf32>) steps(%n : index) dim = 0
      attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %g1: tensor<8xf32>, %h1: tensor<8xf32>):
    scan.yield %h1, %g1 : tensor<8xf32>, tensor<8xf32>
  } -> tensor<?x8xf32>, tensor<?x8xf32>
  return %r#0, %r#1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// Time in the middle: batches of rows, outputs and final states besides.
// CHECK-LABEL: func.func @cell
// CHECK:         scf.for
// CHECK-NOT:       : memref<2x?x8xf32{{.*}} to memref<2x?x8xf32
// CHECK-NOT:       memref.alloc(%
// CHECK:         }
// CHECK:         return
func.func @cell(%x: tensor<2x?x8xf32>, %h0: tensor<2x1x8xf32>, %w: tensor<8x8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>) {
  %h, %y = scan.recurrence ins(%x : tensor<2x?x8xf32>) init(%h0 : tensor<2x1x8xf32>) captures(%w : tensor<8x8xf32>) dim = 1 init_rows {
  ^bb0(%t: index, %h1: tensor<2x8xf32>, %row: tensor<2x8xf32>, %weights: tensor<8x8xf32>):
    %sum = linalg.matmul ins(%h1, %weights : tensor<2x8xf32>, tensor<8x8xf32>) outs(%row : tensor<2x8xf32>) -> tensor<2x8xf32>
    %next = math.tanh %sum : tensor<2x8xf32>
    %out = arith.mulf %next, %row : tensor<2x8xf32>
    scan.yield %next, %out : tensor<2x8xf32>, tensor<2x8xf32>
  } -> tensor<2x?x8xf32>, tensor<2x?x8xf32>
  return %h, %y : tensor<2x?x8xf32>, tensor<2x?x8xf32>
}

// Only the last rows are asked for: what is allocated and copied is rows.
// CHECK-LABEL: func.func @last
// CHECK:         %[[ROWS:.+]] = memref.alloc() {{.*}} : memref<2x64xf32>
// CHECK-NOT:     memref.alloc(%
// CHECK-NOT:     : memref<?x64xf32{{.*}} to memref<?x64xf32
// CHECK:         return
func.func @last(%x: tensor<?x64xf32>, %init: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<?x64xf32>) init(%init : tensor<2x64xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<64xf32>, %h2: tensor<64xf32>, %row: tensor<64xf32>):
    %next = arith.mulf %h2, %row : tensor<64xf32>
    scan.yield %next : tensor<64xf32>
  } -> tensor<?x64xf32>, tensor<2x64xf32>
  return %last : tensor<2x64xf32>
}

// Weights are brought into panels once, in front of the loop; what is allocated in it is a
// row.
// CHECK-LABEL: func.func @layer
// CHECK:         %[[PANELS:.+]] = memref.alloc() {{.*}} : memref<2x64x32xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[PANELS]] :
// CHECK:         scf.for
// CHECK-NOT:       : memref<8x?x64xf32{{.*}} to memref<8x?x64xf32
// CHECK-NOT:       memref<2x64x32xf32> {
// CHECK-NOT:       memref.alloc(%
// CHECK-NOT:       memref<64x64xf32>
// CHECK:           linalg.generic {{.*}} %[[PANELS]]
// CHECK-NOT:       memref.alloc(%
// CHECK:         }
// CHECK:         return
func.func @layer(%x: tensor<8x?x64xf32>, %h0: tensor<8x1x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x?x64xf32> {
  %h = scan.recurrence ins(%x : tensor<8x?x64xf32>) init(%h0 : tensor<8x1x64xf32>) captures(%w : tensor<64x64xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<8x64xf32>, %row: tensor<8x64xf32>, %weights: tensor<64x64xf32>):
    %sum = linalg.matmul ins(%h1, %weights : tensor<8x64xf32>, tensor<64x64xf32>) outs(%row : tensor<8x64xf32>) -> tensor<8x64xf32>
    %next = math.tanh %sum : tensor<8x64xf32>
    scan.yield %next : tensor<8x64xf32>
  } -> tensor<8x?x64xf32>
  return %h : tensor<8x?x64xf32>
}
