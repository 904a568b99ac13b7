// What is known of an operator (scan.operator) makes scans simpler, and only the scans for
// which it holds.

// RUN: scan-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @identity_init
// CHECK: scan.associative ins(%{{.*}} : tensor<?xi32>) dim = 0 attributes
func.func @identity_init(%x: tensor<?xi32>) -> tensor<?xi32> {
  %i = arith.constant 0 : i32
  %y = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0
      attributes {scan.operator = {identity = [0 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %z = arith.constant 0 : i32
    %c = arith.cmpi eq, %b, %z : i32
    %r = arith.select %c, %a, %b : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// Two leaves, in reverse, one init a tensor; and the final state of 8 elements.
// CHECK-LABEL: func @identity_inits
// CHECK: scan.associative ins(%{{.*}}, %{{.*}} : tensor<8x2xi32>, tensor<8x2xi32>) dim = 0 reverse attributes
func.func @identity_inits(%x: tensor<8x2xi32>, %z: tensor<8x2xi32>) -> (tensor<8x2xi32>, tensor<2xi32>) {
  %p = arith.constant 1 : i32
  %q = arith.constant dense<0> : tensor<2xi32>
  %y:4 = scan.associative ins(%x, %z : tensor<8x2xi32>, tensor<8x2xi32>) init(%p, %q : i32, tensor<2xi32>)
      dim = 0 reverse attributes {final_states, scan.operator = {identity = [1 : i32, 0 : i32], leaves = 2 : i64}} {
  ^bb0(%a0: i32, %a1: i32, %b0: i32, %b1: i32):
    %r0 = arith.muli %a0, %b0 : i32
    %t = arith.muli %b0, %a1 : i32
    %r1 = arith.addi %t, %b1 : i32
    scan.yield %r0, %r1 : i32, i32
  } -> tensor<8x2xi32>, tensor<8x2xi32>, tensor<2xi32>, tensor<2xi32>
  return %y#1, %y#3 : tensor<8x2xi32>, tensor<2xi32>
}

// The final state of no elements is the init; another init is none.
// CHECK-LABEL: func @needed_inits
// CHECK-COUNT-3: init(
func.func @needed_inits(%x: tensor<?xi32>) -> (tensor<i32>, tensor<?xi32>, tensor<?xi32>) {
  %i = arith.constant 1 : i32
  %j = arith.constant 2 : i32
  %y, %f = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0
      attributes {final_states, scan.operator = {identity = [1 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.muli %b, %a : i32
    scan.yield %r : i32
  } -> tensor<?xi32>, tensor<i32>
  %z = scan.associative ins(%x : tensor<?xi32>) init(%j : i32) dim = 0
      attributes {scan.operator = {identity = [1 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.muli %b, %a : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  %e = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0 exclusive
      attributes {scan.operator = {identity = [1 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.muli %b, %a : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %f, %z, %e : tensor<i32>, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func @uniform
// CHECK-SAME: (%[[X:.*]]: f32,
// CHECK: %[[S:.*]] = tensor.splat %[[X]]
// CHECK: scan.associative
// CHECK: return %[[S]], %
func.func @uniform(%x: f32, %v: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %s = tensor.splat %x : tensor<4x8xf32>
  %y = scan.associative ins(%s : tensor<4x8xf32>) dim = 1 reverse
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x8xf32>
  // Equal along the dimension that is not scanned.
  %e = tensor.empty() : tensor<4x8xf32>
  %w = linalg.broadcast ins(%v : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %z = scan.associative ins(%w : tensor<4x8xf32>) dim = 0
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// The states of a scan once more; in the other direction they are others.
// CHECK-LABEL: func @twice
// CHECK: %[[Y:.*]] = scan.associative
// CHECK-NOT: scan.associative ins(%[[Y]] : tensor<?xf32>) dim = 0 attributes
// CHECK: %[[Z:.*]] = scan.associative ins(%[[Y]] : tensor<?xf32>) dim = 0 reverse
// CHECK: return %[[Y]], %[[Z]]
func.func @twice(%x: tensor<?xf32>, %i: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = scan.associative ins(%x : tensor<?xf32>) init(%i : f32) dim = 0
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %z = scan.associative ins(%y : tensor<?xf32>) dim = 0
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %w = scan.associative ins(%y : tensor<?xf32>) dim = 0 reverse
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %z, %w : tensor<?xf32>, tensor<?xf32>
}

// Another operator, or nothing known.
// CHECK-LABEL: func @twice_otherwise
// CHECK-COUNT-3: scan.associative
func.func @twice_otherwise(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %z = scan.associative ins(%y : tensor<?xf32>) dim = 0
      attributes {scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.minimumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %w = scan.associative ins(%y : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %z, %w : tensor<?xf32>, tensor<?xf32>
}

// A leaf that nobody wants takes its part of the identity along.
// CHECK-LABEL: func @dead_leaf
// CHECK: scan.associative ins(%{{.*}} : tensor<?xi32>) {{.*}}scan.operator = {commutative, identity = [1 : i32], leaves = 1 : i64}
func.func @dead_leaf(%x: tensor<?xi32>, %z: tensor<?xi32>) -> tensor<?xi32> {
  %y:2 = scan.associative ins(%z, %x : tensor<?xi32>, tensor<?xi32>) dim = 0
      attributes {scan.operator = {commutative, identity = [0 : i32, 1 : i32], leaves = 2 : i64}} {
  ^bb0(%a0: i32, %a1: i32, %b0: i32, %b1: i32):
    %r0 = arith.addi %a0, %b0 : i32
    %r1 = arith.muli %a1, %b1 : i32
    scan.yield %r0, %r1 : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y#1 : tensor<?xi32>
}
