// RUN: scan-opt %s --scan-scatter-to-select | FileCheck %s
// RUN: scan-opt %s --scan-scatter-to-select -o %t.mlir
// RUN: scan-opt %t.mlir --scan-scatter-to-select | diff %t.mlir -
// RUN: scan-opt %s --scan-scatter-to-select --remarks-filter=scan-scatter-to-select -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// (scatter-numbers.test runs these programs: the lines `run:` are its inputs.)


// REMARK: remark: [Passed] ScatterToSelect | Category:scan-scatter-to-select | Function=two_dims | Remark="a scatter becomes elementwise code"
// REMARK-NOT: [Missed]

// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SCALAR:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$MIDDLE:.+]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-DAG: #[[$TURNED:.+]] = affine_map<(d0, d1, d2) -> (d2, 0, d0)>
// CHECK-DAG: #[[$ONE:.+]] = affine_map<(d0, d1, d2) -> (0)>

//===----------------------------------------------------------------------===//
// scan.scatter
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @two_dims
// CHECK-SAME:    (%[[I:.+]]: tensor<4x1xi64>)
// CHECK-NOT:     dense
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<4x10xf32>
// CHECK:         %[[R:.+]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$ID]]]
// CHECK-SAME:      ins(%[[I]] : tensor<4x1xi64>) outs(%[[E]] : tensor<4x10xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: i64, %{{.+}}: f32):
// CHECK-NEXT:      %[[J:.+]] = arith.index_cast %[[IN]] : i64 to index
// CHECK-NEXT:      %[[V:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %[[F:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[IOTA:.+]] = linalg.index 1 : index
// CHECK-NEXT:      %[[HERE:.+]] = arith.cmpi eq, %[[IOTA]], %[[J]] : index
// CHECK-NEXT:      %[[S:.+]] = arith.select %[[HERE]], %[[V]], %[[F]] : f32
// CHECK-NEXT:      linalg.yield %[[S]] : f32
// CHECK:         return %[[R]]
// run: values:i64:4x1:3,-1,10,9
func.func @two_dims(%i: tensor<4x1xi64>) -> tensor<4x10xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
  %one = arith.constant 1.0 : f32
  %r = scan.scatter %one into %zeros at %i dim = 1 : f32 into tensor<4x10xf32> at tensor<4x1xi64>
  return %r : tensor<4x10xf32>
}

// Three dimensions of extents that the program knows only as values, a dimension
// that is not the last, negative, a constant that is not zero, integers.
// CHECK-LABEL: func @three_dims
// CHECK-SAME:    (%[[I:.+]]: tensor<?x1x?xi32>)
// CHECK-NOT:     tensor.splat
// CHECK:         linalg.generic {indexing_maps = [#[[$MIDDLE]],
// CHECK:           arith.constant 4 : i16
// CHECK:           arith.constant -3 : i16
// CHECK:           linalg.index 1 : index
// run: random:i32:5x1x3:1:-1:8
func.func @three_dims(%i: tensor<?x1x?xi32>) -> tensor<?x7x?xi16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %i, %c0 : tensor<?x1x?xi32>
  %n = tensor.dim %i, %c2 : tensor<?x1x?xi32>
  %fill = arith.constant -3 : i16
  %value = arith.constant 4 : i16
  %d = tensor.splat %fill[%m, %n] : tensor<?x7x?xi16>
  %r = scan.scatter %value into %d at %i dim = -2 : i16 into tensor<?x7x?xi16> at tensor<?x1x?xi32>
  return %r : tensor<?x7x?xi16>
}

// A value and a fill of the program; the first dimension; the extent along it is
// one that only the destination has.
// CHECK-LABEL: func @filled
// CHECK-SAME:    (%[[V:.+]]: f64, %[[F:.+]]: f64, %[[I:.+]]: tensor<1x?xindex>, %[[M:.+]]: index)
// CHECK-NOT:     linalg.fill
// CHECK:         %[[E:.+]] = tensor.empty(%[[M]],
// CHECK:         linalg.generic {{.+}}#[[$SCALAR]], #[[$SCALAR]], #[[$ID]]]
// CHECK-SAME:      ins(%[[I]], %[[V]], %[[F]] : tensor<1x?xindex>, f64, f64) outs(%[[E]]
// CHECK-NOT:       index_cast
// CHECK:           linalg.index 0 : index
// run: const:f64::2.5 const:f64::-1 random:index:1x6:1:0:4 const:index::4
func.func @filled(%v: f64, %f: f64, %i: tensor<1x?xindex>, %m: index) -> tensor<?x?xf64> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %i, %c1 : tensor<1x?xindex>
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %d = linalg.fill ins(%f : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = scan.scatter %v into %d at %i dim = 0 : f64 into tensor<?x?xf64> at tensor<1x?xindex>
  return %r : tensor<?x?xf64>
}

// Equal elements are a scalar; a generic operation may fill; one dimension.
// CHECK-LABEL: func @equal_elements
// CHECK-NOT:     scan.scatter
// run: values:i64:1:2
func.func @equal_elements(%i: tensor<1xi64>) -> tensor<5xcomplex<f32>> {
  %v = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  %x = tensor.from_elements %v : tensor<1xcomplex<f32>>
  %z = complex.constant [0.5 : f32, 0.0 : f32] : complex<f32>
  %e = tensor.empty() : tensor<5xcomplex<f32>>
  %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<5xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    linalg.yield %z : complex<f32>
  } -> tensor<5xcomplex<f32>>
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<1xcomplex<f32>> into tensor<5xcomplex<f32>> at tensor<1xi64>
  return %r : tensor<5xcomplex<f32>>
}

// The destination is still there for others.
// CHECK-LABEL: func @used_elsewhere
// CHECK:         %[[D:.+]] = tensor.splat
// CHECK:         %[[R:.+]] = linalg.generic
// CHECK:         return %[[R]], %[[D]]
// run: const:i1::1 values:i8:3x1:1,0,-1
func.func @used_elsewhere(%f: i1, %i: tensor<3x1xi8>) -> (tensor<3x2xi1>, tensor<3x2xi1>) {
  %v = arith.constant false
  %d = tensor.splat %f : tensor<3x2xi1>
  %r = scan.scatter %v into %d at %i dim = 1 : i1 into tensor<3x2xi1> at tensor<3x1xi8>
  return %r, %d : tensor<3x2xi1>, tensor<3x2xi1>
}

// Through a cast that hides the extents.
// CHECK-LABEL: func @hidden
// CHECK:         %[[R:.+]] = linalg.generic
// CHECK:         tensor.cast %[[R]]
// run: values:i64:2x1:0,2
func.func @hidden(%i: tensor<2x1xi64>) -> tensor<?x?xf32> {
  %z = arith.constant dense<1.0> : tensor<2x3xf32>
  %d = tensor.cast %z : tensor<2x3xf32> to tensor<?x?xf32>
  %v = arith.constant 2.0 : f32
  %r = scan.scatter %v into %d at %i dim = 1 : f32 into tensor<?x?xf32> at tensor<2x1xi64>
  return %r : tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @loop
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
// run: random:i64:6:1:0:3 const:index::4 const:f32::1.5
func.func @loop(%i: tensor<?xi64>, %n: index, %v: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %i, %c0 : tensor<?xi64>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.fill ins(%half : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.for %p = %c0 to %m step %c1 iter_args(%t = %d) -> (tensor<?x?xf32>) {
    %j = tensor.extract %i[%p] : tensor<?xi64>
    %k = arith.index_cast %j : i64 to index
    %u = tensor.insert %v into %t[%p, %k] : tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// A nest, in another order than the dimensions; the index tensor is transposed
// and keeps its dimension of one; the index is narrow.
// CHECK-LABEL: func @nest
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic {indexing_maps = [#[[$TURNED]],
// CHECK:           linalg.index 1
// run: random:i8:3x1x2:1:0:4
func.func @nest(%i: tensor<3x1x2xi8>) -> tensor<2x5x3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %d = arith.constant dense<7> : tensor<2x5x3xi32>
  %r = scf.for %p = %c0 to %c3 step %c1 iter_args(%t = %d) -> (tensor<2x5x3xi32>) {
    %s = scf.for %q = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<2x5x3xi32>) {
      %j = tensor.extract %i[%p, %c0, %q] : tensor<3x1x2xi8>
      %w = arith.extsi %j : i8 to i32
      %k = arith.index_cast %w : i32 to index
      %v = arith.constant -7 : i32
      %x = tensor.insert %v into %u[%q, %k, %p] : tensor<2x5x3xi32>
      scf.yield %x : tensor<2x5x3xi32>
    }
    scf.yield %s : tensor<2x5x3xi32>
  }
  return %r : tensor<2x5x3xi32>
}

// CHECK-LABEL: func @forall
// CHECK-NOT:     scf.forall
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// run: random:i64:4x1:1:0:2 const:f32::9
func.func @forall(%i: tensor<4x1xi64>, %v: f32) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %d = arith.constant dense<0.0> : tensor<3x4xf32>
  %x = tensor.from_elements %v : tensor<1x1xf32>
  %r = scf.forall (%p) in (4) shared_outs(%t = %d) -> (tensor<3x4xf32>) {
    %j = tensor.extract %i[%p, %c0] : tensor<4x1xi64>
    %k = arith.index_cast %j : i64 to index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %t[%k, %p] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<3x4xf32>
    }
  }
  return %r : tensor<3x4xf32>
}

//===----------------------------------------------------------------------===//
// tensor.scatter
//===----------------------------------------------------------------------===//

// One index: all of a slice.
// CHECK-LABEL: func @one_slice
// CHECK-NOT:     tensor.scatter
// CHECK:         linalg.generic {indexing_maps = [#[[$ONE]],
// CHECK:           linalg.index 1
// run: values:i64:1:2
func.func @one_slice(%i: tensor<1xi64>) -> tensor<2x4x3xf32> {
  %x = arith.constant dense<1.0> : tensor<2x1x3xf32>
  %d = arith.constant dense<0.0> : tensor<2x4x3xf32>
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<2x1x3xf32>, tensor<2x4x3xf32>, tensor<1xi64>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// Coordinates, all but one of which are iotas.
// CHECK-LABEL: func @coordinates
// CHECK-NOT:     tensor.scatter
// CHECK:         linalg.generic {indexing_maps = [#[[$ROWS]],
// CHECK:           linalg.index 1
// run: random:i64:5x1:1:0:3
func.func @coordinates(%i: tensor<5x1xi64>) -> tensor<5x4xf32> {
  %x = arith.constant dense<1.0> : tensor<5xf32>
  %d = arith.constant dense<0.0> : tensor<5x4xf32>
  %e = tensor.empty() : tensor<5x1xi64>
  %iota = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<5x1xi64>) {
  ^bb0(%o: i64):
    %p = linalg.index 0 : index
    %q = arith.index_cast %p : index to i64
    linalg.yield %q : i64
  } -> tensor<5x1xi64>
  %at = tensor.concat dim(1) %iota, %i : (tensor<5x1xi64>, tensor<5x1xi64>) -> tensor<5x2xi64>
  %r = tensor.scatter %x into %d[%at] scatter_dims([0, 1]) unique : (tensor<5xf32>, tensor<5x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// The same with an iota that is generated, and the coordinates in another order.
// CHECK-LABEL: func @generated
// CHECK-NOT:     tensor.scatter
// CHECK:           linalg.index 0
// run: random:index:5x1:1:0:3
func.func @generated(%i: tensor<5x1xindex>) -> tensor<4x5xi32> {
  %x = arith.constant dense<3> : tensor<5x1x1xi32>
  %d = arith.constant dense<1> : tensor<4x5xi32>
  %iota = tensor.generate {
  ^bb0(%p: index, %q: index):
    tensor.yield %p : index
  } : tensor<5x1xindex>
  %at = tensor.concat dim(1) %i, %iota : (tensor<5x1xindex>, tensor<5x1xindex>) -> tensor<5x2xindex>
  %r = tensor.scatter %x into %d[%at] scatter_dims([0, 1]) unique : (tensor<5x1x1xi32>, tensor<4x5xi32>, tensor<5x2xindex>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}
