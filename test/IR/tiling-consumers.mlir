// RUN: scan-ir-test %s --split-input-file --scan-normalize --transform-interpreter --test-fuse-consumer --canonicalize --cse | FileCheck %s
// (tiling-numbers.test runs these programs: the lines `run:` are their inputs.)

// A scan as the consumer that is fused into the loop of its tiled producer. Upstream
// does that with operations that have destinations: after --scan-normalize.

// The new values come tile by tile, the coefficients are sliced, the one for all
// batches is not.
// CHECK-LABEL: func.func @recurrence
// CHECK-SAME:    (%[[A:.+]]: tensor<1x6xi32>, %[[X:.+]]: tensor<7x6xi32>, %[[H:.+]]: tensor<7xi32>)
// CHECK:         scf.for %[[IV:[^ ]+]]
// CHECK:           %[[V:.+]] = linalg.generic
// CHECK:           %[[I:.+]] = tensor.extract_slice %[[H]][%[[IV]]]
// CHECK:           scan.kernel dim = 1 reverse
// CHECK-NEXT:        ins(%[[A]], %[[V]] : tensor<1x6xi32>, tensor<?x6xi32>) init(%[[I]] : tensor<?xi32>)
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:i32:1x6:1 random:i32:7x6:2 random:i32:7:3
func.func @recurrence(%a: tensor<1x6xi32>, %x: tensor<7x6xi32>, %h0: tensor<7xi32>) -> (tensor<7x6xi32>, tensor<7xi32>) {
  %empty = tensor.empty() : tensor<7x6xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x6xi32>) outs(%empty : tensor<7x6xi32>) {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<7x6xi32>
  %h, %last = scan.linear_recurrence ins(%a, %v : tensor<1x6xi32>, tensor<7x6xi32>) init(%h0 : tensor<7xi32>) dim = 1 reverse
      attributes {fuse} -> tensor<7x6xi32>, tensor<7xi32>
  return %h, %last : tensor<7x6xi32>, tensor<7xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %generic tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield
  }
}

// -----
// Dynamic extents; the tiles come transposed from the producer.
// CHECK-LABEL: func.func @kernel
// CHECK:         scf.forall
// CHECK:           %[[V:.+]] = linalg.generic
// CHECK:           scan.kernel dim = 1
// CHECK-NEXT:        ins(%[[V]] :
// CHECK:         return
// run: random:i32:NxB:1 random:i32:BxN:2 random:i32:B:3
func.func @kernel(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>, %z: tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %b = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n, %b) : tensor<?x?xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<?x?xi32>
  %r, %last = scan.kernel dim = 1
      ins(%v : tensor<?x?xi32>) outs(%y : tensor<?x?xi32>) finals(%z : tensor<?xi32>)
      maps [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]
      attributes {fuse}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %c3 = arith.constant 3 : i32
        %t = arith.muli %acc, %c3 : i32
        %s = arith.subi %t, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } finalize {
      ^bb0(%state: i32):
        scan.yield %state : i32
      } -> tensor<?x?xi32>, tensor<?xi32>
  return %r, %last : tensor<?x?xi32>, tensor<?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %generic tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield
  }
}

// -----
// Two operands from one loop.
// CHECK-LABEL: func.func @two_leaves
// CHECK:         scf.for
// CHECK:           %[[V:.+]]:2 = linalg.generic
// CHECK:           scan.kernel dim = 0
// CHECK-NEXT:        ins(%[[V]]#0, %[[V]]#1 :
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:i32:7x6:1
func.func @two_leaves(%x: tensor<7x6xi32>) -> (tensor<7x6xi32>, tensor<7x6xi32>) {
  %empty = tensor.empty() : tensor<7x6xi32>
  %v:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x6xi32>) outs(%empty, %empty : tensor<7x6xi32>, tensor<7x6xi32>) {
  ^bb0(%e: i32, %out: i32, %out2: i32):
    %c3 = arith.constant 3 : i32
    %r = arith.muli %e, %e : i32
    %s = arith.xori %e, %c3 : i32
    linalg.yield %r, %s : i32, i32
  } -> (tensor<7x6xi32>, tensor<7x6xi32>)
  %p, %q = scan.associative ins(%v#0, %v#1 : tensor<7x6xi32>, tensor<7x6xi32>) dim = 0 attributes {fuse} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %m = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %m, %r : i32, i32
  } -> tensor<7x6xi32>, tensor<7x6xi32>
  return %p, %q : tensor<7x6xi32>, tensor<7x6xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %generic tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield
  }
}
