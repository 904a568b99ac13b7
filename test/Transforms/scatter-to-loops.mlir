// RUN: scan-opt %s --scan-scatter-to-loops | FileCheck %s
// RUN: scan-opt %s --scan-scatter-to-loops -o %t.mlir
// RUN: scan-opt %t.mlir --scan-scatter-to-loops | diff %t.mlir -
// (scatter-numbers.test runs these programs: the lines `run:` are its inputs.)

// The elements in row-major order, so that the last write wins; what is outside
// is not written; extents that may not fit are checked.
// CHECK-LABEL: func @elements
// CHECK-SAME:    (%[[X:.+]]: tensor<?x3xf32>, %[[D:.+]]: tensor<4x?xf32>, %[[I:.+]]: tensor<?x3xi32>)
// CHECK:         cf.assert %{{.+}}, "scan.scatter: expected dimension 0 of the index tensor to have at most the extent of the destination"
// CHECK:         cf.assert %{{.+}}, "scan.scatter: expected dimension 0 of the source to have the extent of the index tensor"
// CHECK-NOT:     cf.assert
// CHECK:         scf.for %[[P:.+]] = {{.+}} iter_args(%{{.+}} = %[[D]])
// CHECK:           scf.for %[[Q:.+]] = {{.+}} iter_args(%[[T:.+]] = %{{.+}})
// CHECK:             %[[J:.+]] = tensor.extract %[[I]][%[[P]], %[[Q]]]
// CHECK:             %[[K:.+]] = arith.index_cast %[[J]] : i32 to index
// CHECK:             %[[E:.+]] = tensor.extract %[[X]][%[[P]], %[[Q]]]
// CHECK:             %[[N:.+]] = tensor.dim %[[T]]
// CHECK:             arith.cmpi ult, %[[K]], %[[N]]
// CHECK:             tensor.insert %[[E]] into %[[T]][%[[P]], %[[K]]]
// run: random:f32:3x3:1 random:f32:4x7:2 random:i32:3x3:3:-2:9
func.func @elements(%x: tensor<?x3xf32>, %d: tensor<4x?xf32>, %i: tensor<?x3xi32>) -> tensor<4x?xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<?x3xf32> into tensor<4x?xf32> at tensor<?x3xi32>
  return %r : tensor<4x?xf32>
}

// CHECK-LABEL: func @scalar
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert %{{.+}} into %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<3x5x4xi16>
// run: const:i16::7 random:i16:3x5x4:2 random:index:3x2x1:3:0:5
func.func @scalar(%v: i16, %d: tensor<3x5x4xi16>, %i: tensor<3x2x1xindex>) -> tensor<3x5x4xi16> {
  %r = scan.scatter %v into %d at %i dim = -2 : i16 into tensor<3x5x4xi16> at tensor<3x2x1xindex>
  return %r : tensor<3x5x4xi16>
}

// More indices along the dimension than the destination has elements.
// run: random:c64:6:1 random:c64:3:2 random:i8:6:3:-1:4
func.func @longer(%x: tensor<?xcomplex<f32>>, %d: tensor<?xcomplex<f32>>, %i: tensor<?xi8>) -> tensor<?xcomplex<f32>> {
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xcomplex<f32>> into tensor<?xcomplex<f32>> at tensor<?xi8>
  return %r : tensor<?xcomplex<f32>>
}

// tensor.scatter: slices at coordinates that have dimensions of their own.
// One that is outside of the destination stops the program.
// CHECK-LABEL: func @slices
// CHECK-NOT:     = tensor.scatter
// CHECK:         %[[J:.+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK:         %[[IN:.+]] = arith.cmpi ult, %[[J]], %{{.+}} : index
// CHECK:         cf.assert %[[IN]], "{{.*}}:[[#@LINE+6]]:8: 'tensor.scatter' op index is out of bounds in dimension 1"
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert %{{.+}} into %{{.+}}[%{{.+}}, %[[J]], %{{.+}}]
// CHECK-NOT:     = tensor.scatter
// run: random:f32:3x4x1x6:1 random:f32:4x5x6:2 values:i64:3x1:4,0,2
func.func @slices(%x: tensor<3x4x1x6xf32>, %d: tensor<4x5x6xf32>, %i: tensor<3x1xi64>) -> tensor<4x5x6xf32> {
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<3x4x1x6xf32>, tensor<4x5x6xf32>, tensor<3x1xi64>) -> tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}

// run: random:f64:2x3:1 random:f64:4x3x5:2 values:index:2x2:1,4,3,0
func.func @coordinates(%x: tensor<2x3xf64>, %d: tensor<4x3x5xf64>, %i: tensor<2x2xindex>) -> tensor<4x3x5xf64> {
  %r = tensor.scatter %x into %d[%i] scatter_dims([0, 2]) unique : (tensor<2x3xf64>, tensor<4x3x5xf64>, tensor<2x2xindex>) -> tensor<4x3x5xf64>
  return %r : tensor<4x3x5xf64>
}
