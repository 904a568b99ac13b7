// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-elementwise | FileCheck %s

// The reverse-mode derivative of a linear recurrence, h = a * h_{t-1} + b, for
// the gradient dh of all states and dlast of the last: one kernel, which reads
// a, dh and h once.
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %[[A:[^:]+]]: tensor<?x33xf32>, %[[DH:[^:]+]]: tensor<?x33xf32>, %[[H:[^:]+]]: tensor<?x33xf32>, %[[H0:[^:]+]]: tensor<33xf32>, %[[DLAST:[^:]+]]: tensor<33xf32>)
// CHECK-NOT: scan.shift
// CHECK-NOT: linalg
// CHECK-NOT: arith.mulf
// CHECK: %[[R:.+]]:3 = scan.kernel dim = 0 reverse
// CHECK-NEXT: ins(%[[A]], %[[DH]], %[[H]], %[[H0]] : tensor<?x33xf32>, tensor<?x33xf32>, tensor<?x33xf32>, tensor<33xf32>) init(%[[DLAST]] : tensor<33xf32>)
// CHECK-SAME: outs(%{{.+}}, %{{.+}} : tensor<?x33xf32>, tensor<?x33xf32>) finals(%{{.+}} : tensor<33xf32>)
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: -1, -1, 3, -1>, shifts = array<i64: 0, 0, 1, 0>}
// CHECK-NOT: scan.kernel
// CHECK-NOT: linalg
// CHECK: return
func.func @backward(%a: tensor<?x33xf32>, %dh: tensor<?x33xf32>, %h: tensor<?x33xf32>, %h0: tensor<33xf32>, %dlast: tensor<33xf32>)
    -> (tensor<?x33xf32>, tensor<?x33xf32>, tensor<33xf32>) {
  %adh = arith.mulf %a, %dh : tensor<?x33xf32>
  %u, %dh0 = scan.linear_recurrence ins(%a, %adh : tensor<?x33xf32>, tensor<?x33xf32>) init(%dlast : tensor<33xf32>) dim = 0 reverse exclusive
      -> tensor<?x33xf32>, tensor<33xf32>
  %g = arith.addf %dh, %u : tensor<?x33xf32>
  %previous = scan.shift %h boundary(%h0 : tensor<33xf32>) dim = 0 by = 1 : tensor<?x33xf32>
  %da = arith.mulf %g, %previous : tensor<?x33xf32>
  return %da, %g, %dh0 : tensor<?x33xf32>, tensor<?x33xf32>, tensor<33xf32>
}

// The same with the scalar zero for h0 and dlast.
// CHECK-LABEL: func.func @backward_from_zero(
// CHECK: scan.kernel dim = 1 reverse
// CHECK-NEXT: ins({{.*}} : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, f32) init(%{{.*}} : f32)
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: -1, -1, 3, -1>, shifts = array<i64: 0, 0, 1, 0>}
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @backward_from_zero(%a: tensor<2x?xf32>, %dh: tensor<2x?xf32>, %h: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %adh = arith.mulf %a, %dh : tensor<2x?xf32>
  %u = scan.linear_recurrence ins(%a, %adh : tensor<2x?xf32>, tensor<2x?xf32>) init(%zero : f32) dim = 1 reverse exclusive -> tensor<2x?xf32>
  %g = arith.addf %dh, %u : tensor<2x?xf32>
  %previous = scan.shift %h boundary(%zero : f32) dim = 1 by = 1 : tensor<2x?xf32>
  %da = arith.mulf %g, %previous : tensor<2x?xf32>
  return %da, %g : tensor<2x?xf32>, tensor<2x?xf32>
}

// A shift along another dimension is no shift of time; of a shift of a shift,
// which has two boundaries, one is fused.
// CHECK-LABEL: func.func @others(
// CHECK: scan.shift {{.*}} dim = 0 by = 1
// CHECK: scan.shift {{.*}} dim = 1 by = 1
// CHECK-NOT: scan.shift
// CHECK: scan.kernel
// CHECK: shifts = array<i64: 0, 2, 0>
func.func @others(%x: tensor<4x?xf32>, %b: f32, %c: f32) -> tensor<4x?xf32> {
  %p = scan.shift %x boundary(%b : f32) dim = 0 by = 1 : tensor<4x?xf32>
  %q = scan.shift %x boundary(%b : f32) dim = 1 by = 1 : tensor<4x?xf32>
  %r = scan.shift %q boundary(%c : f32) dim = 1 by = 2 : tensor<4x?xf32>
  %y = scan.linear_recurrence ins(%p, %r : tensor<4x?xf32>, tensor<4x?xf32>) dim = 1 -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// Small matrices and a scalar boundary: it is the boundary of all elements.
// CHECK-LABEL: func.func @trailing(
// CHECK: ins(%{{.+}}, %{{.+}} : tensor<?x2x2xf32>, f32) outs
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: -1, 0>}
// CHECK-NEXT: load {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32):
func.func @trailing(%x: tensor<?x2x2xf32>, %b: f32) -> tensor<?x2x2xf32> {
  %p = scan.shift %x boundary(%b : f32) dim = 0 by = -1 : tensor<?x2x2xf32>
  %y = scan.associative ins(%p : tensor<?x2x2xf32>) dim = 0 {
  ^bb0(%l: tensor<2x2xf32>, %r: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %m = linalg.matmul ins(%l, %r : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %m : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

// Code that reads its loop indices, before, behind and beside a transposition.
// CHECK-LABEL: func.func @indices(
// CHECK-NOT: linalg
// CHECK: scan.kernel dim = 1
// CHECK: load
// CHECK-DAG: scan.index 0 : index
// CHECK-DAG: scan.index 1 : index
// CHECK: initialize
// CHECK: scan.index 0 : index
// CHECK: store
// CHECK-DAG: scan.index 1 : index
// CHECK-NOT: scan.kernel
// CHECK-NOT: linalg
func.func @indices(%x: tensor<?x4xi64>, %i: tensor<4xi64>) -> tensor<4x?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xi64>
  %e = tensor.empty(%n) : tensor<4x?xi64>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xi64>) outs(%e : tensor<4x?xi64>) {
  ^bb0(%v: i64, %o: i64):
    %time = linalg.index 0 : index
    %row = linalg.index 1 : index
    %w = arith.muli %time, %row : index
    %k = arith.index_cast %w : index to i64
    %r = arith.addi %k, %v : i64
    linalg.yield %r : i64
  } -> tensor<4x?xi64>
  %f = tensor.empty() : tensor<4xi64>
  %init = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%f : tensor<4xi64>) {
  ^bb0(%v: i64, %o: i64):
    %row = linalg.index 0 : index
    %k = arith.index_cast %row : index to i64
    %r = arith.muli %k, %v : i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  %y = scan.associative ins(%t : tensor<4x?xi64>) init(%init : tensor<4xi64>) dim = 1 {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    scan.yield %s : i64
  } -> tensor<4x?xi64>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x?xi64>) outs(%e : tensor<4x?xi64>) {
  ^bb0(%v: i64, %o: i64):
    %time = linalg.index 1 : index
    %k = arith.index_cast %time : index to i64
    %r = arith.subi %v, %k : i64
    linalg.yield %r : i64
  } -> tensor<4x?xi64>
  return %z : tensor<4x?xi64>
}

// A reduction over an inner dimension unrolls it: the shifted input and its
// boundary have three elements each then, and the index of the dimension is a
// number.
// CHECK-LABEL: func.func @reduced(
// CHECK: scan.kernel dim = 1
// CHECK-NEXT: ins({{.*}} : tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x3xi32>) outs(%{{.+}} : tensor<2x?xi32>)
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: -1, 2, -1>, shifts = array<i64: 0, 1, 0>}
// CHECK-NOT: scan.index 2
// CHECK: return
func.func @reduced(%a: tensor<2x?x3xi32>, %x: tensor<2x?x3xi32>, %edge: tensor<2x3xi32>) -> tensor<2x?xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %a, %c1 : tensor<2x?x3xi32>
  %p = scan.shift %x boundary(%edge : tensor<2x3xi32>) dim = 1 by = 1 : tensor<2x?x3xi32>
  %h = scan.linear_recurrence ins(%a, %p : tensor<2x?x3xi32>, tensor<2x?x3xi32>) dim = 1 -> tensor<2x?x3xi32>
  %f = tensor.empty(%n) : tensor<2x?xi32>
  %g = linalg.fill ins(%zero : i32) outs(%f : tensor<2x?xi32>) -> tensor<2x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h : tensor<2x?x3xi32>) outs(%g : tensor<2x?xi32>) {
  ^bb0(%u: i32, %acc: i32):
    %j = linalg.index 2 : index
    %l = arith.index_cast %j : index to i32
    %m = arith.muli %u, %l : i32
    %s = arith.addi %m, %acc : i32
    linalg.yield %s : i32
  } -> tensor<2x?xi32>
  return %y : tensor<2x?xi32>
}
