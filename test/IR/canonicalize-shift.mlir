// RUN: scan-opt %s --canonicalize --split-input-file | FileCheck %s

// Nothing moves.
// CHECK-LABEL: func.func @by_zero(
// CHECK-SAME: %[[X:.+]]: tensor<4x?xf32>, %{{.+}}: f32)
// CHECK-NEXT: return %[[X]]
func.func @by_zero(%x: tensor<4x?xf32>, %b: f32) -> tensor<4x?xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 1 by = 0 : tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// There is nothing to move.
// CHECK-LABEL: func.func @no_elements(
// CHECK-SAME: %[[X:.+]]: tensor<?x0xf32>, %{{.+}}: f32)
// CHECK-NEXT: return %[[X]]
func.func @no_elements(%x: tensor<?x0xf32>, %b: f32) -> tensor<?x0xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 1 by = 3 : tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}

// -----

// Nor is there where another dimension is empty.
// CHECK-LABEL: func.func @no_elements_at_all(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x0xf32>, %{{.+}}: f32)
// CHECK-NEXT: return %[[X]]
func.func @no_elements_at_all(%x: tensor<?x?x0xf32>, %b: f32) -> tensor<?x?x0xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 0 by = -3 : tensor<?x?x0xf32>
  return %y : tensor<?x?x0xf32>
}

// -----

// A cast that hides extents moves behind the shift.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.+]] = scan.shift %[[X]] boundary(%[[B]] : tensor<4xf32>) dim = 1 by = -1 : tensor<4x8xf32>
// CHECK-NEXT: %[[R:.+]] = tensor.cast %[[Y]] : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %[[R]]
func.func @cast(%x: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<?x?xf32> {
  %d = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %c = tensor.cast %b : tensor<4xf32> to tensor<?xf32>
  %y = scan.shift %d boundary(%c : tensor<?xf32>) dim = 1 by = -1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// An exclusive recurrence begins with its init, zero or not.
// CHECK-LABEL: func.func @exclusive_from_zero(
// CHECK: scan.linear_recurrence ins({{.*}}) init({{.*}} : i32) dim = 0 exclusive
// CHECK: scan.linear_recurrence ins({{.*}} : tensor<?xi32>, tensor<?xi32>) dim = 0 ->
func.func @exclusive_from_zero(%a: tensor<?xi32>, %b: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %zero = arith.constant 0 : i32
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xi32>, tensor<?xi32>) init(%zero : i32) dim = 0 exclusive -> tensor<?xi32>
  %g = scan.linear_recurrence ins(%a, %b : tensor<?xi32>, tensor<?xi32>) init(%zero : i32) dim = 0 -> tensor<?xi32>
  return %h, %g : tensor<?xi32>, tensor<?xi32>
}

// -----

// A kernel: the input that nobody looks at goes, and the boundary behind it is
// renumbered; a boundary stays though no region looks at its element.
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @unused_input(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?xf32>, %[[U:[^:]+]]: tensor<?xf32>, %[[B:[^:]+]]: f32
// CHECK: ins(%[[X]], %[[B]] : tensor<?xf32>, f32) outs
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: 1, 0>}
// CHECK-NEXT: load {
// CHECK-NEXT: ^bb0(%[[E:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: scan.yield %[[E]]
func.func @unused_input(%x: tensor<?xf32>, %u: tensor<?xf32>, %b: f32, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %u, %b : tensor<?xf32>, tensor<?xf32>, f32) outs(%o : tensor<?xf32>)
      maps [#id, #id, #scalar, #id]
      attributes {shifts = array<i64: 1, 0, 0>, boundaries = array<i64: 2, -1, -1>}
      load {
      ^bb0(%e: f32, %f: f32, %g: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32, %g: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Of a shifted input that nobody looks at, the boundary goes, too, and with
// both the attributes.
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @unused_shift(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?xf32>
// CHECK: ins(%[[X]] : tensor<?xf32>) outs
// CHECK-NEXT: maps
// CHECK-NOT: attributes
// CHECK: load
func.func @unused_shift(%x: tensor<?xf32>, %u: tensor<?xf32>, %b: f32, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%b, %u, %x : f32, tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>)
      maps [#scalar, #id, #id, #id]
      attributes {shifts = array<i64: 0, 1, 0>, boundaries = array<i64: -1, 0, -1>}
      load {
      ^bb0(%g: f32, %f: f32, %e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %g: f32, %f: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// One tensor unshifted, twice shifted alike with the same boundary (that is
// given twice), and shifted otherwise: three reads and one boundary are left.
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @same_shift(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?xf32>, %[[B:[^:]+]]: f32
// CHECK: ins(%[[X]], %[[B]], %[[X]], %[[X]] : tensor<?xf32>, f32, tensor<?xf32>, tensor<?xf32>) outs
// CHECK-NEXT: maps {{.*}} attributes {boundaries = array<i64: -1, -1, 1, 1>, shifts = array<i64: 0, 0, 1, 2>}
// CHECK-NEXT: load {
// CHECK-NEXT: ^bb0(%[[E:[^:]+]]: f32, %{{[^:]+}}: f32, %[[P:[^:]+]]: f32, %[[Q:[^:]+]]: f32):
// CHECK-NEXT: arith.mulf %[[E]], %[[P]]
// CHECK-NEXT: arith.mulf %{{.+}}, %[[P]]
// CHECK-NEXT: arith.mulf %{{.+}}, %[[Q]]
func.func @same_shift(%x: tensor<?xf32>, %b: f32, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %b, %x, %x, %b, %x : tensor<?xf32>, f32, tensor<?xf32>, tensor<?xf32>, f32, tensor<?xf32>) outs(%o : tensor<?xf32>)
      maps [#id, #scalar, #id, #id, #scalar, #id, #id]
      attributes {shifts = array<i64: 0, 0, 1, 1, 0, 2>, boundaries = array<i64: -1, -1, 1, 4, -1, 4>}
      load {
      ^bb0(%e: f32, %b0: f32, %p0: f32, %p1: f32, %b1: f32, %q: f32):
        %u = arith.mulf %e, %p0 : f32
        %v = arith.mulf %u, %p1 : f32
        %w = arith.mulf %v, %q : f32
        scan.yield %w : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32, %p0: f32, %p1: f32, %b1: f32, %q: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Attributes that say of no input that it is shifted say nothing.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @zero_shifts(
// CHECK: maps
// CHECK-NOT: attributes
// CHECK: load
func.func @zero_shifts(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>)
      maps [#id, #id]
      attributes {shifts = array<i64: 0>, boundaries = array<i64: -1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
