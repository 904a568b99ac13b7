// A forward and a reverse scan over the same input become one kernel.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --split-input-file | FileCheck %s
// Nothing is left to do the second time.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --split-input-file -o %t.once
// RUN: scan-opt %t.once --scan-bidirectional --split-input-file | diff %t.once -
// RUN: scan-opt %t.once --scan-fuse-elementwise --split-input-file | diff %t.once -
// What is merged can be split again.
// RUN: scan-opt %t.once --scan-bidirectional=split --split-input-file | FileCheck %s --check-prefix=SPLIT

// Two results; x is read once.
// CHECK-LABEL: @sums(
// CHECK-SAME:    %[[X:.*]]: tensor<?x33xf32>)
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[X]] : tensor<?x33xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x33xf32>, tensor<?x33xf32>)
// CHECK-NEXT:      maps {{.*}} attributes {bidirectional = 1 : i64}
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:        yield %[[E]], %[[E]] : f32, f32
// CHECK-NEXT:      } combine {
// CHECK-NEXT:      ^bb0(%[[A0:.*]]: f32, %[[B0:.*]]: f32, %[[A1:.*]]: f32, %[[B1:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[A0]], %[[A1]]
// CHECK-NEXT:        %[[T:.*]] = arith.addf %[[B0]], %[[B1]]
// CHECK-NEXT:        yield %[[S]], %[[T]]
// CHECK-NEXT:      } store {
// CHECK-NEXT:      ^bb0(%[[AI:.*]]: f32, %[[BI:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:        yield %[[AI]], %[[BI]]
// CHECK-NOT:     scan.kernel
// SPLIT-LABEL: @sums(
// SPLIT:         scan.kernel dim = 1{{$}}
// SPLIT-NOT:     bidirectional
// SPLIT:         scan.kernel dim = 1 reverse
// SPLIT-NOT:     scan.kernel
// run: random:f32:Nx33:1
func.func @sums(%x: tensor<?x33xf32>) -> (tensor<?x33xf32>, tensor<?x33xf32>) {
  %f = scan.associative ins(%x : tensor<?x33xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x33xf32>
  %g = scan.associative ins(%x : tensor<?x33xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x33xf32>
  return %f, %g : tensor<?x33xf32>, tensor<?x33xf32>
}

// -----

// A bidirectional gated recurrence, and the sum of both: what one scan computes is
// neither written nor read. The gate is computed once.
// CHECK-LABEL: @gated(
// CHECK-SAME:    %[[X:.*]]: tensor<?x100xbf16>, %[[G:.*]]: tensor<?x100xbf16>, %[[H:.*]]: tensor<?xbf16>)
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[X]], %[[G]] : tensor<?x100xbf16>, tensor<?x100xbf16>) init(%[[H]]{{.*}}) outs(%{{[a-z0-9_]+}} : tensor<?x100xbf16>) finals(%{{.*}}, %{{.*}} : tensor<?xbf16>, tensor<?xbf16>)
// CHECK:           attributes {bidirectional = 2 : i64}
// CHECK:           load {
// CHECK:             math.exp
// CHECK-NOT:         math.exp
// CHECK:           } initialize {
// CHECK-NOT:     scan.kernel
// SPLIT-LABEL: @gated(
// SPLIT:         %[[F:.*]]:2 = scan.kernel dim = 1{{$}}
// SPLIT:           } store {
// SPLIT-NEXT:      ^bb0(%{{.*}}: f32, %[[S:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32
// SPLIT-NEXT:        yield %[[S]] : f32
// SPLIT:         scan.kernel dim = 1 reverse
// SPLIT-NEXT:      ins(%{{.*}}, %{{.*}}, %[[F]]#0 : tensor<?x100xbf16>, tensor<?x100xbf16>, tensor<?x100xf32>)
// SPLIT-NOT:     scan.kernel
// run: random:bf16:Nx100:1 random:bf16:Nx100:2 random:bf16:N:3
func.func @gated(%x: tensor<?x100xbf16>, %g: tensor<?x100xbf16>, %h: tensor<?xbf16>) -> (tensor<?x100xbf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %n = arith.negf %g : tensor<?x100xbf16>
  %a = math.exp %n : tensor<?x100xbf16>
  %f, %fl = scan.linear_recurrence ins(%a, %x : tensor<?x100xbf16>, tensor<?x100xbf16>) init(%h : tensor<?xbf16>) dim = 1 -> tensor<?x100xbf16>, tensor<?xbf16>
  %b, %bl = scan.linear_recurrence ins(%a, %x : tensor<?x100xbf16>, tensor<?x100xbf16>) init(%h : tensor<?xbf16>) dim = 1 reverse -> tensor<?x100xbf16>, tensor<?xbf16>
  %y = arith.addf %f, %b : tensor<?x100xbf16>
  return %y, %fl, %bl : tensor<?x100xbf16>, tensor<?xbf16>, tensor<?xbf16>
}

// -----

// The reverse one first; matrices, whose products do not commute; exclusive and
// inclusive; one of them has only a final state.
// CHECK-LABEL: @matrices(
// CHECK:         scan.kernel dim = 0 reverse
// CHECK:           attributes {bidirectional = 4 : i64}
// CHECK-NOT:     scan.kernel
// SPLIT-LABEL: @matrices(
// SPLIT:         scan.kernel dim = 0 reverse
// SPLIT:         scan.kernel dim = 0{{$}}
// run: random:f64:70x2x2:1 random:f64:2x2:2
func.func @matrices(%m: tensor<70x2x2xf64>, %i: tensor<2x2xf64>) -> (tensor<70x2x2xf64>, tensor<2x2xf64>) {
  %id = arith.constant dense<[[1.0, 0.5], [0.0, 1.0]]> : tensor<2x2xf64>
  %p = scan.associative ins(%m : tensor<70x2x2xf64>) init(%id : tensor<2x2xf64>) dim = 0 reverse exclusive {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<70x2x2xf64>
  %q, %l = scan.associative ins(%m : tensor<70x2x2xf64>) init(%i : tensor<2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%new, %acc : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<70x2x2xf64>, tensor<2x2xf64>
  return %p, %l : tensor<70x2x2xf64>, tensor<2x2xf64>
}

// -----

// One element is the first and the last.
// CHECK-LABEL: @one_element(
// CHECK-COUNT-1: scan.kernel
// CHECK:           attributes {bidirectional = 1 : i64}
// CHECK-NOT:     scan.kernel
// run: random:i8:Nx1:1
func.func @one_element(%x: tensor<?x1xi8>) -> (tensor<?x1xi8>, tensor<?x1xi8>) {
  %f = scan.associative ins(%x : tensor<?x1xi8>) dim = 1 reverse {
  ^bb0(%a: i8, %b: i8):
    %r = arith.muli %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x1xi8>
  %g = scan.associative ins(%x : tensor<?x1xi8>) dim = 1 {
  ^bb0(%a: i8, %b: i8):
    %r = arith.maxsi %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x1xi8>
  return %f, %g : tensor<?x1xi8>, tensor<?x1xi8>
}

// -----

// Affine maps as pairs, 64 bits, in both directions over several inputs, more than one
// warp; both leaves of either are returned, and the last states.
// CHECK-LABEL: @pairs(
// CHECK-COUNT-1: scan.kernel
// CHECK:           attributes {bidirectional = 2 : i64}
// CHECK-NOT:     scan.kernel
// run: random:i64:Nx300:1 random:i64:Nx300:2 random:i64:N:3
func.func @pairs(%a: tensor<?x300xi64>, %b: tensor<?x300xi64>, %i: tensor<?xi64>)
    -> (tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>, tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>) {
  %p, %q, %pl, %ql = scan.associative ins(%a, %b : tensor<?x300xi64>, tensor<?x300xi64>) init(%i, %i : tensor<?xi64>, tensor<?xi64>) dim = 1 exclusive {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>, tensor<?xi64>
  %r, %s, %rl, %sl = scan.associative ins(%a, %b : tensor<?x300xi64>, tensor<?x300xi64>) init(%i, %i : tensor<?xi64>, tensor<?xi64>) dim = 1 reverse {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>, tensor<?xi64>
  return %p, %q, %pl, %r, %s, %sl : tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>, tensor<?x300xi64>, tensor<?x300xi64>, tensor<?xi64>
}

// -----

// Without initial states the first step is the first element: the last one
// that is not zero, which does not commute, over as many elements as threads
// and items have places.
// CHECK-LABEL: @full_tile(
// CHECK-COUNT-1: scan.kernel
// CHECK:           attributes {bidirectional = 1 : i64}
// CHECK-NOT:     scan.kernel
// run: random:i16:Nx1024:1:-1:2
func.func @full_tile(%x: tensor<?x1024xi16>) -> (tensor<?x1024xi16>, tensor<?xi16>, tensor<?xi16>) {
  %f, %fl = scan.associative ins(%x : tensor<?x1024xi16>) dim = 1 reverse {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x1024xi16>, tensor<?xi16>
  %g, %gl = scan.associative ins(%x : tensor<?x1024xi16>) dim = 1 {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x1024xi16>, tensor<?xi16>
  %d = arith.subi %f, %g : tensor<?x1024xi16>
  return %d, %fl, %gl : tensor<?x1024xi16>, tensor<?xi16>, tensor<?xi16>
}

// -----

// Complex numbers.
// CHECK-LABEL: @complex(
// CHECK-COUNT-1: scan.kernel
// CHECK:           attributes {bidirectional = 1 : i64}
// CHECK-NOT:     scan.kernel
// run: random:c64:Nx40:1
func.func @complex(%x: tensor<?x40xcomplex<f32>>) -> (tensor<?x40xcomplex<f32>>, tensor<?x40xcomplex<f32>>) {
  %f = scan.associative ins(%x : tensor<?x40xcomplex<f32>>) dim = 1 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %r = complex.mul %a, %b : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x40xcomplex<f32>>
  %g = scan.associative ins(%x : tensor<?x40xcomplex<f32>>) dim = 1 reverse {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %r = complex.add %a, %b : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x40xcomplex<f32>>
  return %f, %g : tensor<?x40xcomplex<f32>>, tensor<?x40xcomplex<f32>>
}
