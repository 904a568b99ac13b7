// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$TURNED:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$SCALAR:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$ID1:.+]] = affine_map<(d0) -> (d0)>

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// A chain of producers, some of them read twice, and elementwise operations on
// tensors: everything ends up in `load`, each value computed once.
// CHECK-LABEL: func @chain
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     math
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[Y]], %[[X]] :
// CHECK-NEXT:      maps [#[[$ID]], #[[$ID]], #[[$ID]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[EY:.+]]: f32, %[[EX:.+]]: f32):
// CHECK-DAG:         %[[E:.+]] = math.exp %[[EX]] : f32
// CHECK-DAG:         %[[S:.+]] = arith.addf %[[E]], %[[EY]] : f32
// CHECK-DAG:         %[[M:.+]] = arith.mulf %[[S]], %[[E]] : f32
// CHECK:             scan.yield %[[S]], %[[M]]
// CHECK:           return
// run: random:f32:3xN:1 random:f32:3xN:2
func.func @chain(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = math.exp %x : tensor<?x?xf32>
  %s = arith.addf %e, %y : tensor<?x?xf32>
  %m = arith.mulf %s, %e : tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%s, %m : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// Transposed and repeated operands become maps; a captured scalar an operand.
// CHECK-LABEL: func @maps
// CHECK-SAME:    (%[[X:.+]]: tensor<?x3xf32>, %[[R:.+]]: tensor<3xf32>, %[[C:.+]]: tensor<?xf32>, %[[S:.+]]: f32)
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[S]], %[[C]], %[[X]], %[[R]] :
// CHECK-NEXT:      maps [#[[$SCALAR]], #[[$COLUMN]], #[[$TURNED]], #[[$ROW]], #[[$ID]]]
// CHECK-NOT:     linalg
// run: random:f32:Nx3:1 random:f32:3:2 random:f32:N:3 const:f32::0.5
func.func @maps(%x: tensor<?x3xf32>, %row: tensor<3xf32>, %column: tensor<?xf32>, %scale: f32)
    -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<3x?xf32>
  %xt = linalg.transpose ins(%x : tensor<?x3xf32>) outs(%empty : tensor<3x?xf32>) permutation = [1, 0]
  %rows = linalg.broadcast ins(%row : tensor<3xf32>) outs(%empty : tensor<3x?xf32>) dimensions = [1]
  %columns = linalg.broadcast ins(%column : tensor<?xf32>) outs(%empty : tensor<3x?xf32>) dimensions = [0]
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rows : tensor<3x?xf32>, tensor<3x?xf32>) outs(%empty : tensor<3x?xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.mulf %m, %scale : f32
    linalg.yield %s : f32
  } -> tensor<3x?xf32>
  %h = scan.linear_recurrence ins(%a, %columns : tensor<3x?xf32>, tensor<3x?xf32>) dim = 1 reverse
      -> tensor<3x?xf32>
  return %h : tensor<3x?xf32>
}

// Constants are inlined, whether filled, splat or dense; the leaf that needs no
// input has none.
// CHECK-LABEL: func @constants
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>)
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]] : tensor<?xf32>)
// CHECK-NEXT:      maps [#[[$ID1]], #[[$ID1]], #[[$ID1]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: f32):
// CHECK-DAG:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:         %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:         %[[P:.+]] = arith.mulf %[[E]], %[[TWO]]
// CHECK:             scan.yield %[[P]], %[[ONE]]
// run: random:f32:N:1
func.func @constants(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %twos = tensor.splat %two[%n] : tensor<?xf32>
  %p = arith.mulf %x, %twos : tensor<?xf32>
  %y, %z = scan.associative ins(%p, %ones : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%m0: f32, %n0: f32, %m1: f32, %n1: f32):
    %m = arith.maximumf %m0, %m1 : f32
    %k = arith.addf %n0, %n1 : f32
    scan.yield %m, %k : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// The init has its producers, too. A filled one is read as a scalar.
// CHECK-LABEL: func @inits
// CHECK-SAME:    (%[[A:.+]]: tensor<2x?xf32>, %[[B:.+]]: tensor<2x?xf32>, %[[H:.+]]: tensor<2xbf16>)
// CHECK:         init(%[[H]] : tensor<2xbf16>)
// CHECK:         initialize {
// CHECK-NEXT:    ^bb0(%[[E:.+]]: bf16):
// CHECK:           arith.extf %[[E]] : bf16 to f32
// CHECK:         %[[HALF:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         init(%[[HALF]] : f32)
// CHECK:         initialize {
// CHECK-NEXT:    ^bb0(%[[E:.+]]: f32):
// CHECK:           scan.yield %{{.+}}, %[[E]] : f32, f32
// run: random:f32:2xN:1 random:f32:2xN:2 random:bf16:2:3
func.func @inits(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>, %h: tensor<2xbf16>)
    -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %wide = arith.extf %h : tensor<2xbf16> to tensor<2xf32>
  %p = scan.linear_recurrence ins(%a, %b : tensor<2x?xf32>, tensor<2x?xf32>) init(%wide : tensor<2xf32>)
      dim = 1 -> tensor<2x?xf32>
  %half = arith.constant dense<0.5> : tensor<2xf32>
  %q = scan.linear_recurrence ins(%a, %b : tensor<2x?xf32>, tensor<2x?xf32>) init(%half : tensor<2xf32>)
      dim = 1 reverse -> tensor<2x?xf32>
  return %p, %q : tensor<2x?xf32>, tensor<2x?xf32>
}

// Trailing dimensions: a matrix per element, its transpose, and an identity
// matrix for the diagonal to be added to.
// CHECK-LABEL: func @trailing
// CHECK-SAME:    (%[[M:.+]]: tensor<?x2x2xf32>, %[[D:.+]]: tensor<?x2xf32>)
// CHECK-NOT:     linalg
// CHECK:         ins(%[[M]], %[[D]] : tensor<?x2x2xf32>, tensor<?x2xf32>)
// CHECK-NEXT:    maps [#[[$ID1]], #[[$ID1]], #[[$ID1]]]
// CHECK-NEXT:    load {
// CHECK-NEXT:    ^bb0(%[[M00:.+]]: f32, %[[M01:.+]]: f32, %[[M10:.+]]: f32, %[[M11:.+]]: f32, %[[D0:.+]]: f32, %[[D1:.+]]: f32):
// CHECK-DAG:       %[[R00:.+]] = arith.subf %[[M00]], %[[D0]]
// CHECK-DAG:       %[[R01:.+]] = arith.subf %[[M10]], %[[D1]]
// CHECK-DAG:       %[[R10:.+]] = arith.subf %[[M01]], %[[D0]]
// CHECK-DAG:       %[[R11:.+]] = arith.subf %[[M11]], %[[D1]]
// CHECK:           scan.yield %[[R00]], %[[R01]], %[[R10]], %[[R11]]
// CHECK:         return
// run: random:f32:Nx2x2:1 random:f32:Nx2:2
func.func @trailing(%m: tensor<?x2x2xf32>, %d: tensor<?x2xf32>) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : tensor<?x2x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, j, i)>, affine_map<(t, i, j) -> (t, j)>,
                       affine_map<(t, i, j) -> (t, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %d : tensor<?x2x2xf32>, tensor<?x2xf32>) outs(%empty : tensor<?x2x2xf32>) {
  ^bb0(%e: f32, %f: f32, %out: f32):
    %s = arith.subf %e, %f : f32
    linalg.yield %s : f32
  } -> tensor<?x2x2xf32>
  %p = scan.associative ins(%r : tensor<?x2x2xf32>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf32>, tensor<2x2xf32>)
                       outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %c : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  return %p : tensor<?x2x2xf32>
}

// Both directions of a bidirectional recurrence fuse their common gates: it
// is cheaper for each to read one input than for both to read two coefficients.
// CHECK-LABEL: func @bidirectional
// CHECK-SAME:    (%[[G:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[G]] : tensor<?x?xf32>)
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[G]] : tensor<?x?xf32>)
// run: random:f32:Nx2:1
func.func @bidirectional(%g: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %g, %c0 : tensor<?x?xf32>
  %m = tensor.dim %g, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %a, %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<?x?xf32>) outs(%empty, %empty : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%e: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %t = math.tanh %e : f32
    %r = arith.subf %one, %t : f32
    linalg.yield %t, %r : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %f = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 -> tensor<?x?xf32>
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 reverse -> tensor<?x?xf32>
  return %f, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

// A producer that stays, as its result is returned, is computed again only if
// the kernel reads no more for it: the exponential is, the sum is not.
// CHECK-LABEL: func @shared
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<?x?xf32>, %[[Z:.+]]: tensor<?x?xf32>)
// CHECK:         %[[E:.+]] = math.exp %[[X]]
// CHECK:         %[[S:.+]] = arith.addf %[[Y]], %[[Z]]
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[S]], %[[X]] :
// CHECK:         math.exp
// CHECK-NOT:     arith.addf
// CHECK:         combine
// CHECK:         return %[[E]], %[[S]],
// run: random:f32:2xN:1 random:f32:2xN:2 random:f32:2xN:3
func.func @shared(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = math.exp %x : tensor<?x?xf32>
  %s = arith.addf %y, %z : tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%e, %s : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %e, %s, %h : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// What is not elementwise stays where it is; loop indices are elementwise.
// CHECK-LABEL: func @others
// CHECK-DAG:     %[[C:.+]] = arith.constant dense<[
// CHECK-DAG:     %[[R:.+]] = linalg.reduce
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[R]] :
// CHECK:         load {
// CHECK:           scan.index 0 : index
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%{{.+}}, %[[C]] :
// run: random:f32:3x4:1
func.func @others(%x: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
  %empty = tensor.empty() : tensor<4xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xf32>) {
  ^bb0(%out: f32):
    %t = linalg.index 0 : index
    %ti = arith.index_cast %t : index to i32
    %tf = arith.sitofp %ti : i32 to f32
    linalg.yield %tf : f32
  } -> tensor<4xf32>
  %h = scan.linear_recurrence ins(%i, %r : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  %g = scan.linear_recurrence ins(%r, %c : tensor<4xf32>, tensor<4xf32>) dim = 0 reverse -> tensor<4xf32>
  return %h, %g : tensor<4xf32>, tensor<4xf32>
}

// The destination of a structured operation may be one of its inputs.
// CHECK-LABEL: func @accumulating
// CHECK-SAME:    (%[[X:.+]]: tensor<?xi32>, %[[Y:.+]]: tensor<?xi32>)
// CHECK:         ins(%[[X]], %[[Y]] :
// CHECK:         load {
// CHECK:           arith.addi
// CHECK:         combine
// run: random:i32:N:1 random:i32:N:2
func.func @accumulating(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %s = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%e: i32, %out: i32):
    %t = arith.addi %e, %out : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  %m = scan.associative ins(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.maxsi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %m : tensor<?xi32>
}

// A splat knows its extents: asking it for them does not keep it.
// CHECK-LABEL: func @extents_of_splat
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[H0:.+]]: tensor<?xf32>)
// CHECK-NOT:     tensor.splat
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]] : tensor<?x?xf32>) init(%[[H0]] : tensor<?xf32>)
// CHECK-NOT:     tensor.splat
// CHECK:         return
// run: random:f32:Nx3:1 random:f32:3:2
func.func @extents_of_splat(%x: tensor<?x?xf32>, %h0: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%t, %b] : tensor<?x?xf32>
  %in = arith.subf %ones, %x : tensor<?x?xf32>
  %h, %last = scan.linear_recurrence ins(%x, %in : tensor<?x?xf32>, tensor<?x?xf32>) init(%h0 : tensor<?xf32>) dim = 0 reverse
      -> tensor<?x?xf32>, tensor<?xf32>
  return %h, %last : tensor<?x?xf32>, tensor<?xf32>
}

// As a coefficient, and as what the states start from.
// CHECK-LABEL: func @splat_coefficients
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     {{tensor.splat|linalg.fill}}
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]] : tensor<?x?xf32>) init(%{{.+}} : f32)
// CHECK-NOT:     {{tensor.splat|linalg.fill}}
// CHECK:         return
// run: random:f32:Nx3:1
func.func @splat_coefficients(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %a = tensor.splat %half[%t, %b] : tensor<?x?xf32>
  %h0 = tensor.splat %two[%b] : tensor<?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?xf32>, tensor<?x?xf32>) init(%h0 : tensor<?xf32>) dim = 0 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// So with a fill.
// CHECK-LABEL: func @fill_coefficients
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     {{tensor.splat|linalg.fill}}
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]] : tensor<?x?xf32>) init(%{{.+}} : f32)
// CHECK-NOT:     {{tensor.splat|linalg.fill}}
// CHECK:         return
// run: random:f32:Nx3:1
func.func @fill_coefficients(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty(%t, %b) : tensor<?x?xf32>
  %a = linalg.fill ins(%half : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e0 = tensor.empty(%b) : tensor<?xf32>
  %h0 = linalg.fill ins(%two : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?xf32>, tensor<?x?xf32>) init(%h0 : tensor<?xf32>) dim = 0 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}
