// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)
//
// Slices and reshapes between a scan and elementwise code.

// Halves of one projection: the cast is one of the halves, which the kernel reads
// as views. Nobody asks for the extents of the cast as a whole.
// CHECK-LABEL: func @halves
// CHECK-SAME:    (%[[XZ:.+]]: tensor<?x?x8xbf16>, %[[A:.+]]: tensor<?x?x4xf32>)
// CHECK-NOT:     arith.extf
// CHECK-DAG:     %[[X:.+]] = tensor.extract_slice %[[XZ]][0, 0, 0]
// CHECK-DAG:     %[[Z:.+]] = tensor.extract_slice %[[XZ]][0, 0, 4]
// CHECK-NOT:     arith.extf
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[A]], %[[X]], %[[Z]] : tensor<?x?x4xf32>, tensor<?x?x4xbf16>, tensor<?x?x4xbf16>)
// run: random:bf16:2xNx8:1 random:f32:2xNx4:2
func.func @halves(%xz: tensor<?x?x8xbf16>, %a: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %wide = arith.extf %xz : tensor<?x?x8xbf16> to tensor<?x?x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %wide, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %wide, %c1 : tensor<?x?x8xf32>
  %x = tensor.extract_slice %wide[0, 0, 0] [%n, %m, 4] [1, 1, 1] : tensor<?x?x8xf32> to tensor<?x?x4xf32>
  %z = tensor.extract_slice %wide[0, 0, 4] [%n, %m, 4] [1, 1, 1] : tensor<?x?x8xf32> to tensor<?x?x4xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x4xf32>, tensor<?x?x4xf32>) dim = 1 -> tensor<?x?x4xf32>
  %y = arith.mulf %h, %z : tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// A slice without one of the dimensions, of a generic that turns and repeats what
// it reads; with a step of 2.
// CHECK-LABEL: func @turned
// CHECK-SAME:    (%[[X:.+]]: tensor<4x3x?xf32>, %[[W:.+]]: tensor<3xf32>)
// CHECK-NOT:     linalg
// CHECK-DAG:     %[[PART:.+]] = tensor.extract_slice %[[X]][0, 1, 0] [2, 1, %{{.+}}] [2, 1, 1] : tensor<4x3x?xf32> to tensor<2x1x?xf32>
// CHECK-DAG:     %[[ONE:.+]] = tensor.extract_slice %[[W]][1] [1] [1] : tensor<3xf32> to tensor<1xf32>
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[PART]], %[[ONE]] : tensor<2x1x?xf32>, tensor<1xf32>) outs(%{{[^,]+}} : tensor<?x2xf32>)
// CHECK-NOT:     linalg
// run: random:f32:4x3xN:1 random:f32:3:2
func.func @turned(%x: tensor<4x3x?xf32>, %w: tensor<3xf32>) -> tensor<?x2xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c2 : tensor<4x3x?xf32>
  %e = tensor.empty(%n) : tensor<3x?x4xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (j, k, i)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %w : tensor<4x3x?xf32>, tensor<3xf32>) outs(%e : tensor<3x?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<3x?x4xf32>
  %s = tensor.extract_slice %t[1, 0, 0] [1, %n, 2] [1, 1, 2] : tensor<3x?x4xf32> to tensor<?x2xf32>
  %h = scan.associative ins(%s : tensor<?x2xf32>) dim = 0 reverse {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x2xf32>
  return %h : tensor<?x2xf32>
}

// Slices of constants are smaller constants.
// CHECK-LABEL: func @constants
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>)
// CHECK-NOT:     tensor.extract_slice
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[X]] : tensor<?xf32>) init(%{{.+}} : f32) outs(%{{[^,]+}} : tensor<?xf32>)
// run: random:f32:N:1
func.func @constants(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %f = linalg.fill ins(%half : f32) outs(%e : tensor<2x?xf32>) -> tensor<2x?xf32>
  %a = tensor.extract_slice %f[1, 0] [1, %n] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %one = tensor.extract_slice %ones[2] [1] [1] : tensor<4xf32> to tensor<f32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?xf32>, tensor<?xf32>) init(%one : tensor<f32>) dim = 0 -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// Somebody needs all of what is sliced: computing a part of it again saves nothing.
// CHECK-LABEL: func @shared
// CHECK:         %[[E:.+]] = math.exp
// CHECK:         tensor.extract_slice %[[E]]
// CHECK:         scan.kernel
// run: random:f32:2xN:1
func.func @shared(%x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<?xf32>) {
  %e = math.exp %x : tensor<2x?xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xf32>
  %s = tensor.extract_slice %e[1, 0] [1, %n] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %h = scan.associative ins(%s : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.maximumf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %e, %h : tensor<2x?xf32>, tensor<?xf32>
}

// Extents of 1 come and go on the way.
// CHECK-LABEL: func @ones
// CHECK-SAME:    (%[[A:.+]]: tensor<?x1x3xf32>, %[[B:.+]]: tensor<?x3xf32>)
// CHECK-NOT:     math
// CHECK-NOT:     shape
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[A]], %[[B]] : tensor<?x1x3xf32>, tensor<?x3xf32>) outs(%{{[^,]+}} : tensor<?x3xf32>)
// CHECK-NOT:     shape
// CHECK:         return
// run: random:f32:Nx1x3:1 random:f32:Nx3:2
func.func @ones(%a: tensor<?x1x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %t = math.tanh %a : tensor<?x1x3xf32>
  %a2 = tensor.collapse_shape %t [[0, 1], [2]] : tensor<?x1x3xf32> into tensor<?x3xf32>
  %m = math.absf %b : tensor<?x3xf32>
  %n = tensor.dim %m, %c0 : tensor<?x3xf32>
  %b3 = tensor.expand_shape %m [[0], [1, 2]] output_shape [%n, 1, 3] : tensor<?x3xf32> into tensor<?x1x3xf32>
  %s = math.tanh %b3 : tensor<?x1x3xf32>
  %b2 = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x1x3xf32> into tensor<?x3xf32>
  %h = scan.linear_recurrence ins(%a2, %b2 : tensor<?x3xf32>, tensor<?x3xf32>) dim = 0 -> tensor<?x3xf32>
  return %h : tensor<?x3xf32>
}

// A reshape of an argument is read as it is. So is one that joins dimensions.
// CHECK-LABEL: func @views
// CHECK-SAME:    (%[[A:.+]]: tensor<?x1x3xf32>, %[[B:.+]]: tensor<?x3x1xf32>)
// CHECK-DAG:     %[[A2:.+]] = tensor.collapse_shape %[[A]]
// CHECK-DAG:     %[[B2:.+]] = tensor.collapse_shape %[[B]]
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[A2]], %[[B2]] :
// run: random:f32:Nx1x3:1 random:f32:Nx3x1:2
func.func @views(%a: tensor<?x1x3xf32>, %b: tensor<?x3x1xf32>) -> tensor<?xf32> {
  %a2 = tensor.collapse_shape %a [[0, 1, 2]] : tensor<?x1x3xf32> into tensor<?xf32>
  %b2 = tensor.collapse_shape %b [[0, 1, 2]] : tensor<?x3x1xf32> into tensor<?xf32>
  %h = scan.linear_recurrence ins(%a2, %b2 : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// An extent of 1 is added behind the scan, to broadcast along it: the product is
// reduced again, and nothing is written but the result.
// CHECK-LABEL: func @unsqueezed
// CHECK-SAME:    (%[[X:.+]]: tensor<?x3xf32>, %[[W:.+]]: tensor<3x2xf32>)
// CHECK-NOT:     linalg
// CHECK-NOT:     shape
// CHECK:         %[[R:.+]]:2 = scan.kernel
// CHECK-NEXT:      ins(%[[X]], %[[W]] : tensor<?x3xf32>, tensor<3x2xf32>) outs(%{{[^:]+}} : tensor<?x3x1xf32>, tensor<?x2xf32>)
// CHECK-NOT:     linalg
// CHECK-NOT:     shape
// CHECK:         return %[[R]]#1, %[[R]]#0
// run: random:f32:Nx3:1 random:f32:3x2:2
func.func @unsqueezed(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> (tensor<?x2xf32>, tensor<?x3x1xf32>) {
  %h = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 reverse {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x3xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %wide = tensor.expand_shape %h [[0], [1, 2]] output_shape [%n, 3, 1] : tensor<?x3xf32> into tensor<?x3x1xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, m, n) -> (t, n, 0)>, affine_map<(t, m, n) -> (n, m)>, affine_map<(t, m, n) -> (t, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide, %w : tensor<?x3x1xf32>, tensor<3x2xf32>) outs(%zeros : tensor<?x2xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  %z = math.tanh %wide : tensor<?x3x1xf32>
  return %y, %z : tensor<?x2xf32>, tensor<?x3x1xf32>
}

// An extent of 1 before others cannot be written by a kernel.
// CHECK-LABEL: func @before
// CHECK:         scan.kernel
// CHECK:         tensor.expand_shape
// CHECK:         math.tanh
// run: random:f32:Nx3:1
func.func @before(%x: tensor<?x3xf32>) -> tensor<?x1x3xf32> {
  %h = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.maximumf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x3xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %wide = tensor.expand_shape %h [[0], [1, 2]] output_shape [%n, 1, 3] : tensor<?x3xf32> into tensor<?x1x3xf32>
  %z = math.tanh %wide : tensor<?x1x3xf32>
  return %z : tensor<?x1x3xf32>
}
