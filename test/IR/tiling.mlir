// RUN: scan-opt %s --split-input-file --transform-interpreter --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s
// (tiling-numbers.test runs these programs: the lines `run:` are their inputs.)

// The graph-level scans under upstream's tiling and fusion scripts.

// Two leaves, reversed, exclusive, a scalar and a tensor as init, final states.
// CHECK-LABEL: func.func @affine
// CHECK-SAME:    (%[[A:.+]]: tensor<?x?xi32>, %[[B:.+]]: tensor<?x?xi32>, %[[I:.+]]: i32, %[[J:.+]]: tensor<?xi32>)
// CHECK:         scf.for %[[IV:.+]] = %{{.+}} iter_args(%{{[^)]+}}) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>)
// CHECK:           %[[SIZE:.+]] = affine.min
// CHECK-DAG:       %[[TA:.+]] = tensor.extract_slice %[[A]][%[[IV]], 0] [%[[SIZE]], %[[N:.+]]] [1, 1]
// CHECK-DAG:       %[[TB:.+]] = tensor.extract_slice %[[B]][%[[IV]], 0] [%[[SIZE]], %{{.+}}] [1, 1]
// CHECK-DAG:       %[[TJ:.+]] = tensor.extract_slice %[[J]][%[[IV]]] [%[[SIZE]]] [1]
// CHECK:           %[[T:.+]]:4 = scan.associative ins(%[[TA]], %[[TB]] : tensor<?x?xi32>, tensor<?x?xi32>) init(%[[I]], %[[TJ]] : i32, tensor<?xi32>) dim = 1 reverse exclusive {
// CHECK:           tensor.insert_slice %[[T]]#0 into %{{.+}}[%[[IV]], 0] [%[[SIZE]], %[[N]]] [1, 1]
// CHECK:           tensor.insert_slice %[[T]]#3 into %{{.+}}[%[[IV]]] [%[[SIZE]]] [1]
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
    %scan = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Two dimensions of three; leaves of matrices, whose own dimensions stay whole.
// CHECK-LABEL: func.func @matrices
// CHECK:         scf.for %[[I:[^ ]+]]
// CHECK:           scf.for %[[J:[^ ]+]]
// CHECK:             tensor.extract_slice %{{.+}}[%[[I]], 0, %[[J]], 0, 0] [%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, 2, 2] [1, 1, 1, 1, 1] : tensor<?x?x?x2x2xi32> to tensor<?x?x?x2x2xi32>
// CHECK:             tensor.extract_slice %{{.+}}[%[[I]], %[[J]], 0, 0] [%{{[^,]+}}, %{{[^,]+}}, 2, 2] [1, 1, 1, 1] : tensor<?x?x2x2xi32> to tensor<?x?x2x2xi32>
// CHECK:             scan.associative {{.+}} dim = 1 {
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
    %scan = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [2, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// A broadcast coefficient: of the dimension in which it has extent 1, every tile
// has all; nothing is repeated.
// CHECK-LABEL: func.func @shared_decay
// CHECK-SAME:    (%[[A:.+]]: tensor<1x?x?xi32>, %[[B:.+]]: tensor<?x?x?xi32>, %[[H:.+]]: tensor<?x?xi32>)
// CHECK:         scf.for %[[I:[^ ]+]]
// CHECK:           scf.for %[[J:[^ ]+]]
// CHECK:             tensor.extract_slice %[[A]][0, 0, %[[J]]] [1, %{{.+}}, %{{.+}}] [1, 1, 1] : tensor<1x?x?xi32> to tensor<1x?x?xi32>
// CHECK:             tensor.extract_slice %[[B]][%[[I]], 0, %[[J]]]
// CHECK:             tensor.extract_slice %[[H]][%[[I]], %[[J]]]
// CHECK:             scan.linear_recurrence {{.+}} dim = 1 reverse -> tensor<?x?x?xi32>, tensor<?x?xi32>
// run: random:i32:1xNx5:1 random:i32:BxNx5:2 random:i32:Bx5:3
func.func @shared_decay(%a: tensor<1x?x?xi32>, %b: tensor<?x?x?xi32>, %h0: tensor<?x?xi32>) -> (tensor<?x?x?xi32>, tensor<?x?xi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?x?xi32>, tensor<?x?x?xi32>)
      init(%h0 : tensor<?x?xi32>) dim = 1 reverse -> tensor<?x?x?xi32>, tensor<?x?xi32>
  return %h, %last : tensor<?x?x?xi32>, tensor<?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [2, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Threads instead of loops; a decay per batch, tiled with it; a scalar init.
// CHECK-LABEL: func.func @threads
// CHECK:         scf.forall (%[[I:.+]]) in (3) shared_outs
// CHECK:           scan.linear_recurrence {{.+}} init(%{{.+}} : i64) dim = 0
// CHECK:           tensor.parallel_insert_slice
// CHECK:           tensor.parallel_insert_slice
// run: random:i64:NxBx1:1 random:i64:NxBx4:2 random:i64::3
func.func @threads(%a: tensor<?x?x1xi64>, %b: tensor<?x?x4xi64>, %h0: i64) -> (tensor<?x?x4xi64>, tensor<?x4xi64>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x1xi64>, tensor<?x?x4xi64>)
      init(%h0 : i64) dim = 0 -> tensor<?x?x4xi64>, tensor<?x4xi64>
  return %h, %last : tensor<?x?x4xi64>, tensor<?x4xi64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %scan num_threads [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Static extents that the tiles do not divide; the scan dimension is one tile,
// which is as good as none.
// CHECK-LABEL: func.func @one_tile
// CHECK:         scf.for
// CHECK:           scan.associative ins(%{{.+}} : tensor<?x5xi32>) dim = 1 {
// run: random:i32:7x5:1
func.func @one_tile(%x: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %y = scan.associative ins(%x : tensor<7x5xi32>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %c3 = arith.constant 3 : i32
    %t = arith.muli %acc, %c3 : i32
    %s = arith.subi %t, %new : i32
    scan.yield %s : i32
  } -> tensor<7x5xi32>
  return %y : tensor<7x5xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %scan tile_sizes [3, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Tile the consumer, and fuse the scan and the gate ahead of it into the loops.
// The consumer's first operand says its extents, another one than the scan: the
// slice of the scan is cut to them, at no cost once the extents are known to
// agree.
// CHECK-LABEL: func.func @gated
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.generic
// CHECK:               arith.xori
// CHECK:             %[[Y:.+]] = scan.associative
// CHECK:             %[[CUT:.+]] = tensor.extract_slice %[[Y]][0, 0, 0]
// CHECK:             linalg.generic {{.+}} ins(%{{.+}}, %[[CUT]] :
// CHECK:               arith.muli
// CHECK:             tensor.insert_slice
// run: random:i32:BxNx5:1 random:i32:BxNx5:2
func.func @gated(%x: tensor<?x?x?xi32>, %g: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %empty = tensor.empty(%b, %n, %c) : tensor<?x?x?xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xi32>) outs(%empty : tensor<?x?x?xi32>) {
  ^bb0(%e: i32, %out: i32):
    %c77 = arith.constant 77 : i32
    %r = arith.xori %e, %c77 : i32
    linalg.yield %r : i32
  } -> tensor<?x?x?xi32>
  %one = arith.constant 1 : i32
  %y = scan.associative ins(%v : tensor<?x?x?xi32>) init(%one : i32) dim = 1 reverse {
  ^bb0(%acc: i32, %new: i32):
    %c5 = arith.constant 5 : i32
    %t = arith.muli %acc, %c5 : i32
    %s = arith.addi %t, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?x?xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %y : tensor<?x?x?xi32>, tensor<?x?x?xi32>) outs(%empty : tensor<?x?x?xi32>) {
  ^bb0(%e: i32, %f: i32, %out: i32):
    %r = arith.muli %e, %f : i32
    linalg.yield %r : i32
  } -> tensor<?x?x?xi32>
  return %z : tensor<?x?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %gate, %consumer = transform.split_handle %generic : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %loops:2 = transform.structured.fuse %consumer tile_sizes [2, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// The same with threads: tile the consumer, then fuse one producer after another.
// CHECK-LABEL: func.func @threads_gated
// CHECK-NOT:     linalg.generic
// CHECK:         scf.forall
// CHECK:           linalg.generic
// CHECK-SAME:        {gate}
// CHECK:           scan.linear_recurrence
// CHECK:           linalg.generic
// CHECK-SAME:        {steps}
// CHECK:         return
// run: random:i32:BxNx5:1 random:i32:BxNx5:2
func.func @threads_gated(%a: tensor<?x?x5xi32>, %x: tensor<?x?x5xi32>) -> tensor<?x?x5xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x5xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?x5xi32>
  %empty = tensor.empty(%b, %n) : tensor<?x?x5xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x5xi32>) outs(%empty : tensor<?x?x5xi32>) attrs = {gate} {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<?x?x5xi32>
  %h = scan.linear_recurrence ins(%a, %v : tensor<?x?x5xi32>, tensor<?x?x5xi32>) dim = 1 -> tensor<?x?x5xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<?x?x5xi32>) outs(%empty : tensor<?x?x5xi32>) attrs = {steps} {
  ^bb0(%e: i32, %out: i32):
    %r = arith.addi %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<?x?x5xi32>
  return %y : tensor<?x?x5xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %steps = transform.structured.match attributes{steps} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %steps tile_sizes [2, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %scan_1, %loop_1 = transform.structured.fuse_into_containing_op %scan into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %gate = transform.structured.match attributes{gate} in %root : (!transform.any_op) -> !transform.any_op
    %gate_1, %loop_2 = transform.structured.fuse_into_containing_op %gate into %loop_1 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// The consumer of a final state; the other result is not needed there. The scan
// comes before the loop once more for those who need the steps.
// CHECK-LABEL: func.func @final
// CHECK:         %[[STEPS:.+]] = scan.linear_recurrence
// CHECK:         scf.for
// CHECK:           %{{.+}}, %[[LAST:.+]] = scan.linear_recurrence
// CHECK:           linalg.generic {{.+}} ins(%[[LAST]] :
// CHECK:         return %[[STEPS]]
// run: random:i32:NxB:1 random:i32:NxB:2
func.func @final(%a: tensor<?x?xi32>, %x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %c1 = arith.constant 1 : index
  %h, %last = scan.linear_recurrence ins(%a, %x : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 reverse -> tensor<?x?xi32>, tensor<?xi32>
  %b = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%b) : tensor<?xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
      ins(%last : tensor<?xi32>) outs(%empty : tensor<?xi32>) {
  ^bb0(%e: i32, %out: i32):
    %s = arith.muli %e, %e : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %h, %z : tensor<?x?xi32>, tensor<?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loop = transform.structured.fuse %generic tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// Tile the scan itself and fuse what it reads: the new values, the coefficients
// of which every tile of dimension 0 has all (they are not computed again in each
// tile), and the init.
// CHECK-LABEL: func.func @producers
// CHECK:         %[[A:.+]] = linalg.generic {{.+}} attrs =  {coefficients}
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = linalg.generic {{.+}} attrs =  {values}
// CHECK:           %[[I:.+]] = linalg.generic {{.+}} attrs =  {init}
// CHECK:           scan.linear_recurrence ins(%[[A]], %[[X]] : {{.+}}) init(%[[I]] :
// run: random:i32:1xN:1 random:i32:BxN:2 random:i32:B:3
func.func @producers(%a: tensor<1x?xi32>, %x: tensor<?x?xi32>, %i: tensor<?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty_a = tensor.empty(%n) : tensor<1x?xi32>
  %a_1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x?xi32>) outs(%empty_a : tensor<1x?xi32>) attrs = {coefficients} {
  ^bb0(%e: i32, %out: i32):
    %r = arith.addi %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<1x?xi32>
  %empty_x = tensor.empty(%b, %n) : tensor<?x?xi32>
  %x_1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi32>) outs(%empty_x : tensor<?x?xi32>) attrs = {values} {
  ^bb0(%e: i32, %out: i32):
    %r = arith.muli %e, %e : i32
    linalg.yield %r : i32
  } -> tensor<?x?xi32>
  %empty_i = tensor.empty(%b) : tensor<?xi32>
  %i_1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi32>) outs(%empty_i : tensor<?xi32>) attrs = {init} {
  ^bb0(%e: i32, %out: i32):
    %c3 = arith.constant 3 : i32
    %r = arith.muli %e, %c3 : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  %h = scan.linear_recurrence ins(%a_1, %x_1 : tensor<1x?xi32>, tensor<?x?xi32>) init(%i_1 : tensor<?xi32>) dim = 1 -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loop = transform.structured.fuse %scan tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// One scan after the other along different dimensions: tiled along a dimension
// that neither scans, the first is fused into the second.
// CHECK-LABEL: func.func @two_scans
// CHECK:         scf.for
// CHECK:           scan.associative {{.+}} dim = 0 {
// CHECK:           scan.associative {{.+}} dim = 1 reverse {
// CHECK:         return
// run: random:i32:NxBx5:1
func.func @two_scans(%x: tensor<?x?x5xi32>) -> tensor<?x?x5xi32> {
  %y = scan.associative ins(%x : tensor<?x?x5xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %c3 = arith.constant 3 : i32
    %t = arith.muli %acc, %c3 : i32
    %s = arith.subi %t, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?x5xi32>
  %z = scan.associative ins(%y : tensor<?x?x5xi32>) dim = 1 reverse {
  ^bb0(%acc: i32, %new: i32):
    %c7 = arith.constant 7 : i32
    %t = arith.muli %acc, %c7 : i32
    %s = arith.xori %t, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?x5xi32>
  return %z : tensor<?x?x5xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %scans : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %loop = transform.structured.fuse %second tile_sizes [0, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----
// 16-bit numbers accumulate in 32 bits in each tile as they do in the whole.
// CHECK-LABEL: func.func @half
// CHECK:         scf.for
// CHECK:           scan.linear_recurrence {{.+}} tensor<?x?xbf16>, tensor<?xbf16>
// run: random:bf16:NxB:1 random:bf16:NxB:2
func.func @half(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> (tensor<?x?xbf16>, tensor<?xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) dim = 0 reverse -> tensor<?x?xbf16>, tensor<?xbf16>
  return %h, %last : tensor<?x?xbf16>, tensor<?xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %scan tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
