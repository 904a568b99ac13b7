// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f" | FileCheck %s
// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f" \
// RUN:   --scan-normalize --scan-fuse-elementwise | FileCheck %s --check-prefix=FUSED

// The backward pass of a recurrence is one kernel that reads a, dh and h and writes
// da and db: with the three arrays of the forward pass eight altogether.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[DH:.*]]: tensor<?x4xf32>)
// CHECK: %[[H:.*]] = scan.linear_recurrence ins(%[[A]], %[[B]]
// CHECK: %[[PREVIOUS:.*]] = scan.shift %[[H]] boundary(%{{.*}} : f32) dim = 0 by = 1
// CHECK: %[[ADH:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[DH]] :
// CHECK: %[[U:.*]] = scan.linear_recurrence ins(%[[A]], %[[ADH]] {{.*}} init(%{{.*}} : f32) dim = 0 reverse exclusive
// CHECK: %[[DB:.*]] = linalg.generic {{.*}} ins(%[[U]], %[[DH]] :
// CHECK: arith.addf
// CHECK: %[[DA:.*]] = linalg.generic {{.*}} ins(%[[DB]], %[[PREVIOUS]] :
// CHECK: arith.mulf
// CHECK: return %[[DA]], %[[DB]]

// FUSED-LABEL: func.func @f_vjp
// FUSED-SAME: (%[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[DH:.*]]: tensor<?x4xf32>)
// FUSED: %[[H:.*]] = scan.kernel dim = 0
// FUSED-NEXT: ins(%[[A]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?x4xf32>)
// FUSED: %[[G:.*]]:2 = scan.kernel dim = 0 reverse
// FUSED-NEXT: ins(%[[A]], %[[DH]], %[[H]], %[[ZERO:.*]] : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, f32) init(%[[ZERO]] : f32) outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
// FUSED-NEXT: boundaries = array<i64: -1, -1, 3, -1>, shifts = array<i64: 0, 0, 1, 0>
// FUSED-NOT: scan.kernel
// FUSED-NOT: linalg
// FUSED: return %[[G]]#1, %[[G]]#0
func.func @f(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) dim = 0 -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// -----

// Reversed, with an initial state and a final one, of complex numbers.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: %[[I:[a-z0-9]+]]: complex<f32>, %{{.*}}: tensor<8xcomplex<f32>>, %[[DLAST:[a-z0-9]+]]: tensor<complex<f32>>)
// CHECK: scan.shift %{{.*}} boundary(%[[I]] : complex<f32>) dim = 0 by = -1
// CHECK: complex.conj
// CHECK: %{{.*}}, %[[FIRST:.*]] = scan.linear_recurrence {{.*}} init(%[[DLAST]] : tensor<complex<f32>>) dim = 0 exclusive
// CHECK: tensor.extract %[[FIRST]][]
func.func @f(%a: tensor<8xcomplex<f32>>, %b: tensor<8xcomplex<f32>>, %i: complex<f32>) -> (tensor<8xcomplex<f32>>, tensor<complex<f32>>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) init(%i : complex<f32>) dim = 0 reverse
      -> tensor<8xcomplex<f32>>, tensor<complex<f32>>
  return %h, %last : tensor<8xcomplex<f32>>, tensor<complex<f32>>
}

// -----

// A coefficient that is broadcast gets the sum; 16-bit numbers are added up in
// f32.

// CHECK-LABEL: func.func @f_vjp
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?x4xf32>, tensor<3x?x4xf32>) {{.*}} reverse exclusive
// CHECK: %[[SUM:.*]] = linalg.reduce {{.*}}<reassoc>} } ins(%{{.*}} : tensor<3x?x4xf32>) outs(%{{.*}} : tensor<?x4xf32>) dimensions = [0]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[SUM]] : tensor<?x4xf32> to tensor<?x4xbf16>
// CHECK: tensor.expand_shape %[[NARROW]] {{.*}} into tensor<1x?x4xbf16>
func.func @f(%a: tensor<1x?x4xbf16>, %b: tensor<3x?x4xbf16>) -> tensor<3x?x4xbf16> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<1x?x4xbf16>, tensor<3x?x4xbf16>) dim = 1 -> tensor<3x?x4xbf16>
  return %h : tensor<3x?x4xbf16>
}

// -----

// A running sum goes back as a running sum and needs nothing of the forward
// pass.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%{{.*}}: tensor<?xf32>, %[[DY:.*]]: tensor<?xf32>)
// CHECK: scan.associative ins(%[[DY]] : tensor<?xf32>) init(%{{.*}} : f32) dim = 0 reverse exclusive {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-NEXT: arith.addf %[[ACC]], %[[NEW]]
// CHECK-NEXT: scan.yield
// CHECK-NOT: scan.associative
// CHECK: return
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A maximum goes back as a linear recurrence whose coefficients are 0, 1 and, for
// equal operands, 1/2.

// CHECK-LABEL: func.func @f_vjp
// CHECK: arith.cmpf oeq
// CHECK: arith.constant 5.000000e-01
// CHECK: arith.cmpf olt
// CHECK: scan.linear_recurrence {{.*}} dim = 0 reverse exclusive
// CHECK-NOT: scan.associative
// CHECK: linalg.index 0
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.maximumf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A product goes back without a division, so that it may have zeros.

// CHECK-LABEL: func.func @f_vjp
// CHECK-NOT: div
// CHECK: scan.linear_recurrence {{.*}} dim = 0 reverse exclusive
// CHECK-NOT: div
// CHECK: return
func.func @f(%x: tensor<?xf32>, %i: f32) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) init(%i : f32) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.mulf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Sums, and sums of products of sums: of the nine entries of the transposed
// Jacobian matrix one is scanned, with one offset per leaf.

// CHECK-LABEL: func.func @f_vjp
// CHECK: scan.associative ins(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : {{.*}} dim = 0 reverse exclusive {
// CHECK-NEXT: ^bb0(%[[M0:.*]]: f32, %[[S0:.*]]: f32, %{{.*}}: f32, %[[R0:.*]]: f32, %[[M1:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: arith.addf %[[M0]], %[[M1]]
// CHECK: arith.mulf %[[M1]], %[[R0]]
// CHECK: scan.yield
func.func @f(%x: tensor<?xf32>, %u: tensor<?xf32>, %v: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y:3 = scan.associative ins(%x, %u, %v : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b0: f32, %b1: f32, %b2: f32):
    %s = arith.addf %a0, %b0 : f32
    %t = arith.addf %a1, %b1 : f32
    %p = arith.mulf %a0, %b1 : f32
    %q = arith.addf %a2, %b2 : f32
    %r = arith.addf %q, %p : f32
    scan.yield %s, %t, %r : f32, f32, f32
  } -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1, %y#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Nothing depends on the first leaf: one linear recurrence is left, one kernel.

// CHECK-LABEL: func.func @f_vjp
// CHECK: scan.linear_recurrence {{.*}} dim = 0 reverse exclusive
// CHECK-NOT: scan.associative
// CHECK: return

// FUSED-LABEL: func.func @f_vjp
// FUSED: scan.kernel dim = 0
// FUSED: scan.kernel dim = 0 reverse
// FUSED-NOT: scan.kernel
// FUSED-NOT: linalg
// FUSED: return
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %p, %h = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %h : tensor<?xf32>
}

// -----

// A shift goes back shifted; the boundary gets what was moved in.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x3xf32>)
// CHECK: %[[DX:.*]] = scan.shift %[[DY]] boundary(%{{.*}} : f32) dim = 0 by = -2
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: %[[EDGE:.*]] = tensor.extract_slice %[[DY]][0, 0] [%[[COUNT]], 3] [1, 1]
// CHECK: %[[DB:.*]] = linalg.reduce {{.*}}<reassoc>} } ins(%[[EDGE]] {{.*}} dimensions = [0]
// CHECK: return %[[DX]], %[[DB]]
func.func @f(%x: tensor<?x3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %y = scan.shift %x boundary(%b : tensor<3xf32>) dim = 0 by = 2 : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// What a select does not take has no part in the gradient, even where its slope
// is not finite: a product of a cotangent that the select made zero is zero.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: %[[D:[a-z0-9]+]]: f64) -> f64
// CHECK: %[[SELECTED:.*]] = arith.select %{{.*}}, %[[D]], %{{.*}}
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[SELECTED]], %{{.*}}
// CHECK: %[[ZERO:.*]] = arith.cmpf oeq, %[[SELECTED]], %{{.*}}
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[QUOTIENT]], %[[QUOTIENT]]
// CHECK: %[[LOST:.*]] = arith.andi %[[ZERO]], %[[NAN]]
// CHECK: %[[DX:.*]] = arith.select %[[LOST]], %{{.*}}, %[[QUOTIENT]]
// CHECK: return %[[DX]]
func.func @f(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c = arith.cmpf ogt, %x, %zero : f64
  %l = math.log %x : f64
  %r = arith.select %c, %l, %zero : f64
  return %r : f64
}

// -----

// Without a guard, and with factors that are constants, nothing is compared; and
// a contraction in front of a guard stays a contraction.

// CHECK-LABEL: func.func @f_vjp
// CHECK-NOT: arith.cmpf uno
// CHECK: return
func.func @f(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>, %u: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x5xf32>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x5xf32>) outs(%zeros : tensor<4x5xf32>) -> tensor<4x5xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %h = arith.mulf %a, %half : f32
    %r = arith.maximumf %h, %zero : f32
    linalg.yield %r : f32
  } -> tensor<4x5xf32>
  %s = math.sqrt %u : tensor<4x5xf32>
  return %z, %s : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// With flags the final state is that of the last walk: in the backward pass it is
// one of the states that walks start from; and the gradient of the init is the
// sum over all starts.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<8xi1>, %[[DLAST:[a-z0-9]+]]: tensor<f32>)
// CHECK: %[[BACK:.*]] = scan.shift %[[S]] boundary(%{{.*}} : i1) dim = 0 by = -1
// CHECK: %[[SPREAD:.*]] = linalg.generic {{.*}} ins(%[[DLAST]], %{{.*}} :
// CHECK: linalg.index 0
// CHECK: %{{.*}} = scan.linear_recurrence {{.*}} init(%[[SPREAD]] : tensor<8xf32>) segments(%[[BACK]] : tensor<8xi1>) dim = 0 reverse exclusive -> tensor<8xf32>
// CHECK: linalg.reduce
func.func @f(%a: tensor<8xf32>, %i: f32, %s: tensor<8xi1>) -> tensor<f32> {
  %y, %last = scan.linear_recurrence ins(%a, %a : tensor<8xf32>, tensor<8xf32>) init(%i : f32)
      segments(%s : tensor<8xi1>) dim = 0 -> tensor<8xf32>, tensor<f32>
  return %last : tensor<f32>
}

// -----

// What is written over has no part in the result. One index in each line is the
// last one; of several, that is looked for.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: %[[I:[a-z0-9]+]]: tensor<4x1xi64>, %[[D:[a-z0-9]+]]: tensor<4x6xf64>)
// CHECK: %[[DDEST:.*]] = scan.scatter %{{.*}} into %[[D]] at %[[I]] dim = 1 : f64 into
// CHECK-NOT: scan.scatter
// CHECK: %[[DX:.*]] = linalg.generic {{.*}} ins(%[[I]] :
// CHECK: tensor.extract %[[D]]
// CHECK: return %[[DX]], %[[DDEST]]
func.func @f(%x: tensor<4x1xf64>, %d: tensor<4x6xf64>, %i: tensor<4x1xi64>) -> tensor<4x6xf64> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<4x1xf64> into tensor<4x6xf64> at tensor<4x1xi64>
  return %r : tensor<4x6xf64>
}
