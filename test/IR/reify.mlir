// RUN: scan-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// The extents of results are those of operands: nothing is left of a scan whose
// extents are all that is asked for.

// CHECK-LABEL: func.func @associative
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?x2x2xf32>, %[[Y:.+]]: tensor<?x?xf32>
// CHECK-NOT:     scan
// CHECK-DAG:     %[[X0:.+]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[X1:.+]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[Y0:.+]] = tensor.dim %[[Y]], %c0
// CHECK-DAG:     %[[Y1:.+]] = tensor.dim %[[Y]], %c1
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : index
// CHECK:         return %[[X0]], %[[X1]], %[[C2]], %[[Y0]], %[[Y1]], %[[X0]], %[[Y0]] :
func.func @associative(%x: tensor<?x?x2x2xf32>, %y: tensor<?x?xf32>) -> (index, index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p, %q, %pl, %ql = scan.associative ins(%x, %y : tensor<?x?x2x2xf32>, tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%a: tensor<2x2xf32>, %b: f32, %c: tensor<2x2xf32>, %d: f32):
    %e = arith.addf %a, %c : tensor<2x2xf32>
    %f = arith.mulf %b, %d : f32
    scan.yield %e, %f : tensor<2x2xf32>, f32
  } -> tensor<?x?x2x2xf32>, tensor<?x?xf32>, tensor<?x2x2xf32>, tensor<?xf32>
  %0 = tensor.dim %p, %c0 : tensor<?x?x2x2xf32>
  %1 = tensor.dim %p, %c1 : tensor<?x?x2x2xf32>
  %2 = tensor.dim %p, %c2 : tensor<?x?x2x2xf32>
  %3 = tensor.dim %q, %c0 : tensor<?x?xf32>
  %4 = tensor.dim %q, %c1 : tensor<?x?xf32>
  %5 = tensor.dim %pl, %c0 : tensor<?x2x2xf32>
  %6 = tensor.dim %ql, %c0 : tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6 : index, index, index, index, index, index, index
}

// The extents are those of b, never those of a broadcast coefficient.
// CHECK-LABEL: func.func @linear_recurrence
// CHECK-SAME:    (%{{.+}}: tensor<1x?x?xf32>, %[[B:.+]]: tensor<?x?x?xf32>
// CHECK-NOT:     scan
// CHECK-DAG:     %[[B0:.+]] = tensor.dim %[[B]], %c0
// CHECK-DAG:     %[[B1:.+]] = tensor.dim %[[B]], %c1
// CHECK-DAG:     %[[B2:.+]] = tensor.dim %[[B]], %c2
// CHECK:         return %[[B0]], %[[B1]], %[[B0]], %[[B2]]
func.func @linear_recurrence(%a: tensor<1x?x?xf32>, %b: tensor<?x?x?xf32>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>, tensor<?x?xf32>
  %0 = tensor.dim %h, %c0 : tensor<?x?x?xf32>
  %1 = tensor.dim %h, %c1 : tensor<?x?x?xf32>
  %2 = tensor.dim %last, %c0 : tensor<?x?xf32>
  %3 = tensor.dim %last, %c1 : tensor<?x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}

// A kernel has the extents of its destinations.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    (%{{.+}}: tensor<?x?xf32>, %[[N:.+]]: index, %[[M:.+]]: index)
// CHECK-NOT:     scan
// CHECK:         return %[[M]], %[[N]], %[[N]]
func.func @kernel(%x: tensor<?x?xf32>, %n: index, %m: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = tensor.empty(%m, %n) : tensor<?x?xf32>
  %final = tensor.empty(%n) : tensor<?xf32>
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) finals(%final : tensor<?xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } finalize {
      ^bb0(%state: f32):
        scan.yield %state : f32
      } -> tensor<?x?xf32>, tensor<?xf32>
  %0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %2 = tensor.dim %last, %c0 : tensor<?xf32>
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @clone
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>)
// CHECK-NOT:     scan
// CHECK:         %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK:         return %[[N]]
func.func @clone(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %y = scan.clone %x : tensor<?xf32>
  %0 = tensor.dim %y, %c0 : tensor<?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @shift
// CHECK-SAME:    (%[[X:.+]]: tensor<4x?xf32>, %[[B:.+]]: f32)
// CHECK-NOT:     scan
// CHECK-DAG:     %[[X1:.+]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : index
// CHECK:         return %[[C4]], %[[X1]] :
func.func @shift(%x: tensor<4x?xf32>, %b: f32) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = scan.shift %x boundary(%b : f32) dim = 1 by = 1 : tensor<4x?xf32>
  %0 = tensor.dim %p, %c0 : tensor<4x?xf32>
  %1 = tensor.dim %p, %c1 : tensor<4x?xf32>
  return %0, %1 : index, index
}
