// RUN: scan-opt %s --split-input-file --transform-interpreter --scan-normalize --resolve-ranked-shaped-type-result-dims --canonicalize --cse \
// RUN:   --eliminate-empty-tensors --scan-bufferize --canonicalize --cse --canonicalize | FileCheck %s

// Tiles are computed in the buffers of the results: there is no other buffer, and
// nothing is copied.

// A scan at graph level has no destination; it gets the tile of the loop's.
// CHECK-LABEL: func.func @graph
// CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?x?xf32>, %[[H:.+]]: memref<?xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         %[[Y:.+]] = memref.alloc
// CHECK:         %[[LAST:.+]] = memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         scf.for %[[IV:[^ ]+]]
// CHECK-NOT:       memref.alloc
// CHECK-NOT:       memref.copy
// CHECK-DAG:       %[[TY:.+]] = memref.subview %[[Y]][%[[IV]], 0]
// CHECK-DAG:       %[[TL:.+]] = memref.subview %[[LAST]][%[[IV]]]
// CHECK:           scan.kernel dim = 1 reverse
// CHECK-NEXT:        outs(%[[TY]] : {{.+}}) finals(%[[TL]] :
// CHECK-NOT:       memref.alloc
// CHECK-NOT:       memref.copy
// CHECK:         return %[[Y]], %[[LAST]]
func.func @graph(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %h0: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      init(%h0 : tensor<?xf32>) dim = 1 reverse -> tensor<?x?xf32>, tensor<?xf32>
  return %h, %last : tensor<?x?xf32>, tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// A kernel whose destination is an argument that may be written.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    (%[[X:.+]]: memref<?x?xi32>, %[[Y:.+]]: memref<?x?xi32>)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         scf.forall
// CHECK-DAG:       %[[TX:.+]] = memref.subview %[[X]]
// CHECK-DAG:       %[[TY:.+]] = memref.subview %[[Y]]
// CHECK:           scan.kernel dim = 1
// CHECK-NEXT:        ins(%[[TX]] : {{.+}}) outs(%[[TY]] :
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return %[[Y]]
func.func @kernel(%x: tensor<?x?xi32>, %y: tensor<?x?xi32> {bufferization.writable = true}) -> tensor<?x?xi32> {
  %r = scan.kernel dim = 1
      ins(%x : tensor<?x?xi32>) outs(%y : tensor<?x?xi32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %scan tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
