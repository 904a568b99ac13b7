// Components that are taken from where they were put together, from what is shifted or
// from one constant, are read where they come from, so that the whole need not exist.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --split-input-file | FileCheck %s
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)

// The concatenation goes, though one component of it is asked for.
// CHECK-LABEL: func @part_of_join(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x?xf32>, %[[B:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-NOT: tensor.concat
// CHECK: %[[PART:.*]] = tensor.expand_shape %[[B]]
// CHECK-NOT: tensor.concat
// CHECK: scan.kernel dim = 1
// CHECK-NEXT: ins(%{{.*}}, %[[PART]] :
// CHECK: return
// run: random:f32:3xN:1 random:f32:3xN:2 random:f32:3xN:3
func.func @part_of_join(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  %p = tensor.expand_shape %a [[0], [1, 2]] output_shape [%d0, %d1, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %q = tensor.expand_shape %b [[0], [1, 2]] output_shape [%d0, %d1, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %g = tensor.concat dim(2) %p, %q : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x2xf32>
  %s = tensor.extract_slice %g[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%s, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// -----

// Of two parts it is one of neither.
// CHECK-LABEL: func @across_parts(
// CHECK: tensor.concat
// CHECK: tensor.extract_slice
// CHECK: scan.kernel
// run: random:f32:4x3:1 random:f32:4x3:2
func.func @across_parts(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %g = tensor.concat dim(1) %a, %b : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %s = tensor.extract_slice %g[0, 2] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
  %h = scan.linear_recurrence ins(%s, %s : tensor<4x2xf32>, tensor<4x2xf32>) dim = 0 -> tensor<4x2xf32>
  return %h : tensor<4x2xf32>
}

// -----

// What was put in, and what was there before: zeros.
// CHECK-LABEL: func @parts_of_insert(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[PART:.*]] = tensor.expand_shape %[[A]]
// CHECK-NOT: tensor.insert_slice
// CHECK: scan.kernel dim = 1 reverse
// CHECK-NEXT: ins(%[[PART]] : tensor<?x?x1x1xf32>)
// CHECK: return
// run: random:f32:3xN:1
func.func @parts_of_insert(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32>
  %i = tensor.insert_slice %a into %f[0, 0, 1, 0] [%d0, %d1, 1, 1] [1, 1, 1, 1] : tensor<?x?xf32> into tensor<?x?x2x2xf32>
  %p = tensor.extract_slice %i[0, 0, 1, 0] [%d0, %d1, 1, 1] [1, 1, 1, 1] : tensor<?x?x2x2xf32> to tensor<?x?xf32>
  %q = tensor.extract_slice %i[0, 0, 1, 1] [%d0, %d1, 1, 1] [1, 1, 1, 1] : tensor<?x?x2x2xf32> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// -----

// Rows in the middle of rows that were put in.
// CHECK-LABEL: func @inside_of_insert(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3x8xf32>
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[A]][1, 0] [1, 8] [1, 1] : tensor<3x8xf32> to tensor<8xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: scan.kernel dim = 0
// CHECK-NEXT: ins(%[[ROW]] :
// run: random:f32:3x8:1 random:f32:6x8:2
func.func @inside_of_insert(%a: tensor<3x8xf32>, %b: tensor<6x8xf32>) -> tensor<8xf32> {
  %i = tensor.insert_slice %a into %b[2, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<6x8xf32>
  %p = tensor.extract_slice %i[3, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<8xf32>
  %h = scan.linear_recurrence ins(%p, %p : tensor<8xf32>, tensor<8xf32>) dim = 0 -> tensor<8xf32>
  return %h : tensor<8xf32>
}

// -----

// One component of the states before, or of the boundary.
// CHECK-LABEL: func @component_of_shift(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x?x2xf32>, %[[ROW:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK-DAG: %[[S:.*]] = tensor.extract_slice %[[A]][0, 0, 1]
// CHECK-DAG: %[[EDGE:.*]] = tensor.extract_slice %[[ROW]][0, 1]
// CHECK-NOT: scan.shift
// CHECK: scan.kernel dim = 1
// CHECK-NEXT: ins(%{{.*}}, %[[S]], %[[EDGE]] :
// CHECK-NEXT: boundaries = array<i64: -1, 2, -1>, shifts = array<i64: 0, 1, 0>
// run: random:f32:3xNx2:1 random:f32:3x2:2 random:f32:3xN:3
func.func @component_of_shift(%a: tensor<?x?x2xf32>, %row: tensor<?x2xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?x2xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?x2xf32>
  %t = scan.shift %a boundary(%row : tensor<?x2xf32>) dim = 1 by = 1 : tensor<?x?x2xf32>
  %p = tensor.extract_slice %t[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%x, %p : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// -----

// Not all of the steps: what comes in at the end is not the boundary.
// CHECK-LABEL: func @steps_of_shift(
// CHECK: scan.shift
// CHECK: scan.kernel
// run: random:f32:3x8:1
func.func @steps_of_shift(%a: tensor<3x8xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %t = scan.shift %a boundary(%zero : f32) dim = 1 by = -2 : tensor<3x8xf32>
  %p = tensor.extract_slice %t[0, 2] [3, 5] [1, 1] : tensor<3x8xf32> to tensor<3x5xf32>
  %h = scan.linear_recurrence ins(%p, %p : tensor<3x5xf32>, tensor<3x5xf32>) dim = 1 reverse -> tensor<3x5xf32>
  return %h : tensor<3x5xf32>
}

// -----

// A component of a result that keeps its dimension, which is collapsed behind it, and
// the same one without.
// CHECK-LABEL: func @collapsed(
// CHECK: %[[K:.*]] = scan.kernel dim = 1
// CHECK-NEXT: outs(%{{.*}} : tensor<?x?xf32>)
// CHECK-NOT: tensor.collapse_shape
// CHECK-NOT: linalg
// CHECK: return %[[K]]
// run: random:f32:3xNx2:1 random:f32:3xNx2:2
func.func @collapsed(%a: tensor<?x?x2xf32>, %x: tensor<?x?x2xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x2xf32>, tensor<?x?x2xf32>) dim = 1 -> tensor<?x?x2xf32>
  %p = tensor.extract_slice %h[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?x1xf32>
  %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x?x1xf32> into tensor<?x?xf32>
  %r = arith.negf %q : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// One output for two slices of one component.
// CHECK-LABEL: func @twice(
// CHECK: %[[K:.*]] = scan.kernel dim = 1
// CHECK-NEXT: outs(%{{.*}} : tensor<?x?xf32>)
// CHECK: return %[[K]], %[[K]]
// run: random:f32:3xNx2:1 random:f32:3xNx2:2
func.func @twice(%a: tensor<?x?x2xf32>, %x: tensor<?x?x2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %e0 = tensor.dim %a, %c0 : tensor<?x?x2xf32>
  %e1 = tensor.dim %a, %c1 : tensor<?x?x2xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x2xf32>, tensor<?x?x2xf32>) dim = 1 -> tensor<?x?x2xf32>
  %p = tensor.extract_slice %h[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?x1xf32>
  %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x?x1xf32> into tensor<?x?xf32>
  %r = tensor.extract_slice %h[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  return %q, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Extents of arguments that have to agree (--scan-require-extents) are equal.
// CHECK-LABEL: func @required(
// CHECK-NOT: tensor.extract_slice
// CHECK: scan.kernel dim = 0
// CHECK-NOT: tensor.extract_slice
// CHECK: return
// run: random:f32:Nx2:1 random:f32:Nx2:2 random:f32:N:3
func.func @required(%a: tensor<?x2xf32>, %x: tensor<?x2xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {scan.requires = [["==", "arg0_d0", "arg1_d0"], ["==", "arg2_d0", "arg0_d0"]]} {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %y, %c0 : tensor<?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x2xf32>, tensor<?x2xf32>) dim = 0 -> tensor<?x2xf32>
  %p = tensor.extract_slice %h[0, 1] [%d0, 1] [1, 1] : tensor<?x2xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// Without that, the slice may be shorter.
// CHECK-LABEL: func @not_required(
// CHECK: scan.kernel dim = 0
// CHECK: tensor.extract_slice
// CHECK: return
// run: random:f32:8x2:1 random:f32:8x2:2 random:f32:5:3
func.func @not_required(%a: tensor<?x2xf32>, %x: tensor<?x2xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %y, %c0 : tensor<?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x2xf32>, tensor<?x2xf32>) dim = 0 -> tensor<?x2xf32>
  %p = tensor.extract_slice %h[0, 1] [%d0, 1] [1, 1] : tensor<?x2xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}
