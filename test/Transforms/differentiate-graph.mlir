// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f" | FileCheck %s
// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f primal name=g" | FileCheck %s --check-prefix=PRIMAL
// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f rematerialize=never" | FileCheck %s --check-prefix=NEVER
// The former name, for one release.
// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f recompute=never" | FileCheck %s --check-prefix=NEVER

// One pass over the points for all operands; what several points read is
// summed up. The operation itself is not run again: its results are not needed.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[S:.*]]: f32, %[[DR:.*]]: tensor<4x?xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, f32)
// CHECK: %[[ALL:.*]]:3 = linalg.generic {{.*}} ins(%[[X]], %[[Y]], %[[S]], %[[DR]] :
// CHECK: math.tanh
// CHECK: linalg.yield
// CHECK: %[[DY:.*]] = linalg.reduce {{.*}}<reassoc>} } ins(%[[ALL]]#1 {{.*}} dimensions = [1]
// CHECK: %[[DS:.*]] = linalg.reduce {{.*}}<reassoc>} } ins(%[[ALL]]#2 {{.*}} dimensions = [0, 1]
// CHECK: %[[DSCALAR:.*]] = tensor.extract %[[DS]][]
// CHECK: return %[[ALL]]#0, %[[DY]], %[[DSCALAR]]

// PRIMAL-LABEL: func.func @g(
// PRIMAL-SAME: -> (tensor<4x?xf32>, tensor<?x4xf32>, tensor<4xf32>, f32)
func.func @f(%x: tensor<?x4xf32>, %y: tensor<4xf32>, %s: f32) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %o = tensor.empty(%n) : tensor<4x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x4xf32>, tensor<4xf32>) outs(%o : tensor<4x?xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %t = math.tanh %m : f32
    %u = arith.mulf %t, %s : f32
    linalg.yield %u : f32
  } -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// A contraction goes back as two, and nothing is larger than its operands.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>, %[[Y:.*]]: tensor<4x5xf32>, %[[DC:.*]]: tensor<3x5xf32>)
// CHECK: %[[DX:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[DC]] : {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: %[[DY:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[DC]] : {{.*}} outs(%{{.*}} : tensor<4x5xf32>)
// CHECK: return %[[DX]], %[[DY]]
func.func @f(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x4xf32>, tensor<4x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Slices, reshapes and scalars out of tensors. What is not asked for or does
// not depend on an argument is left alone: there is no derivative of a gather,
// and none is needed.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%{{.*}}: tensor<4x6xf32>, %[[X:.*]]: tensor<?xindex>, %[[DS:.*]]: tensor<2x3xf32>, %[[DE:.*]]: f32)
// CHECK-NOT: tensor.gather
// CHECK-DAG: tensor.insert %[[DE]] into %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x6xf32>
// CHECK-DAG: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>
// CHECK-DAG: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
// CHECK: return %{{.*}} : tensor<4x6xf32>
func.func @f(%x: tensor<4x6xf32>, %indices: tensor<?xindex>) -> (tensor<2x3xf32>, f32) {
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %x[1, 0] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
  %expanded = tensor.expand_shape %s [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %e = math.sin %expanded : tensor<2x3x1xf32>
  %r = tensor.collapse_shape %e [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %one = tensor.extract %x[%c0, %c2] : tensor<4x6xf32>
  return %r, %one : tensor<2x3xf32>, f32
}

// -----

// Both passes need the exponential: the backward pass rematerializes or loads it.

// CHECK-LABEL: func.func @f_vjp
// CHECK: math.exp
// CHECK: scan.linear_recurrence
// CHECK: math.exp
// CHECK: scan.linear_recurrence
// CHECK: return

// NEVER-LABEL: func.func @f_vjp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>,
// NEVER: %[[A:.*]] = math.exp
// NEVER: scan.linear_recurrence ins(%[[A]],
// NEVER-NOT: math.exp
// NEVER: scan.linear_recurrence ins(%[[A]],
// NEVER: return
func.func @f(%l: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %a = math.exp %l : tensor<?xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// -----

// An argument that no result depends on has zeros as gradient.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[DR:.*]]: tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[Y]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]])
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[EMPTY]]
// CHECK: return %[[DR]], %[[ZERO]]
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant 1 : index
  return %x : tensor<?xf32>
}
