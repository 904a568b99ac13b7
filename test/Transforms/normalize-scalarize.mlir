// RUN: scan-opt %s --scan-normalize | FileCheck %s
//
// Tensors in combine regions are split into scalars, in row-major order.

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func @matmul
// CHECK:         init(%{{.+}} : tensor<2x2xf64>) outs(%{{.+}} : tensor<?x2x2xf64>) finals(%{{.+}} : tensor<2x2xf64>)
// CHECK-NEXT:    maps [#[[$ID]], #[[$NONE]], #[[$ID]], #[[$NONE]]]
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A00:.+]]: f64, %[[A01:.+]]: f64, %[[A10:.+]]: f64, %[[A11:.+]]: f64, %[[B00:.+]]: f64, %[[B01:.+]]: f64, %[[B10:.+]]: f64, %[[B11:.+]]: f64):
// CHECK:           %[[P0:.+]] = arith.mulf %[[A00]], %[[B00]]
// CHECK:           %[[S0:.+]] = arith.addf %[[P0]], %{{.+}}
// CHECK:           %[[P1:.+]] = arith.mulf %[[A01]], %[[B10]]
// CHECK:           %[[C00:.+]] = arith.addf %[[S0]], %[[P1]]
// CHECK:           %[[P2:.+]] = arith.mulf %[[A11]], %[[B11]]
// CHECK:           %[[C11:.+]] = arith.addf %{{.+}}, %[[P2]]
// CHECK:           scan.yield %[[C00]], %{{.+}}, %{{.+}}, %[[C11]] : f64, f64, f64, f64
// CHECK:         store {
// CHECK-NEXT:    ^bb0(%[[I0:[^:]+]]: f64, %[[I1:[^:]+]]: f64, %[[I2:[^:]+]]: f64, %[[I3:[^:]+]]: f64,
// CHECK-NEXT:      scan.yield %[[I0]], %[[I1]], %[[I2]], %[[I3]]
func.func @matmul(%m: tensor<?x2x2xf64>, %i: tensor<2x2xf64>) -> (tensor<?x2x2xf64>, tensor<2x2xf64>) {
  %p, %last = scan.associative ins(%m : tensor<?x2x2xf64>) init(%i : tensor<2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>, tensor<2x2xf64>
  return %p, %last : tensor<?x2x2xf64>, tensor<2x2xf64>
}

// Elementwise operations, also with a scalar operand; dense constants; the
// 16-bit leaves are promoted afterwards.
// CHECK-LABEL: func @elementwise
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: f32, %[[A1:.+]]: f32, %[[F0:.+]]: i1, %[[B0:.+]]: f32, %[[B1:.+]]: f32, %[[F1:.+]]: i1):
// CHECK-DAG:       %[[C0:.+]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG:       %[[C1:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:       %[[S0:.+]] = arith.addf %[[A0]], %[[B0]] : f32
// CHECK-DAG:       %[[S1:.+]] = arith.addf %[[A1]], %[[B1]] : f32
// CHECK-DAG:       %[[M0:.+]] = arith.mulf %[[S0]], %[[C0]] : f32
// CHECK-DAG:       %[[M1:.+]] = arith.mulf %[[S1]], %[[C1]] : f32
// CHECK-DAG:       %[[G0:.+]] = arith.cmpf olt, %[[M0]], %[[A0]] : f32
// CHECK-DAG:       %[[G1:.+]] = arith.cmpf olt, %[[M1]], %[[A1]] : f32
// CHECK-DAG:       %[[T0:.+]] = arith.select %[[G0]], %[[M0]], %[[B0]] : f32
// CHECK-DAG:       %[[T1:.+]] = arith.select %[[G1]], %[[M1]], %[[B1]] : f32
// CHECK-DAG:       %[[R0:.+]] = arith.select %[[F1]], %[[B0]], %[[T0]] : f32
// CHECK-DAG:       %[[R1:.+]] = arith.select %[[F1]], %[[B1]], %[[T1]] : f32
// CHECK-DAG:       %[[F:.+]] = arith.ori %[[F0]], %[[F1]] : i1
// CHECK:           scan.yield %[[R0]], %[[R1]], %[[F]] : f32, f32, i1
func.func @elementwise(%x: tensor<4x?x2xbf16>, %f: tensor<4x?xi1>) -> tensor<4x?x2xbf16> {
  %y, %g = scan.associative ins(%x, %f : tensor<4x?x2xbf16>, tensor<4x?xi1>) dim = 1 {
  ^bb0(%a: tensor<2xbf16>, %f0: i1, %b: tensor<2xbf16>, %f1: i1):
    %c = arith.constant dense<[0.5, 2.0]> : tensor<2xbf16>
    %s = arith.addf %a, %b : tensor<2xbf16>
    %m = arith.mulf %s, %c : tensor<2xbf16>
    %lt = arith.cmpf olt, %m, %a : tensor<2xbf16>
    %t = arith.select %lt, %m, %b : tensor<2xi1>, tensor<2xbf16>
    %r = arith.select %f1, %b, %t : tensor<2xbf16>
    %f01 = arith.ori %f0, %f1 : i1
    scan.yield %r, %f01 : tensor<2xbf16>, i1
  } -> tensor<4x?x2xbf16>, tensor<4x?xi1>
  return %y : tensor<4x?x2xbf16>
}

// A product of quaternions by element; indices may be computed.
// CHECK-LABEL: func @elements
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: i32, %[[A1:.+]]: i32, %[[A2:.+]]: i32, %[[B0:.+]]: i32, %[[B1:.+]]: i32, %[[B2:.+]]: i32):
// CHECK-NEXT:      %[[S:.+]] = arith.addi %[[A2]], %[[B0]] : i32
// CHECK-NEXT:      scan.yield %[[S]], %[[B1]], %[[A0]] : i32, i32, i32
func.func @elements(%x: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %y = scan.associative ins(%x : tensor<?x3xi32>) dim = 0 {
  ^bb0(%a: tensor<3xi32>, %b: tensor<3xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.addi %c1, %c1 : index
    %a2 = tensor.extract %a[%c2] : tensor<3xi32>
    %b0 = tensor.extract %b[%c0] : tensor<3xi32>
    %a0 = tensor.extract %a[%c0] : tensor<3xi32>
    %s = arith.addi %a2, %b0 : i32
    %t = tensor.from_elements %s, %s, %a0 : tensor<3xi32>
    %b1 = tensor.extract %b[%c1] : tensor<3xi32>
    %r = tensor.insert %b1 into %t[%c1] : tensor<3xi32>
    scan.yield %r : tensor<3xi32>
  } -> tensor<?x3xi32>
  return %y : tensor<?x3xi32>
}

// Slices, reshapes, splats and empty tensors only move elements.
// CHECK-LABEL: func @slices
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: f32, %[[A1:.+]]: f32, %[[A2:.+]]: f32, %[[A3:.+]]: f32, %[[B0:.+]]: f32, %[[B1:.+]]: f32, %[[B2:.+]]: f32, %[[B3:.+]]: f32):
// CHECK-NEXT:      %[[S0:.+]] = arith.addf %[[A1]], %[[B2]] : f32
// CHECK-NEXT:      %[[S1:.+]] = arith.addf %[[A3]], %[[B3]] : f32
// CHECK-NEXT:      scan.yield %[[S0]], %[[A0]], %[[S1]], %[[A0]] : f32, f32, f32, f32
func.func @slices(%x: tensor<?x2x2xf32>) -> tensor<?x2x2xf32> {
  %y = scan.associative ins(%x : tensor<?x2x2xf32>) dim = 0 {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %c0 = arith.constant 0 : index
    // The second column of a, the second row of b.
    %column = tensor.extract_slice %a[0, 1] [2, 1] [1, 1] : tensor<2x2xf32> to tensor<2xf32>
    %flat = tensor.collapse_shape %b [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
    %row = tensor.extract_slice %flat[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %sum = arith.addf %column, %row : tensor<2xf32>
    %a00 = tensor.extract %a[%c0, %c0] : tensor<2x2xf32>
    %splat = tensor.splat %a00 : tensor<4xf32>
    %square = tensor.expand_shape %splat [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    %empty = tensor.empty() : tensor<2x2xf32>
    %all = tensor.insert_slice %square into %empty[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x2xf32>
    %r = tensor.insert_slice %sum into %all[0, 0] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x2xf32>
    scan.yield %r : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

// Structured operations are unrolled, whatever their iterators.
// CHECK-LABEL: func @structured
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: i64, %[[A1:.+]]: i64, %[[B0:.+]]: i64, %[[B1:.+]]: i64):
// CHECK-NEXT:      %[[C7:.+]] = arith.constant 7 : i64
// CHECK-NEXT:      %[[S0:.+]] = arith.addi %[[A0]], %[[C7]] : i64
// CHECK-NEXT:      %[[S1:.+]] = arith.addi %[[S0]], %[[A1]] : i64
// CHECK-NEXT:      %[[M0:.+]] = arith.muli %[[S1]], %[[B1]] : i64
// CHECK-DAG:       %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-DAG:       %[[M1:.+]] = arith.muli %[[S1]], %[[B0]] : i64
// CHECK-NEXT:      %[[R1:.+]] = arith.addi %[[M1]], %[[ONE]] : i64
// CHECK-NEXT:      scan.yield %[[M0]], %[[R1]] : i64, i64
func.func @structured(%x: tensor<?x2xi64>) -> tensor<?x2xi64> {
  %y = scan.associative ins(%x : tensor<?x2xi64>) dim = 0 {
  ^bb0(%a: tensor<2xi64>, %b: tensor<2xi64>):
    %c7 = arith.constant 7 : i64
    %none = tensor.empty() : tensor<i64>
    %start = linalg.fill ins(%c7 : i64) outs(%none : tensor<i64>) -> tensor<i64>
    %sum = linalg.reduce { arith.addi } ins(%a : tensor<2xi64>) outs(%start : tensor<i64>) dimensions = [0]
    %empty = tensor.empty() : tensor<2xi64>
    %wide = linalg.broadcast ins(%sum : tensor<i64>) outs(%empty : tensor<2xi64>) dimensions = [0]
    // Times b, turned round, plus the index.
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%wide : tensor<2xi64>) outs(%empty : tensor<2xi64>) {
    ^bb0(%w: i64, %out: i64):
      %c1 = arith.constant 1 : index
      %i = linalg.index 0 : index
      %j = arith.subi %c1, %i : index
      %e = tensor.extract %b[%j] : tensor<2xi64>
      %m = arith.muli %w, %e : i64
      %n = arith.index_cast %i : index to i64
      %o = arith.addi %m, %n : i64
      linalg.yield %o : i64
    } -> tensor<2xi64>
    scan.yield %r : tensor<2xi64>
  } -> tensor<?x2xi64>
  return %y : tensor<?x2xi64>
}

// Computed indices, and complex numbers, whose operations take scalars only.
// CHECK-LABEL: func @generated
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: complex<f32>, %[[A1:.+]]: complex<f32>, %[[B0:.+]]: complex<f32>, %[[B1:.+]]: complex<f32>):
// CHECK-NEXT:      %[[C:.+]] = complex.constant [1.000000e+00 : f32, -1.000000e+00 : f32] : complex<f32>
// CHECK-NEXT:      %[[P0:.+]] = complex.mul %[[A0]], %[[B0]]
// CHECK-NEXT:      %[[P1:.+]] = complex.mul %[[A1]], %[[B1]]
// CHECK-NEXT:      %[[Q0:.+]] = complex.add %[[P1]], %[[C]]
// CHECK-NEXT:      %[[Q1:.+]] = complex.add %[[P0]], %[[C]]
// CHECK-NEXT:      scan.yield %[[Q0]], %[[Q1]]
func.func @generated(%x: tensor<?x2xcomplex<f32>>) -> tensor<?x2xcomplex<f32>> {
  %y = scan.associative ins(%x : tensor<?x2xcomplex<f32>>) dim = 0 {
  ^bb0(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>):
    %c = arith.constant dense<(1.0, -1.0)> : tensor<2xcomplex<f32>>
    %empty = tensor.empty() : tensor<2xcomplex<f32>>
    %p = linalg.map { complex.mul } ins(%a, %b : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
                                    outs(%empty : tensor<2xcomplex<f32>>)
    %turned = tensor.generate {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      %n = tensor.dim %p, %c0 : tensor<2xcomplex<f32>>
      %c1 = arith.constant 1 : index
      %last = arith.subi %n, %c1 : index
      %j = arith.subi %last, %i : index
      %e = tensor.extract %p[%j] : tensor<2xcomplex<f32>>
      tensor.yield %e : complex<f32>
    } : tensor<2xcomplex<f32>>
    %q = linalg.map { complex.add } ins(%turned, %c : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
                                    outs(%empty : tensor<2xcomplex<f32>>)
    %clone = scan.clone %q : tensor<2xcomplex<f32>>
    scan.yield %clone : tensor<2xcomplex<f32>>
  } -> tensor<?x2xcomplex<f32>>
  return %y : tensor<?x2xcomplex<f32>>
}
