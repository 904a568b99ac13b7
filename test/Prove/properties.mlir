// What else the solver says of operators.

// REQUIRES: z3
// RUN: scan-opt %s -verify-diagnostics -o /dev/null \
// RUN:   --scan-prove-associativity="refuted=warning properties timeout=20"

func.func @maximum(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-remark @below {{proved associative, exactly}}
  // expected-remark @below {{the combine region is commutative, idempotent; its identity is -2147483648 : i32}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// An init that is no identity, where one is.
func.func @sum_from_one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{proved associative, up to rounding}}
  // expected-remark @below {{the combine region is commutative, not idempotent; its identity is -0.000000e+00 : f32; the init is not an identity}}
  %y = scan.associative ins(%x : tensor<?xf32>) init(%one : f32) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @recurrence(%x: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{proved associative, up to rounding}}
  // expected-remark @below {{the combine region is not commutative, not idempotent; its identity is 1.000000e+00 : f32, 0.000000e+00 : f32; the init is an identity}}
  %y:2 = scan.associative ins(%x, %z : tensor<?xf32>, tensor<?xf32>) init(%one, %zero : f32, f32) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

func.func @maximum_with_nan(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{proved associative, exactly}}
  // expected-remark @below {{the combine region is commutative, idempotent; its identity is 0xFF800000 : f32; NaN is passed on, in each leaf}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @maximum_of_numbers(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{proved associative, exactly}}
  // expected-remark @below {{the combine region is commutative, idempotent; its identity is 0x7FC00000 : f32; NaN is dropped, or passed on to other leaves}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Exponentials: what does not hold is shown by numbers, not by the solver.
func.func @online_softmax(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{proved associative, up to rounding}}
  // expected-remark @below {{the combine region is commutative, not idempotent; no identity was found}}
  %y:2 = scan.associative ins(%x, %z : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
    %m = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %m : f32
    %d1 = arith.subf %m1, %m : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %s0, %e0 : f32
    %p1 = arith.mulf %s1, %e1 : f32
    %s = arith.addf %p0, %p1 : f32
    scan.yield %m, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y#1 : tensor<?xf32>
}

// A recurrence with decays as logarithms.
func.func @decay(%x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  // expected-remark @below {{proved associative, up to rounding}}
  // expected-remark @below {{the combine region is not commutative, not idempotent}}
  %y:2 = scan.associative ins(%x, %z : tensor<?xf64>, tensor<?xf64>) dim = 0 {
  ^bb0(%l0: f64, %b0: f64, %l1: f64, %b1: f64):
    %l = arith.addf %l0, %l1 : f64
    %e = math.exp %l1 : f64
    %p = arith.mulf %e, %b0 : f64
    %b = arith.addf %p, %b1 : f64
    scan.yield %l, %b : f64, f64
  } -> tensor<?xf64>, tensor<?xf64>
  return %y#1 : tensor<?xf64>
}
