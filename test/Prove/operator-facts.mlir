// What is proved to the bit is kept for later passes, and what holds up to rounding only is
// not: scan.operator.

// REQUIRES: z3
// RUN: scan-opt %s --mlir-print-op-on-diagnostic=false \
// RUN:   --scan-prove-associativity="properties timeout=30" 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// -0 is the identity of sums, of which 0 + -0 is no exception; of 0 that is said of real
// numbers only.
// CHECK-LABEL: func @sum
// CHECK: scan.operator = {commutative, identity = [-0.000000e+00 : f32], leaves = 1 : i64}
func.func @sum(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func @product
// CHECK: scan.operator = {commutative, identity = [1.000000e+00], leaves = 1 : i64}
func.func @product(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = scan.associative ins(%x : tensor<?xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %s = arith.mulf %b, %a : f64
    scan.yield %s : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// 0 times an infinity is not a number: (1, 0) is the identity of real numbers only.
// CHECK-LABEL: func @maps
// CHECK: scan.associative
// CHECK-NOT: scan.operator
// CHECK: return
// REMARK: not commutative, not idempotent; its identity is 1.000000e+00 : f32, 0.000000e+00 : f32
func.func @maps(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %y:2 = scan.associative ins(%x, %z : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y#1 : tensor<?xf32>
}

// CHECK-LABEL: func @integer_maps
// CHECK: scan.operator = {identity = [1 : i16, 0 : i16], leaves = 2 : i64}
func.func @integer_maps(%x: tensor<?xi16>, %z: tensor<?xi16>) -> tensor<?xi16> {
  %y:2 = scan.associative ins(%x, %z : tensor<?xi16>, tensor<?xi16>) dim = 0 {
  ^bb0(%a0: i16, %b0: i16, %a1: i16, %b1: i16):
    %q = arith.muli %a1, %a0 : i16
    %t = arith.muli %a1, %b0 : i16
    %r = arith.addi %t, %b1 : i16
    scan.yield %q, %r : i16, i16
  } -> tensor<?xi16>, tensor<?xi16>
  return %y#1 : tensor<?xi16>
}

// Overflow is undefined behaviour: nothing holds for all numbers.
// CHECK-LABEL: func @flagged
// CHECK: scan.associative
// CHECK-NOT: scan.operator = {{.*}}commutative
// CHECK: return
func.func @flagged(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b overflow<nsw> : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CHECK-LABEL: func @complex_sum
// CHECK: scan.operator = {commutative, identity = [#complex.number<:f32 -0.000000e+00, -0.000000e+00> : complex<f32>], leaves = 1 : i64}
// REMARK: its identity is #complex.number<:f32 -0.000000e+00, -0.000000e+00>
func.func @complex_sum(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) dim = 0 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.add %a, %b : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

// CHECK-LABEL: func @complex_product
// REMARK: commutative, not idempotent; its identity is #complex.number<:f32 1.000000e+00, 0.000000e+00> : complex<f32>; the init is an identity
func.func @complex_product(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %one = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) init(%one : complex<f32>) dim = 0 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.mul %a, %b : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

// Small matrices: that of integers is exact, that of real numbers is found.
// CHECK-LABEL: func @matrices
// CHECK: scan.operator = {identity = [dense<{{\[\[}}1, 0], [0, 1]]> : tensor<2x2xi32>], leaves = 1 : i64}
// REMARK: not commutative, not idempotent; its identity is dense<{{\[\[}}1, 0], [0, 1]]> : tensor<2x2xi32>
func.func @matrices(%x: tensor<?x2x2xi32>) -> tensor<?x2x2xi32> {
  %y = scan.associative ins(%x : tensor<?x2x2xi32>) dim = 0 {
  ^bb0(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>):
    %z = arith.constant 0 : i32
    %e = tensor.empty() : tensor<2x2xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
    %r = linalg.matmul ins(%b, %a : tensor<2x2xi32>, tensor<2x2xi32>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x2x2xi32>
  return %y : tensor<?x2x2xi32>
}

// CHECK-LABEL: func @vectors
// CHECK: scan.operator = {commutative, idempotent, identity = [dense<0xFF800000> : tensor<3xf32>], leaves = 1 : i64}
func.func @vectors(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %r = arith.maximumf %a, %b : tensor<3xf32>
    scan.yield %r : tensor<3xf32>
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
