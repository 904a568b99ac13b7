// RUN: scan-ir-test %s --split-input-file --scan-normalize --transform-interpreter --test-fuse-consumer --verify-diagnostics

// The producer is tiled along the dimension that the scan walks.
func.func @scanned_dimension(%x: tensor<7x6xi32>, %y: tensor<7x6xi32>) -> tensor<7x6xi32> {
  %empty = tensor.empty() : tensor<7x6xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x6xi32>) outs(%empty : tensor<7x6xi32>) {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<7x6xi32>
  // expected-remark@+2 {{not fused after the tiles of operand #1: expected all of the scanned dimension, as each step needs the one before, found a part that is known at run time only in dimension 0; tile the producer in other dimensions only}}
  // expected-error@+1 {{not fused}}
  %h = scan.linear_recurrence ins(%y, %v : tensor<7x6xi32>, tensor<7x6xi32>) dim = 0 attributes {fuse} -> tensor<7x6xi32>
  return %h : tensor<7x6xi32>
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
// The producer is tiled along a trailing dimension.
func.func @trailing(%x: tensor<7x2x2xi32>) -> tensor<7x2x2xi32> {
  %empty = tensor.empty() : tensor<7x2x2xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<7x2x2xi32>) outs(%empty : tensor<7x2x2xi32>) {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<7x2x2xi32>
  // expected-remark@+2 {{not fused after the tiles of operand #0: expected all of a trailing dimension, found offset known at run time only and size 1 in dimension 2; tile the producer in other dimensions only}}
  // expected-error@+1 {{not fused}}
  %h = scan.associative ins(%v : tensor<7x2x2xi32>) dim = 0 attributes {fuse} {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %s = arith.addi %acc, %new : tensor<2x2xi32>
    scan.yield %s : tensor<2x2xi32>
  } -> tensor<7x2x2xi32>
  return %h : tensor<7x2x2xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %generic tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield
  }
}

// -----
// One loop makes two operands, whose tiles are of different parts of the scan.
func.func @tiles_disagree(%x: tensor<6x6xi32>) -> tensor<6x6x6xi32> {
  %empty = tensor.empty() : tensor<6x6xi32>
  %v:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x6xi32>) outs(%empty, %empty : tensor<6x6xi32>, tensor<6x6xi32>) {
  ^bb0(%e: i32, %out: i32, %out2: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r, %e : i32, i32
  } -> (tensor<6x6xi32>, tensor<6x6xi32>)
  %o = tensor.empty() : tensor<6x6x6xi32>
  // expected-remark@+2 {{not fused after the tiles of operand #1: expected the tiles of all operands to belong to one tile of the scan, found offset known at run time only and size 3 in dimension 0}}
  // expected-error@+1 {{not fused}}
  %h = scan.kernel dim = 2
      ins(%v#0, %v#1 : tensor<6x6xi32>, tensor<6x6xi32>) outs(%o : tensor<6x6x6xi32>)
      maps [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, i)>, affine_map<(i, j, k) -> (i, j, k)>]
      attributes {fuse}
      load {
      ^bb0(%e: i32, %f: i32):
        %g = arith.muli %e, %f : i32
        scan.yield %g : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %f: i32):
        scan.yield %inclusive : i32
      } -> tensor<6x6x6xi32>
  return %h : tensor<6x6x6xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %generic tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield
  }
}
