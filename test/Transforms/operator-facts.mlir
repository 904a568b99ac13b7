// What is known of operators goes along as kernels are made and merged: of two operators what
// is known of both, and nothing where flags of segments become a leaf or numbers of another
// type accumulate.

// RUN: scan-opt %s --scan-normalize --scan-bidirectional=target=gpu | FileCheck %s

// CHECK-LABEL: func @both
// CHECK: scan.kernel
// CHECK: bidirectional = 1 {{.*}}scan.operator = {commutative, identity = [-0.000000e+00 : f32, 0xFF800000 : f32], leaves = 2 : i64}
// CHECK-NOT: scan.kernel
func.func @both(%x: tensor<2x300xf32>) -> (tensor<2x300xf32>, tensor<2x300xf32>) {
  %y = scan.associative ins(%x : tensor<2x300xf32>) dim = 1
      attributes {scan.operator = {commutative, identity = [-0.0 : f32], leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<2x300xf32>
  %z = scan.associative ins(%x : tensor<2x300xf32>) dim = 1 reverse
      attributes {scan.operator = {commutative, idempotent, identity = [0xFF800000 : f32], leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<2x300xf32>
  return %y, %z : tensor<2x300xf32>, tensor<2x300xf32>
}

// CHECK-LABEL: func @matrices
// CHECK: scan.kernel
// CHECK: scan.operator = {identity = [1 : i32, 0 : i32, 0 : i32, 1 : i32], leaves = 4 : i64}
func.func @matrices(%x: tensor<?x2x2xi32>) -> tensor<?x2x2xi32> {
  %y = scan.associative ins(%x : tensor<?x2x2xi32>) dim = 0
      attributes {scan.operator = {identity = [dense<[[1, 0], [0, 1]]> : tensor<2x2xi32>], leaves = 1 : i64}} {
  ^bb0(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>):
    %z = arith.constant 0 : i32
    %e = tensor.empty() : tensor<2x2xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
    %r = linalg.matmul ins(%b, %a : tensor<2x2xi32>, tensor<2x2xi32>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x2x2xi32>
  return %y : tensor<?x2x2xi32>
}

// CHECK-LABEL: func @segments
// CHECK: scan.kernel
// CHECK-NOT: scan.operator
// CHECK-LABEL: func @wide
// CHECK: scan.kernel
// CHECK-NOT: scan.operator
func.func @segments(%x: tensor<?xi32>, %s: tensor<?xi1>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) segments(%s : tensor<?xi1>) dim = 0
      attributes {scan.operator = {commutative, identity = [0 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
func.func @wide(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = scan.associative ins(%x : tensor<?xf16>) dim = 0
      attributes {scan.operator = {commutative, identity = [1.0 : f16], leaves = 1 : i64}} {
  ^bb0(%a: f16, %b: f16):
    %r = arith.mulf %a, %b : f16
    scan.yield %r : f16
  } -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// An init that is the identity has gone before kernels are made.
// CHECK-LABEL: func @init
// CHECK: scan.kernel
// CHECK-NOT: init(
// CHECK: return
func.func @init(%x: tensor<?xi32>) -> tensor<?xi32> {
  %i = arith.constant 0 : i32
  %y = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0
      attributes {scan.operator = {idempotent, identity = [0 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %z = arith.constant 0 : i32
    %c = arith.cmpi eq, %b, %z : i32
    %r = arith.select %c, %a, %b : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
