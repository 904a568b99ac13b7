// RUN: scan-opt %s | FileCheck %s
// RUN: scan-opt %s | scan-opt | FileCheck %s
// RUN: scan-opt %s --mlir-print-op-generic | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s
// RUN: scan-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CANONICAL

// What a scan assumes of its leaves, in text and in bytecode.

// Numbers are printed as short as they can be read back exactly.
// CHECK-LABEL: func.func @all(
// CHECK: attributes {scan.assume = [
// CHECK-SAME: #scan.invariant<leaf = 0, gt = 0>,
// CHECK-SAME: #scan.invariant<leaf = 0, ge = -2.5, lt = 0.10000000000000001>,
// CHECK-SAME: #scan.invariant<leaf = 1, abs, le = 1, finite>,
// CHECK-SAME: #scan.invariant<leaf = 1, not_nan>,
// CHECK-SAME: #scan.invariant<leaf = 2, ge = 0, le = 1>,
// CHECK-SAME: #scan.invariant<leaf = 2, ge = -2147483648>,
// CHECK-SAME: #scan.invariant<leaf = 3, gt = 0, le = 1>
// CHECK-SAME: ]} {
func.func @all(%a: tensor<?xf32>, %b: tensor<?xcomplex<f64>>, %c: tensor<?xi32>, %d: tensor<?xi1>)
    -> (tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xi32>, tensor<?xi1>) {
  %r:4 = scan.associative ins(%a, %b, %c, %d : tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xi32>, tensor<?xi1>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, gt = -0.0>,
                                 #scan.invariant<leaf = 0, lt = 0.1, ge = -2.5>,
                                 #scan.invariant<leaf = 1, finite, le = 1.0, abs>,
                                 #scan.invariant<leaf = 1, not_nan>,
                                 #scan.invariant<leaf = 2, ge = 0, le = 1.0>,
                                 #scan.invariant<leaf = 2, ge = -2147483648>,
                                 #scan.invariant<leaf = 3, gt = 0, le = 1>]} {
  ^bb0(%a0: f32, %b0: complex<f64>, %c0: i32, %d0: i1, %a1: f32, %b1: complex<f64>, %c1: i32, %d1: i1):
    %p = arith.mulf %a0, %a1 : f32
    %q = complex.mul %b0, %b1 : complex<f64>
    %s = arith.ori %c0, %c1 : i32
    %t = arith.ori %d0, %d1 : i1
    scan.yield %p, %q, %s, %t : f32, complex<f64>, i32, i1
  } -> tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xi32>, tensor<?xi1>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xi32>, tensor<?xi1>
}

// Leaves that are left have other numbers.
// CANONICAL-LABEL: func.func @dead_leaves(
// CANONICAL: scan.associative ins({{.*}} : tensor<8xi32>)
// CANONICAL-SAME: attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 2>], test.note}
func.func @dead_leaves(%x: tensor<8xf32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, finite>, #scan.invariant<leaf = 1, ge = 2>], test.note} {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %m = arith.mulf %a, %c : f32
    %n = arith.muli %b, %d : i32
    scan.yield %m, %n : f32, i32
  } -> tensor<8xf32>, tensor<8xi32>
  return %q : tensor<8xi32>
}

// Of the leaf that is left nothing is assumed.
// CANONICAL-LABEL: func.func @nothing_left(
// CANONICAL: scan.associative ins({{.*}} : tensor<8xi32>) dim = 0 {
func.func @nothing_left(%x: tensor<8xf32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, finite>]} {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %m = arith.mulf %a, %c : f32
    %n = arith.muli %b, %d : i32
    scan.yield %m, %n : f32, i32
  } -> tensor<8xf32>, tensor<8xi32>
  return %q : tensor<8xi32>
}

// Equal scans of which different things are assumed stay two.
// CANONICAL-LABEL: func.func @casts_and_equals(
// CANONICAL-COUNT-2: scan.associative ins({{.*}} : tensor<8xf32>) dim = 0 attributes {scan.assume = [{{.*}}]}
func.func @casts_and_equals(%x: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %p = scan.associative ins(%c : tensor<?xf32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, finite>]} {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<?xf32>
  %q = scan.associative ins(%c : tensor<?xf32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, gt = 1>]} {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}
