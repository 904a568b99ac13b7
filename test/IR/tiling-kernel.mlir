// RUN: scan-opt %s --split-input-file --scan-normalize --scan-fuse-elementwise --canonicalize --transform-interpreter --canonicalize --cse | FileCheck %s
// (tiling-numbers.test runs these programs: the lines `run:` are their inputs.)

// scan.kernel under upstream's tiling and fusion scripts. It has its destinations
// as operands: tiles of them go into the loop and come out of it.

// CHECK-LABEL: func.func @affine
// CHECK:         scf.for %[[IV:.+]] = %{{.+}} iter_args(%[[P:.+]] = %{{.+}}, %[[H:.+]] = %{{.+}}, %[[PL:.+]] = %{{.+}}, %[[HL:.+]] = %{{.+}})
// CHECK-DAG:       %[[TP:.+]] = tensor.extract_slice %[[P]][%[[IV]], 0]
// CHECK-DAG:       %[[TH:.+]] = tensor.extract_slice %[[H]][%[[IV]], 0]
// CHECK-DAG:       %[[TPL:.+]] = tensor.extract_slice %[[PL]][%[[IV]]]
// CHECK-DAG:       %[[THL:.+]] = tensor.extract_slice %[[HL]][%[[IV]]]
// CHECK:           %[[T:.+]]:4 = scan.kernel dim = 1 reverse
// CHECK:             outs(%[[TP]], %[[TH]] : {{.+}}) finals(%[[TPL]], %[[THL]] :
// CHECK:           tensor.insert_slice %[[T]]#3 into %[[HL]][%[[IV]]]
// run: random:i32:BxN:1 random:i32:BxN:2 random:i32::3 random:i32:B:4
func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: i32, %j: tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p, %h, %pl, %hl = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : i32, tensor<?xi32>) dim = 1 reverse exclusive {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p, %h, %pl, %hl : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// CHECK-LABEL: func.func @matrices
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice {{.+}}, 2, 2] [1, 1, 1, 1, 1] : tensor<?x?x?x2x2xi32> to tensor<?x?x?x2x2xi32>
// CHECK:           scan.kernel dim = 1
// run: random:i32:BxNx3x2x2:1 random:i32:Bx3x2x2:2
func.func @matrices(%m: tensor<?x?x?x2x2xi32>, %i: tensor<?x?x2x2xi32>) -> (tensor<?x?x?x2x2xi32>, tensor<?x?x2x2xi32>) {
  %p, %last = scan.associative ins(%m : tensor<?x?x?x2x2xi32>) init(%i : tensor<?x?x2x2xi32>) dim = 1 {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xi32>, tensor<2x2xi32>)
                       outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %c : tensor<2x2xi32>
  } -> tensor<?x?x?x2x2xi32>, tensor<?x?x2x2xi32>
  return %p, %last : tensor<?x?x?x2x2xi32>, tensor<?x?x2x2xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %scan tile_sizes [2, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Broadcasts from all sides: a coefficient of extent 1, a gate per channel, a
// transposed input, an output that is written transposed.
// CHECK-LABEL: func.func @maps
// CHECK-SAME:    (%[[A:.+]]: tensor<1x?x?xi32>, %[[B:.+]]: tensor<?x?x?xi32>, %[[G:.+]]: tensor<?xi32>)
// CHECK:         scf.for %[[I:[^ ]+]]
// CHECK:           scf.for %[[J:[^ ]+]]
// CHECK-DAG:         tensor.extract_slice %[[A]][0, 0, %[[J]]] [1,
// CHECK-DAG:         tensor.extract_slice %[[B]][%[[J]], %[[I]], 0]
// CHECK-DAG:         tensor.extract_slice %[[G]][%[[J]]]
// CHECK:             scan.kernel dim = 1 reverse
// CHECK:             tensor.insert_slice %{{.+}} into %{{.+}}[%[[J]], %[[I]], 0]
// run: random:i32:1xNx5:1 random:i32:5xBxN:2 random:i32:5:3
func.func @maps(%a: tensor<1x?x?xi32>, %b: tensor<?x?x?xi32>, %g: tensor<?xi32>) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %b, %c0 : tensor<?x?x?xi32>
  %e = tensor.dim %b, %c1 : tensor<?x?x?xi32>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xi32>
  %empty = tensor.empty(%e, %n, %d) : tensor<?x?x?xi32>
  %turned = linalg.transpose ins(%b : tensor<?x?x?xi32>) outs(%empty : tensor<?x?x?xi32>) permutation = [1, 2, 0]
  %h = scan.linear_recurrence ins(%a, %turned : tensor<1x?x?xi32>, tensor<?x?x?xi32>) dim = 1 reverse -> tensor<?x?x?xi32>
  %out = tensor.empty(%d, %e, %n) : tensor<?x?x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (k, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %g : tensor<?x?x?xi32>, tensor<?xi32>) outs(%out : tensor<?x?x?xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %r = arith.muli %p, %q : i32
    linalg.yield %r : i32
  } -> tensor<?x?x?xi32>
  return %y : tensor<?x?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [2, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Nothing but the output says the extents.
// CHECK-LABEL: func.func @constant
// CHECK:         scf.for
// CHECK:           scan.kernel dim = 1
// CHECK-NEXT:        outs(
// run: random:i32:BxN:1
func.func @constant(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %b = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%b, %n) : tensor<?x?xi32>
  %twos = linalg.fill ins(%two : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %y = scan.associative ins(%twos : tensor<?x?xi32>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %t = arith.muli %acc, %new : i32
    scan.yield %t : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// A consumer that was not fused into the kernel (it needs two rows at a time) takes
// the kernel into its loop.
// CHECK-LABEL: func.func @consumer
// CHECK:         scf.for
// CHECK:           scan.kernel dim = 0
// CHECK:           linalg.matmul
// CHECK:         return
// run: random:i32:NxBx2:1 random:i32:2x3:2
func.func @consumer(%x: tensor<?x?x2xi32>, %w: tensor<2x3xi32>) -> tensor<?x3xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %y, %last = scan.associative ins(%x : tensor<?x?x2xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %c3 = arith.constant 3 : i32
    %t = arith.muli %acc, %c3 : i32
    %s = arith.subi %t, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?x2xi32>, tensor<?x2xi32>
  %b = tensor.dim %x, %c1 : tensor<?x?x2xi32>
  %empty = tensor.empty(%b) : tensor<?x3xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x3xi32>) -> tensor<?x3xi32>
  %z = linalg.matmul ins(%last, %w : tensor<?x2xi32>, tensor<2x3xi32>) outs(%zeros : tensor<?x3xi32>) -> tensor<?x3xi32>
  return %z : tensor<?x3xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loop = transform.structured.fuse %matmul tile_sizes [2, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Buffers: the tiles are views.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME:    (%[[X:.+]]: memref<?x?xi32>, %[[I:.+]]: memref<?xi32>, %[[Y:.+]]: memref<?x?xi32>)
// CHECK:         scf.for %[[IV:[^ ]+]]
// CHECK-DAG:       %[[TX:.+]] = memref.subview %[[X]][%[[IV]], 0]
// CHECK-DAG:       %[[TI:.+]] = memref.subview %[[I]][%[[IV]]]
// CHECK-DAG:       %[[TY:.+]] = memref.subview %[[Y]][%[[IV]], 0]
// CHECK:           scan.kernel dim = 1
// CHECK-NEXT:        ins(%[[TX]] : {{.+}}) init(%[[TI]] : {{.+}}) outs(%[[TY]] :
func.func @buffers(%x: memref<?x?xi32>, %i: memref<?xi32>, %y: memref<?x?xi32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xi32>) init(%i : memref<?xi32>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } initialize {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
