// RUN: scan-opt %s --split-input-file --transform-interpreter --canonicalize --cse | FileCheck %s
// (tiling-numbers.test runs these programs: the lines `run:` are their inputs.)

// Shifts tile like scans, and the indices that a kernel reads are those of the
// whole domain in every tile.

// CHECK-LABEL: func.func @shift
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x?xi32>, %[[B:[^:]+]]: tensor<?xi32>
// CHECK:         scf.for %[[IV:[^ ]+]] = %{{.+}}
// CHECK-DAG:       %[[TX:.+]] = tensor.extract_slice %[[X]][%[[IV]], 0]
// CHECK-DAG:       %[[TB:.+]] = tensor.extract_slice %[[B]][%[[IV]]]
// CHECK:           scan.shift %[[TX]] boundary(%[[TB]] : tensor<?xi32>) dim = 1 by = -2
// run: random:i32:BxN:1 random:i32:B:2
func.func @shift(%x: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> {
  %p = scan.shift %x boundary(%b : tensor<?xi32>) dim = 1 by = -2 : tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.shift"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// The offset of the tile is one more input of `load` and `store`, and one more
// init; the scan dimension, which is not tiled, has none.
// CHECK-LABEL: func.func @indices
// CHECK:         scf.for %[[IV:[^ ]+]] = %{{.+}}
// CHECK:           %[[K:.+]] = arith.index_cast %[[IV]] : index to i64
// CHECK:           scan.kernel dim = 1
// CHECK-NEXT:        ins(%{{.+}}, %{{.+}}, %[[K]] : tensor<?x?xi64>, i64, i64) init(%{{.+}}, %[[K]] : tensor<?xi64>, i64)
// CHECK-NEXT:        maps {{.*}} attributes {boundaries = array<i64: 1, -1, -1>, shifts = array<i64: 1, 0, 0>}
// CHECK-NEXT:        load {
// CHECK-NEXT:        ^bb0(%{{.+}}: i64, %{{.+}}: i64, %[[L:.+]]: i64):
// CHECK-DAG:           %[[R:.+]] = scan.index 0 : index
// CHECK-DAG:           %[[O:.+]] = arith.index_cast %[[L]] : i64 to index
// CHECK-DAG:           %[[S:.+]] = arith.addi %[[R]], %[[O]] : index
// CHECK-DAG:           %[[T:.+]] = scan.index 1 : index
// CHECK:               arith.muli %[[S]], %[[T]] : index
// CHECK:             initialize {
// CHECK-NEXT:        ^bb0(%{{.+}}: i64, %[[I:.+]]: i64):
// CHECK:               arith.index_cast %[[I]] : i64 to index
// run: random:i64:BxN:1 random:i64:B:2
func.func @indices(%x: tensor<?x?xi64>, %h: tensor<?xi64>) -> (tensor<?x?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  %b = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %o = tensor.empty(%b, %n) : tensor<?x?xi64>
  %l = tensor.empty(%b) : tensor<?xi64>
  %y:2 = scan.kernel dim = 1
      ins(%x, %five : tensor<?x?xi64>, i64) init(%h : tensor<?xi64>) outs(%o : tensor<?x?xi64>) finals(%l : tensor<?xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: i64, %f: i64):
        %r = scan.index 0 : index
        %t = scan.index 1 : index
        %p = arith.muli %r, %t : index
        %k = arith.index_cast %p : index to i64
        %s = arith.addi %k, %e : i64
        scan.yield %s : i64
      } initialize {
      ^bb0(%i: i64):
        %r = scan.index 0 : index
        %k = arith.index_cast %r : index to i64
        %s = arith.muli %k, %i : i64
        scan.yield %s : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64, %f: i64):
        %r = scan.index 0 : index
        %k = arith.index_cast %r : index to i64
        %s = arith.xori %k, %in : i64
        scan.yield %s : i64
      } finalize {
      ^bb0(%in: i64):
        scan.yield %in : i64
      } -> tensor<?x?xi64>, tensor<?xi64>
  return %y#0, %y#1 : tensor<?x?xi64>, tensor<?xi64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
