// A kernel that reads what another one has stored, where it was stored and in `store` only, becomes one with it; and
// one without initial states gets the identity of its operator for that.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --split-input-file | FileCheck %s
// Nothing is left to do the second time.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --split-input-file -o %t.once
// RUN: scan-opt %t.once --scan-fuse-elementwise --split-input-file | diff %t.once -

// They share no input. What is in between is rounded as it was in memory.
// CHECK-LABEL: @scaled(
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%arg0, %arg1, %arg2 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%{{[a-z0-9_]+}} : tensor<?x?xbf16>)
// CHECK:           store {
// CHECK:             arith.truncf {{.*}} : f32 to bf16
// CHECK:             arith.truncf {{.*}} : f32 to bf16
// CHECK:             arith.mulf {{.*}} : bf16
// CHECK-NOT:     scan.kernel
// run: random:bf16:3xN:1 random:bf16:3xN:2 random:bf16:3xN:3
func.func @scaled(%x: tensor<?x?xbf16>, %a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %s = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1 reverse {
  ^bb0(%l: bf16, %r: bf16):
    %o = arith.addf %l, %r : bf16
    scan.yield %o : bf16
  } -> tensor<?x?xbf16>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) dim = 1 reverse -> tensor<?x?xbf16>
  %y = arith.mulf %s, %h : tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// -----

// What is read in between is a result, too; and the last state of one that does not commute.
// CHECK-LABEL: @kept(
// CHECK-COUNT-1: scan.kernel
// CHECK-NOT:     scan.kernel
// run: random:i64:Nx3:1 random:i64:Nx3:2 random:i64:3:3
func.func @kept(%x: tensor<?x3xi64>, %z: tensor<?x3xi64>, %i: tensor<3xi64>) -> (tensor<?x3xi64>, tensor<?x3xi64>, tensor<3xi64>) {
  %s = scan.associative ins(%x : tensor<?x3xi64>) init(%i : tensor<3xi64>) dim = 0 {
  ^bb0(%l: i64, %r: i64):
    %o = arith.maxsi %l, %r : i64
    scan.yield %o : i64
  } -> tensor<?x3xi64>
  %t, %last = scan.associative ins(%z : tensor<?x3xi64>) init(%i : tensor<3xi64>) dim = 0 exclusive {
  ^bb0(%l: i64, %r: i64):
    %zero = arith.constant 0 : i64
    %c = arith.cmpi slt, %r, %zero : i64
    %o = arith.select %c, %l, %r : i64
    scan.yield %o : i64
  } -> tensor<?x3xi64>, tensor<3xi64>
  %y = arith.subi %s, %t : tensor<?x3xi64>
  return %s, %y, %last : tensor<?x3xi64>, tensor<?x3xi64>, tensor<3xi64>
}

// -----

// The inclusive one begins at zero, which is where the exclusive one begins.
// CHECK-LABEL: @both_sums(
// CHECK:         scan.kernel dim = 0
// CHECK:           initialize {
// CHECK:             %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:        scan.yield %[[ZERO]], %{{.*}} : i32, i32
// CHECK-NOT:     scan.kernel
// run: random:i32:N:1
func.func @both_sums(%x: tensor<?xi32>) -> tensor<?xi32> {
  %zero = arith.constant 5 : i32
  %s = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%l: i32, %r: i32):
    %o = arith.addi %l, %r : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  %t = scan.associative ins(%x : tensor<?xi32>) init(%zero : i32) dim = 0 exclusive {
  ^bb0(%l: i32, %r: i32):
    %o = arith.addi %l, %r : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  %y = arith.muli %s, %t : tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

// A sum of floating-point numbers begins at -0: the first one may be -0, and stays it. The later one has no init.
// CHECK-LABEL: @negative_zero(
// CHECK:         scan.kernel dim = 0 reverse
// CHECK:           initialize {
// CHECK:             arith.constant -0.000000e+00 : f32
// CHECK-NOT:     scan.kernel
// run: zeros:f32:N
func.func @negative_zero(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %i = arith.constant 1.0 : f32
  %n = arith.negf %x : tensor<?xf32>
  %p = scan.associative ins(%n : tensor<?xf32>) init(%i : f32) dim = 0 reverse exclusive {
  ^bb0(%l: f32, %r: f32):
    %o = arith.addf %l, %r : f32
    scan.yield %o : f32
  } -> tensor<?xf32>
  %s = scan.associative ins(%n : tensor<?xf32>) dim = 0 reverse {
  ^bb0(%l: f32, %r: f32):
    %o = arith.addf %l, %r : f32
    scan.yield %o : f32
  } -> tensor<?xf32>
  return %p, %s : tensor<?xf32>, tensor<?xf32>
}

// -----

// The final state of an empty product is 0, and not where it begins.
// CHECK-LABEL: @empty_product(
// CHECK-COUNT-2: scan.kernel
// run: random:i32:N:1
func.func @empty_product(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>, tensor<?xi32>) {
  %i = arith.constant 3 : i32
  %p, %l = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = arith.muli %a, %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>, tensor<i32>
  %s = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = arith.addi %a, %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  return %p, %l, %s : tensor<?xi32>, tensor<i32>, tensor<?xi32>
}

// -----

// A leaf is made of what the other one stores.
// CHECK-LABEL: @needed_by_leaf(
// CHECK-COUNT-2: scan.kernel
// run: random:i32:N:1
func.func @needed_by_leaf(%x: tensor<?xi32>) -> tensor<?xi32> {
  %s = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = arith.addi %a, %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  %t = scan.associative ins(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = arith.addi %a, %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  return %t : tensor<?xi32>
}

// -----

// CHECK-LABEL: @no_identity(
// CHECK-COUNT-2: scan.kernel
// run: random:i32:N:1
func.func @no_identity(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %i = arith.constant 3 : i32
  %p = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = scan.clone %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  %s = scan.associative ins(%x : tensor<?xi32>) init(%i : i32) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %o = arith.addi %a, %b : i32
    scan.yield %o : i32
  } -> tensor<?xi32>
  return %p, %s : tensor<?xi32>, tensor<?xi32>
}
