// RUN: scan-opt %s --split-input-file --transform-interpreter --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s
// (tiling-numbers.test runs these programs: the lines `run:` are their inputs.)

// Tiles of scans over segments. Offsets, which are of no dimension of the domain, go
// to each tile whole, and so does the dimension that counts segments; flags per
// point are sliced as the elements are.

// CHECK-LABEL: func.func @offsets
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[I:.+]]: tensor<?x?xf32>, %[[S:.+]]: tensor<?xi32>)
// CHECK:         scf.for %[[IV:.+]] = %{{.+}} iter_args(%{{[^)]+}}) -> (tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK:           %[[SIZE:.+]] = affine.min
// CHECK-DAG:       %[[TX:.+]] = tensor.extract_slice %[[X]][0, %[[IV]]] [%{{.+}}, %[[SIZE]]] [1, 1]
// CHECK-DAG:       %[[TI:.+]] = tensor.extract_slice %[[I]][0, %[[IV]]] [%[[COUNT:.+]], %[[SIZE]]] [1, 1]
// CHECK:           %{{.+}}, %[[L:.+]] = scan.linear_recurrence ins(%[[TX]], %[[TX]] : {{.*}}) init(%[[TI]] : tensor<?x?xf32>) segments(%[[S]] : tensor<?xi32>) dim = 0
// CHECK:           tensor.insert_slice %[[L]] into %{{.+}}[0, %[[IV]]] [%[[COUNT]], %[[SIZE]]] [1, 1]
// run: random:f32:NxB:1 random:f32:3xB:2 values:i32:4:0,0,0,N
func.func @offsets(%x: tensor<?x?xf32>, %i: tensor<?x?xf32>, %s: tensor<?xi32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) init(%i : tensor<?x?xf32>)
      segments(%s : tensor<?xi32>) dim = 0 -> tensor<?x?xf32>, tensor<?x?xf32>
  return %y, %last : tensor<?x?xf32>, tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// CHECK-LABEL: func.func @flags
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?x?xi32>, %[[F:.+]]: tensor<?x?x1xi1>, %[[G:.+]]: tensor<?xi1>)
// CHECK:         scf.for %[[IV:[^ ]+]]
// CHECK:           scf.for
// CHECK:             tensor.extract_slice %[[F]][%[[IV]], 0, 0] [%{{[^,]+}}, %{{[^,]+}}, 1] [1, 1, 1] : tensor<?x?x1xi1>
// CHECK:             scan.associative {{.*}} segments(%{{.*}} : tensor<?x?x1xi1>) dim = 1
// CHECK:         scf.for
// CHECK:           scan.associative {{.*}} segments(%[[G]] : tensor<?xi1>) dim = 1
// run: random:i32:BxNx3:1 random:i1:BxNx1:2 random:i1:N:3
func.func @flags(%x: tensor<?x?x?xi32>, %f: tensor<?x?x1xi1>, %g: tensor<?xi1>) -> (tensor<?x?x?xi32>, tensor<?x?x?xi32>) {
  %y = scan.associative ins(%x : tensor<?x?x?xi32>) segments(%f : tensor<?x?x1xi1>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?x?xi32>
  %z = scan.associative ins(%x : tensor<?x?x?xi32>) segments(%g : tensor<?xi1>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?x?xi32>
  return %y, %z : tensor<?x?x?xi32>, tensor<?x?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [2, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
