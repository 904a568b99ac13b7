// What each reduction pattern of the dialect does by itself, wherever it can.

// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-reverse | FileCheck %s --check-prefix=REVERSE
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-exclusive | FileCheck %s --check-prefix=EXCLUSIVE
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-init | FileCheck %s --check-prefix=INIT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-attribute | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-leaf | FileCheck %s --check-prefix=LEAF
// RUN: scan-reduce %s --quiet --test=true --only=scan-simplify-combine | FileCheck %s --check-prefix=COMBINE
// RUN: scan-reduce %s --quiet --test=true --only=scan-to-input | FileCheck %s --check-prefix=INPUT
// RUN: scan-reduce %s --quiet --test=true --only=scan-canonicalize | FileCheck %s --check-prefix=CANONICALIZE

// What comes out is valid, whatever is used; all of it together leaves little.
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-reverse,scan-drop-exclusive,scan-drop-init,scan-drop-attribute,scan-drop-leaf,scan-simplify-combine,scan-canonicalize | scan-opt | FileCheck %s --check-prefix=ALL

// REVERSE-LABEL: func.func @affine
// REVERSE: init(%{{.*}} : f32, f32) dim = 1 exclusive attributes
// EXCLUSIVE-LABEL: func.func @affine
// EXCLUSIVE: init(%{{.*}} : f32, f32) dim = 1 reverse attributes
// An exclusive scan needs its init.
// INIT-LABEL: func.func @affine
// INIT: init(%{{.*}} : f32, f32) dim = 1 reverse exclusive attributes
// ATTRIBUTE-LABEL: func.func @affine
// ATTRIBUTE: dim = 1 reverse exclusive {
// The first leaf goes: its elements stand for its result, the other leaf for it.
// LEAF-LABEL: func.func @affine
// LEAF-SAME: (%[[A:.*]]: tensor<4x?xf32>, %[[B:.*]]: tensor<4x?xf32>, %{{.*}}: f32, %[[J:.*]]: f32)
// LEAF: %[[H:.*]] = scan.associative ins(%[[B]] : tensor<4x?xf32>) init(%[[J]] : f32) dim = 1 reverse exclusive attributes {accumulators = [f64], order = #scan.order<deterministic>} {
// LEAF-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[NEW:.*]]: f32):
// LEAF-NEXT: %[[T:.*]] = arith.mulf %[[NEW]], %[[ACC]] : f32
// LEAF-NEXT: %[[R:.*]] = arith.addf %[[T]], %[[NEW]] : f32
// LEAF-NEXT: scan.yield %[[R]] : f32
// LEAF: return %[[A]], %[[H]]
// COMBINE-LABEL: func.func @affine
// COMBINE: ^bb0(%[[A0:.*]]: f32, %[[B0:.*]]: f32, %[[A1:.*]]: f32, %[[B1:.*]]: f32):
// COMBINE-NEXT: %[[A:.*]] = arith.addf %[[A0]], %[[A1]] : f32
// COMBINE-NEXT: %[[B:.*]] = arith.addf %[[B0]], %[[B1]] : f32
// COMBINE-NEXT: scan.yield %[[A]], %[[B]] : f32, f32
// INPUT-LABEL: func.func @affine
// INPUT-SAME: (%[[A:.*]]: tensor<4x?xf32>, %[[B:.*]]: tensor<4x?xf32>,
// INPUT-NEXT: return %[[A]], %[[B]]
// CANONICALIZE-LABEL: func.func @affine
// CANONICALIZE: dim = 1 reverse exclusive attributes
// ALL-LABEL: func.func @affine
// ALL: %[[H:.*]] = scan.associative ins(%{{.*}} : tensor<4x?xf32>) dim = 1 {
// ALL-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[NEW:.*]]: f32):
// ALL-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[NEW]] : f32
// ALL-NEXT: scan.yield %[[S]] : f32
func.func @affine(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>, %i: f32, %j: f32) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %p, %h = scan.associative ins(%a, %b : tensor<4x?xf32>, tensor<4x?xf32>) init(%i, %j : f32, f32) dim = 1 reverse exclusive
      attributes {order = #scan.order<deterministic>, accumulators = [f32, f64]} {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<4x?xf32>, tensor<4x?xf32>
  return %p, %h : tensor<4x?xf32>, tensor<4x?xf32>
}

// Final states: a scan whose final state is used stays, and so does that leaf; of
// leaves of different types, zero stands for one that goes. One that is not used
// goes.
// LEAF-LABEL: func.func @mixed
// LEAF-SAME: (%[[X:.*]]: tensor<8xi32>, %[[Z:.*]]: tensor<8xcomplex<f32>>)
// LEAF: %[[S:.*]]:2 = scan.associative ins(%[[Z]] : tensor<8xcomplex<f32>>) dim = 0 {
// LEAF: -> tensor<8xcomplex<f32>>, tensor<complex<f32>>
// LEAF: return %[[X]], %[[S]]#1
// COMBINE-LABEL: func.func @mixed
// COMBINE-DAG: %[[Z:.*]] = complex.add %{{.*}}, %{{.*}} : complex<f32>
// COMBINE-DAG: %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// COMBINE: scan.yield %[[I]], %[[Z]] : i32, complex<f32>
// INPUT-LABEL: func.func @mixed
// INPUT: scan.associative
func.func @mixed(%x: tensor<8xi32>, %z: tensor<8xcomplex<f32>>) -> (tensor<8xi32>, tensor<complex<f32>>) {
  %s:4 = scan.associative ins(%x, %z : tensor<8xi32>, tensor<8xcomplex<f32>>) dim = 0 {
  ^bb0(%x0: i32, %z0: complex<f32>, %x1: i32, %z1: complex<f32>):
    %m = arith.maxsi %x0, %x1 : i32
    %p = complex.mul %z0, %z1 : complex<f32>
    %q = complex.add %p, %z1 : complex<f32>
    scan.yield %m, %q : i32, complex<f32>
  } -> tensor<8xi32>, tensor<8xcomplex<f32>>, tensor<i32>, tensor<complex<f32>>
  return %s#0, %s#3 : tensor<8xi32>, tensor<complex<f32>>
}

// CANONICALIZE-LABEL: func.func @unused_final
// CANONICALIZE: %[[S:.*]] = scan.associative
// CANONICALIZE: -> tensor<8xi1>{{$}}
// CANONICALIZE-NEXT: return %[[S]]
func.func @unused_final(%x: tensor<8xi1>) -> tensor<8xi1> {
  %s, %last = scan.associative ins(%x : tensor<8xi1>) dim = 0 {
  ^bb0(%a: i1, %b: i1):
    %o = arith.xori %a, %b : i1
    scan.yield %o : i1
  } -> tensor<8xi1>, tensor<i1>
  return %s : tensor<8xi1>
}

// Leaves of small matrices: the sum is one of tensors.
// COMBINE-LABEL: func.func @matrices
// COMBINE: ^bb0(%[[A:.*]]: tensor<2x2xf64>, %[[B:.*]]: tensor<2x2xf64>):
// COMBINE-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : tensor<2x2xf64>
// COMBINE-NEXT: scan.yield %[[S]]
func.func @matrices(%m: tensor<?x2x2xf64>) -> tensor<?x2x2xf64> {
  %p = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%a, %b : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  return %p : tensor<?x2x2xf64>
}

// REVERSE-LABEL: func.func @recurrence
// REVERSE: init(%{{.*}} : tensor<2x64xf32>) dim = 1 attributes
// INIT-LABEL: func.func @recurrence
// INIT: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<2x?x64xf32>, tensor<2x?x64xf32>) dim = 1 reverse attributes
// ATTRIBUTE-LABEL: func.func @recurrence
// ATTRIBUTE: dim = 1 reverse -> tensor<2x?x64xf32>
// INPUT-LABEL: func.func @recurrence
// INPUT-SAME: %[[B:[^ ]*]]: tensor<2x?x64xf32>, %{{[^ ]*}}: tensor<2x64xf32>)
// INPUT-NEXT: return %[[B]]
// ALL-LABEL: func.func @recurrence
// ALL: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<2x?x64xf32>, tensor<2x?x64xf32>) dim = 1 -> tensor<2x?x64xf32>
func.func @recurrence(%a: tensor<2x?x64xf32>, %b: tensor<2x?x64xf32>, %h0: tensor<2x64xf32>) -> tensor<2x?x64xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x?x64xf32>, tensor<2x?x64xf32>) init(%h0 : tensor<2x64xf32>) dim = 1 reverse
      attributes {accumulator = f64, order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential>} -> tensor<2x?x64xf32>
  return %h : tensor<2x?x64xf32>
}
