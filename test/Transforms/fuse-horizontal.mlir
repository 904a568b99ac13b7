// Kernels that read the same tensors become one; what keeps them apart.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --split-input-file | FileCheck %s
// Nothing is left to do the second time.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --split-input-file -o %t.once
// RUN: scan-opt %t.once --scan-fuse-elementwise --split-input-file | diff %t.once -

// One kernel with the leaves of both; x is read once. What follows both becomes
// part of it.
// CHECK-LABEL: @sum_and_product(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf32>)
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]] : tensor<?x64xf32>) outs(%{{.*}} : tensor<?x64xf32>)
// CHECK:           load {
// CHECK-NEXT:      ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:        yield %[[E]], %[[E]] : f32, f32
// CHECK:           combine {
// CHECK-NEXT:      ^bb0(%[[A0:.*]]: f32, %[[B0:.*]]: f32, %[[A1:.*]]: f32, %[[B1:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[A0]], %[[A1]]
// CHECK-NEXT:        %[[P:.*]] = arith.mulf %[[B0]], %[[B1]]
// CHECK-NEXT:        yield %[[S]], %[[P]]
// CHECK:           store {
// CHECK-NEXT:      ^bb0(%[[AI:.*]]: f32, %[[BI:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:        %[[Q:.*]] = arith.divf %[[AI]], %[[BI]]
// CHECK-NEXT:        yield %[[Q]]
// CHECK-NOT:     scan.kernel
// CHECK-NOT:     arith
// run: random:f32:Nx64:1
func.func @sum_and_product(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = scan.associative ins(%x : tensor<?x64xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x64xf32>
  %p = scan.associative ins(%x : tensor<?x64xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x64xf32>
  %q = arith.divf %s, %p : tensor<?x64xf32>
  return %q : tensor<?x64xf32>
}

// -----

// Initial and final states, reversed, several leaves, operators that do not
// commute; the second has an operand that is made between them.
// CHECK-LABEL: @states(
// CHECK-COUNT-1: scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x?xf64>, tensor<4x?xf64>, tensor<4x?xf64>) init(%{{.*}}, %{{.*}}, %{{.*}} : f64, f64, tensor<4xf64>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x?xf64>, tensor<4x?xf64>, tensor<4x?xf64>) finals(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f64:4xN:1 random:f64:4xN:2 random:f64:4xN:3 random:f64::4 random:f64:4:5
func.func @states(%a: tensor<4x?xf64>, %b: tensor<4x?xf64>, %c: tensor<4x?xf64>, %i: f64, %h0: tensor<4xf64>)
    -> (tensor<4x?xf64>, tensor<4x?xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x?xf64>, tensor<4xf64>) {
  %p, %h, %pl, %hl = scan.associative ins(%a, %b : tensor<4x?xf64>, tensor<4x?xf64>) init(%i, %i : f64, f64) dim = 1 reverse exclusive {
  ^bb0(%a0: f64, %b0: f64, %a1: f64, %b1: f64):
    %q = arith.mulf %a1, %a0 : f64
    %t = arith.mulf %a1, %b0 : f64
    %r = arith.addf %t, %b1 : f64
    scan.yield %q, %r : f64, f64
  } -> tensor<4x?xf64>, tensor<4x?xf64>, tensor<4xf64>, tensor<4xf64>
  %h1 = math.exp %h0 : tensor<4xf64>
  %g, %gl = scan.linear_recurrence ins(%a, %c : tensor<4x?xf64>, tensor<4x?xf64>) init(%h1 : tensor<4xf64>) dim = 1 reverse
      -> tensor<4x?xf64>, tensor<4xf64>
  return %p, %h, %pl, %hl, %g, %gl : tensor<4x?xf64>, tensor<4x?xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x?xf64>, tensor<4xf64>
}

// -----

// They read the same only once their producers are inlined; three become one.
// CHECK-LABEL: @through_producers(
// CHECK-COUNT-1: scan.kernel dim = 0
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f32:N:1
func.func @through_producers(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = math.exp %x : tensor<?xf32>
  %n = arith.negf %x : tensor<?xf32>
  %s = scan.associative ins(%e : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %p = scan.associative ins(%n : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  %q = scan.linear_recurrence ins(%n, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %s, %p, %q : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// The second needs a result of the first, here by way of something that is not
// elementwise.
// CHECK-LABEL: @dependent(
// CHECK-COUNT-2: scan.kernel dim = 0
// run: random:f32:4:1
func.func @dependent(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = scan.associative ins(%x : tensor<4xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4xf32>
  %c3 = arith.constant 3 : index
  %last = tensor.extract %s[%c3] : tensor<4xf32>
  %first = tensor.from_elements %last : tensor<1xf32>
  %y = tensor.insert_slice %first into %x[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
  %q = scan.linear_recurrence ins(%x, %y : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %s, %q : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another direction, another dimension, another order, another schedule, a tag;
// and an initial state on one side, where a maximum that leaves out NaN has nothing
// to begin with: it would not be NaN behind a first element that is.
// CHECK-LABEL: @different(
// CHECK-COUNT-7: scan.kernel
// run: random:f32:8x8:1 random:f32:8:2
func.func @different(%x: tensor<8x8xf32>, %h0: tensor<8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = scan.linear_recurrence ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 -> tensor<8x8xf32>
  %1 = scan.linear_recurrence ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 reverse -> tensor<8x8xf32>
  %2 = scan.associative ins(%x : tensor<8x8xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<8x8xf32>
  %3 = scan.associative ins(%x : tensor<8x8xf32>) init(%h0 : tensor<8xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<8x8xf32>
  %4 = scan.linear_recurrence ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 attributes {order = #scan.order<sequential>} -> tensor<8x8xf32>
  %5 = scan.linear_recurrence ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 attributes {schedule = #scan.schedule<strategy = sequential, threads = 128>} -> tensor<8x8xf32>
  %6 = scan.linear_recurrence ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 attributes {tag} -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// One decay per channel is all they share, which is little of what they read.
// CHECK-LABEL: @little_in_common(
// CHECK-COUNT-2: scan.kernel dim = 1
// run: random:f32:1xNx8:1 random:f32:3xNx8:2 random:f32:3xNx8:3
func.func @little_in_common(%a: tensor<1x?x8xf32>, %x: tensor<?x?x8xf32>, %y: tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %0 = scan.linear_recurrence ins(%a, %x : tensor<1x?x8xf32>, tensor<?x?x8xf32>) dim = 1 -> tensor<?x?x8xf32>
  %1 = scan.linear_recurrence ins(%a, %y : tensor<1x?x8xf32>, tensor<?x?x8xf32>) dim = 1 -> tensor<?x?x8xf32>
  return %0, %1 : tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// -----

// Nothing says that there are as many rows of x as of y: where both are one
// row, a is not broadcast.
// CHECK-LABEL: @unknown_extents(
// CHECK-COUNT-2: scan.kernel dim = 1
// run: random:f32:1x64:1 random:f32:Nx64:2 random:f32:3x64:3
func.func @unknown_extents(%a: tensor<1x64xf32>, %x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = scan.linear_recurrence ins(%a, %x : tensor<1x64xf32>, tensor<?x64xf32>) dim = 1 -> tensor<?x64xf32>
  %1 = scan.linear_recurrence ins(%a, %y : tensor<1x64xf32>, tensor<?x64xf32>) dim = 1 -> tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Sixteen leaves at most: three recurrences of four matrix elements, and of a
// fifth.
// CHECK-LABEL: @many_leaves(
// CHECK-COUNT-2: scan.kernel dim = 0
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f32:Nx3x3:1
func.func @many_leaves(%x: tensor<?x3x3xf32>) -> (tensor<?x3x3xf32>, tensor<?x3x3xf32>) {
  %0 = scan.associative ins(%x : tensor<?x3x3xf32>) dim = 0 {
  ^bb0(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>):
    %r = arith.addf %a, %b : tensor<3x3xf32>
    scan.yield %r : tensor<3x3xf32>
  } -> tensor<?x3x3xf32>
  %1 = scan.associative ins(%x : tensor<?x3x3xf32>) dim = 0 {
  ^bb0(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>):
    %r = arith.mulf %a, %b : tensor<3x3xf32>
    scan.yield %r : tensor<3x3xf32>
  } -> tensor<?x3x3xf32>
  return %0, %1 : tensor<?x3x3xf32>, tensor<?x3x3xf32>
}

// -----

// In different blocks.
// CHECK-LABEL: @blocks(
// CHECK-COUNT-2: scan.kernel dim = 0
// run: random:f32:N:1 zeros:i1:
func.func @blocks(%x: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  %t = scf.if %c -> tensor<?xf32> {
    %u = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}

// -----

// Shifted inputs keep their boundaries: those of the second kernel are numbered
// behind the inputs of the first.
// CHECK-LABEL: @shifted(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[B:.*]]: f32, %[[C:.*]]: f32) -> (tensor
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[X]], %[[X]], %[[X]], %[[C]], %[[B]] :
// CHECK-NEXT:      boundaries = array<i64: 4, -1, 3, -1, -1>, shifts = array<i64: 1, 0, -2, 0, 0>
// CHECK-NOT:     scan.kernel
// CHECK-NOT:     scan.shift
// CHECK:         return
// run: random:f32:N:1 random:f32::2 random:f32::3
func.func @shifted(%x: tensor<?xf32>, %b: f32, %c: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %p = scan.shift %x boundary(%b : f32) dim = 0 by = 1 : tensor<?xf32>
  %s = scan.linear_recurrence ins(%p, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse -> tensor<?xf32>
  %q = scan.shift %x boundary(%c : f32) dim = 0 by = -2 : tensor<?xf32>
  %t = scan.linear_recurrence ins(%x, %q : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse -> tensor<?xf32>
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}

// -----

// An initial state on one side only: the other recurrence begins with the state
// -0, which the coefficient 1 of the first step, where it is infinite here, leaves
// as it is.
// CHECK-LABEL: @begins_with_one(
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(
// CHECK:         load
// CHECK:           %[[STEP:.*]] = scan.index 0 : index
// CHECK:           %[[NUMBER:.*]] = arith.index_cast %[[STEP]] : index to i64
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %{{.*}} : i64
// CHECK:           %[[A:.*]] = arith.select %[[FIRST]], %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:      scan.yield %[[A]],
// CHECK:         initialize
// CHECK-DAG:       %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:           scan.yield %[[ONE]], %[[ZERO]],
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f32:4:1 random:f32:4:2 random:f32::3
func.func @begins_with_one(%x: tensor<4xf32>, %y: tensor<4xf32>, %h0: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = arith.constant dense<[0x7F800000, 0.5, -2.0, 0.0]> : tensor<4xf32>
  %0 = scan.linear_recurrence ins(%a, %x : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  %1 = scan.linear_recurrence ins(%x, %y : tensor<4xf32>, tensor<4xf32>) init(%h0 : f32) dim = 0 exclusive -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// In reverse the first step is the last one, whose number is an input.
// CHECK-LABEL: @begins_at_the_end(
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK:         %[[NUMBER:.*]] = arith.index_cast %[[LAST]] : index to i64
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins({{.*}}%[[NUMBER]]
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f32:3xN:1 random:f32:3xN:2 random:f32:3:3
func.func @begins_at_the_end(%a: tensor<3x?xf32>, %x: tensor<3x?xf32>, %h0: tensor<3xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32>) {
  %0 = scan.linear_recurrence ins(%a, %x : tensor<3x?xf32>, tensor<3x?xf32>) dim = 1 reverse -> tensor<3x?xf32>
  %1 = scan.linear_recurrence ins(%x, %a : tensor<3x?xf32>, tensor<3x?xf32>) init(%h0 : tensor<3xf32>) dim = 1 reverse exclusive -> tensor<3x?xf32>
  return %0, %1 : tensor<3x?xf32>, tensor<3x?xf32>
}

// -----

// Somebody looks at the products of the coefficients.
// CHECK-LABEL: @products_are_results(
// CHECK-COUNT-2: scan.kernel dim = 0
// run: random:f32:N:1 random:f32:N:2 random:f32::3
func.func @products_are_results(%a: tensor<?xf32>, %x: tensor<?xf32>, %h0: f32) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %p, %0 = scan.associative ins(%a, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %1 = scan.linear_recurrence ins(%a, %x : tensor<?xf32>, tensor<?xf32>) init(%h0 : f32) dim = 0 -> tensor<?xf32>
  return %p, %0, %1 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// What the second state adds is not its own new value: with a first step of 1 it
// would be another one.
// CHECK-LABEL: @adds_something_else(
// CHECK-COUNT-2: scan.kernel dim = 0
// run: random:f32:N:1 random:f32:N:2 random:f32::3
func.func @adds_something_else(%a: tensor<?xf32>, %x: tensor<?xf32>, %h0: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %0 = scan.associative ins(%a, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %a1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %1 = scan.linear_recurrence ins(%a, %x : tensor<?xf32>, tensor<?xf32>) init(%h0 : f32) dim = 0 -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The recurrences in both directions become one where a block holds a row.
// CHECK-LABEL: @other_direction(
// CHECK-COUNT-3: scan.kernel dim = 1
// CHECK-NOT:     scan.kernel
// CHECK:         return
// run: random:f32:3xN:1 random:f32:3xN:2 random:f32::3
func.func @other_direction(%a: tensor<3x?xf32>, %x: tensor<3x?xf32>, %h0: f32) -> (tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xf32>) {
  %0 = scan.linear_recurrence ins(%a, %x : tensor<3x?xf32>, tensor<3x?xf32>) dim = 1 -> tensor<3x?xf32>
  %1 = scan.linear_recurrence ins(%a, %x : tensor<3x?xf32>, tensor<3x?xf32>) dim = 1 reverse -> tensor<3x?xf32>
  %2 = scan.linear_recurrence ins(%a, %x : tensor<3x?xf32>, tensor<3x?xf32>) init(%h0 : f32) dim = 1 exclusive -> tensor<3x?xf32>
  return %0, %1, %2 : tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xf32>
}

// -----

// The later one begins at the identity, in reverse at a step whose number is
// known in front of both.
// CHECK-LABEL: @later_begins_in_reverse(
// CHECK: scan.kernel dim = 0 reverse
// CHECK-NOT: scan.kernel
// CHECK: return
// run: random:f32:Nx5:1 random:f32:Nx5:2
func.func @later_begins_in_reverse(%a: tensor<?x5xf32>, %x: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %one = arith.constant 1.0 : f32
  %0 = scan.associative ins(%a : tensor<?x5xf32>) init(%one : f32) dim = 0 reverse {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    scan.yield %s : f32
  } -> tensor<?x5xf32>
  %1 = scan.linear_recurrence ins(%a, %x : tensor<?x5xf32>, tensor<?x5xf32>) dim = 0 reverse -> tensor<?x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x5xf32>
}
