// RUN: scan-opt %s --split-input-file --transform-interpreter --verify-diagnostics

// Along the scanned dimension there are no tiles.
func.func @scanned_dimension(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+3 {{'scan.associative' op expected a tile with all of dimension 1, which is scanned: each step needs the one before; found a part that is known at run time only; give it the tile size 0, no threads, and tile the others}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{'scan.associative' op failed to generate tiling loops}}
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// The same of static extents.
func.func @static(%a: tensor<8x6xf32>, %b: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error@+3 {{'scan.linear_recurrence' op expected a tile with all of dimension 0, which is scanned: each step needs the one before; found offset known at run time only and size 4;}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{'scan.linear_recurrence' op failed to generate tiling loops}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<8x6xf32>, tensor<8x6xf32>) dim = 0 reverse -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [4, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Threads along the scanned dimension: upstream warns, for it is not parallel.
func.func @threads(%x: memref<8x6xf32>, %y: memref<8x6xf32>) {
  // expected-warning@+5 {{tiling is not thread safe at axis #1}}
  // expected-error@+4 {{'scan.kernel' op expected a tile with all of dimension 1, which is scanned}}
  // expected-error@+3 {{to tile operation}}
  // expected-error@+2 {{'scan.kernel' op failed to generate tiling loops}}
  // expected-note@+1 {{when applied to this op}}
  scan.kernel dim = 1
      ins(%x : memref<8x6xf32>) outs(%y : memref<8x6xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{transform.structured.tile_using_forall failed to apply}}
    %tiled, %loop = transform.structured.tile_using_forall %scan num_threads [2, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// A consumer that is tiled along the scanned dimension. Fusion goes without the
// scan, and says so.
func.func @consumer(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{result #0 not fused into its consumer: expected all of the scanned dimension, as each step needs the one before, found a part that is known at run time only in dimension 1; tile the consumer in other dimensions only}}
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %z = linalg.exp ins(%y : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loops:2 = transform.structured.fuse %exp tile_sizes [2, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// A consumer that is tiled along a trailing dimension.
func.func @trailing(%m: tensor<?x2x2xf32>, %out: tensor<?x2x2xf32>) -> tensor<?x2x2xf32> {
  // expected-remark@+1 {{result #0 not fused into its consumer: expected all of a trailing dimension, found offset known at run time only and size 1 in dimension 1; tile the consumer in other dimensions only}}
  %p = scan.associative ins(%m : tensor<?x2x2xf32>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %c = arith.addf %acc, %new : tensor<2x2xf32>
    scan.yield %c : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  %z = linalg.exp ins(%p : tensor<?x2x2xf32>) outs(%out : tensor<?x2x2xf32>) -> tensor<?x2x2xf32>
  return %z : tensor<?x2x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loop = transform.structured.fuse %exp tile_sizes [0, 1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// `finalize` sees only the leaves: where its tile lies, nothing can tell it.
func.func @index_in_finalize(%x: tensor<?x?xi64>, %l: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error@+3 {{'scan.kernel' op expected no index of dimension 0 in 'finalize', which has no operands that could tell where a tile of it lies, found scan.index 0; tile the other dimensions}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{'scan.kernel' op failed to generate tiling loops}}
  %y = scan.kernel dim = 1
      ins(%x : tensor<?x?xi64>) finals(%l : tensor<?xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: i64):
        scan.yield %e : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64):
        scan.yield
      } finalize {
      ^bb0(%in: i64):
        %r = scan.index 0 : index
        %k = arith.index_cast %r : index to i64
        %s = arith.addi %in, %k : i64
        scan.yield %s : i64
      } -> tensor<?xi64>
  return %y : tensor<?xi64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Tiles would add to the elements of a reduction output at a time.
func.func @sum(%x: tensor<6x?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+3 {{'scan.kernel' op expected a tile with all of dimension 0, which a reduction output leaves out; found offset known at run time only and size 3; give it the tile size 0, no threads, and tile the others}}
  // expected-error@+2 {{'scan.kernel' op faild to tile operation}}
  // expected-error@+1 {{'scan.kernel' op failed to generate tiling loops}}
  %y = scan.kernel dim = 1
      ins(%x : tensor<6x?xf32>) outs(%s : tensor<?xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
