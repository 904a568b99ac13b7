// RUN: scan-opt %s --scan-scatter-to-select --remarks-filter-missed=scan-scatter-to-select 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: scan-opt %s --scan-scatter-to-select 2>&1 | FileCheck %s --check-prefix=QUIET
// (scatter-numbers.test runs these programs: the lines `run:` are its inputs.)

// What stays, and why. Without the option nobody is told.
// QUIET-NOT: remark

// CHECK-LABEL: func @shorter
// CHECK:         scan.scatter
// REMARK:      scatter-to-select-missed.mlir:[[@LINE+5]]:8: remark: [Missed] ScatterToSelect | Category:scan-scatter-to-select | Function=shorter | Reason="the indices are not known to cover dimension 0 of the destination: expected its extent", Remark="a scatter stays"
// run: random:i64:3x1:1:0:10
func.func @shorter(%i: tensor<3x1xi64>) -> tensor<4x10xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
  %one = arith.constant 1.0 : f32
  %r = scan.scatter %one into %zeros at %i dim = 1 : f32 into tensor<4x10xf32> at tensor<3x1xi64>
  return %r : tensor<4x10xf32>
}

// Extents that might differ.
// CHECK-LABEL: func @maybe_shorter
// CHECK:         scan.scatter
// REMARK:      Function=maybe_shorter | Reason="the indices are not known to cover dimension 0
// run: random:i64:3x1:1:0:10 const:index::4
func.func @maybe_shorter(%i: tensor<?x1xi64>, %m: index) -> tensor<?x10xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = tensor.splat %zero[%m] : tensor<?x10xf32>
  %r = scan.scatter %one into %zeros at %i dim = 1 : f32 into tensor<?x10xf32> at tensor<?x1xi64>
  return %r : tensor<?x10xf32>
}

// CHECK-LABEL: func @dense
// CHECK:         scan.scatter
// REMARK:      Function=dense | Reason="several indices along the dimension (a dense index): expected one write for each point of the other dimensions"
// run: random:i64:4x2:1:0:10
func.func @dense(%i: tensor<4x2xi64>) -> tensor<4x10xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
  %one = arith.constant 1.0 : f32
  %r = scan.scatter %one into %zeros at %i dim = 1 : f32 into tensor<4x10xf32> at tensor<4x2xi64>
  return %r : tensor<4x10xf32>
}

// CHECK-LABEL: func @not_constant
// CHECK:         scan.scatter
// REMARK:      Function=not_constant | Reason="the destination is not known to be constant: expected linalg.fill, tensor.splat or a splat constant"
// run: random:f32:4x10:2 random:i64:4x1:1:0:10
func.func @not_constant(%d: tensor<4x10xf32>, %i: tensor<4x1xi64>) -> tensor<4x10xf32> {
  %one = arith.constant 1.0 : f32
  %r = scan.scatter %one into %d at %i dim = 1 : f32 into tensor<4x10xf32> at tensor<4x1xi64>
  return %r : tensor<4x10xf32>
}

// CHECK-LABEL: func @several_constants
// CHECK:         scan.scatter
// REMARK:      Function=several_constants | Reason="the destination is not known to be constant
// run: random:i64:1:1:0:2
func.func @several_constants(%i: tensor<1xi64>) -> tensor<2xf32> {
  %d = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %one = arith.constant 1.0 : f32
  %r = scan.scatter %one into %d at %i dim = 0 : f32 into tensor<2xf32> at tensor<1xi64>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @elements
// CHECK:         scan.scatter
// REMARK:      Function=elements | Reason="the source is not a scalar: its elements may differ"
// run: random:f32:4x1:2 random:i64:4x1:1:0:10
func.func @elements(%x: tensor<4x1xf32>, %i: tensor<4x1xi64>) -> tensor<4x10xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
  %r = scan.scatter %x into %zeros at %i dim = 1 : tensor<4x1xf32> into tensor<4x10xf32> at tensor<4x1xi64>
  return %r : tensor<4x10xf32>
}

// A loop over a part of the rows.
// CHECK-LABEL: func @loop_shorter
// CHECK:         scf.for
// REMARK:      Function=loop_shorter | Reason="the indices are not known to cover dimension 0
// run: random:i64:5:1:0:2
func.func @loop_shorter(%i: tensor<5xi64>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zeros = arith.constant dense<0.0> : tensor<5x3xf32>
  %one = arith.constant 1.0 : f32
  %r = scf.for %p = %c0 to %c4 step %c1 iter_args(%t = %zeros) -> (tensor<5x3xf32>) {
    %j = tensor.extract %i[%p] : tensor<5xi64>
    %k = arith.index_cast %j : i64 to index
    %u = tensor.insert %one into %t[%p, %k] : tensor<5x3xf32>
    scf.yield %u : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// A loop over several indices of a row.
// CHECK-LABEL: func @loop_dense
// CHECK:         scf.for
// REMARK:      Function=loop_dense | Reason="several indices along the dimension
// run: random:i64:5x2:1:0:2
func.func @loop_dense(%i: tensor<5x2xi64>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zeros = arith.constant dense<0.0> : tensor<5x3xf32>
  %one = arith.constant 1.0 : f32
  %r = scf.for %p = %c0 to %c5 step %c1 iter_args(%t = %zeros) -> (tensor<5x3xf32>) {
    %s = scf.for %q = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<5x3xf32>) {
      %j = tensor.extract %i[%p, %q] : tensor<5x2xi64>
      %k = arith.index_cast %j : i64 to index
      %w = tensor.insert %one into %u[%p, %k] : tensor<5x3xf32>
      scf.yield %w : tensor<5x3xf32>
    }
    scf.yield %s : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// CHECK-LABEL: func @loop_not_constant
// CHECK:         scf.for
// REMARK:      Function=loop_not_constant | Reason="the destination is not known to be constant
// run: random:f32:5x3:2 random:i64:5:1:0:2
func.func @loop_not_constant(%d: tensor<5x3xf32>, %i: tensor<5xi64>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %p = %c0 to %c5 step %c1 iter_args(%t = %d) -> (tensor<5x3xf32>) {
    %j = tensor.extract %i[%p] : tensor<5xi64>
    %k = arith.index_cast %j : i64 to index
    %u = tensor.insert %one into %t[%p, %k] : tensor<5x3xf32>
    scf.yield %u : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// CHECK-LABEL: func @loop_elements
// CHECK:         scf.for
// REMARK:      Function=loop_elements | Reason="the source is not a scalar
// run: random:f32:5:2 random:i64:5:1:0:2
func.func @loop_elements(%x: tensor<5xf32>, %i: tensor<5xi64>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zeros = arith.constant dense<0.0> : tensor<5x3xf32>
  %r = scf.for %p = %c0 to %c5 step %c1 iter_args(%t = %zeros) -> (tensor<5x3xf32>) {
    %j = tensor.extract %i[%p] : tensor<5xi64>
    %k = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%p] : tensor<5xf32>
    %u = tensor.insert %v into %t[%p, %k] : tensor<5x3xf32>
    scf.yield %u : tensor<5x3xf32>
  }
  return %r : tensor<5x3xf32>
}

// CHECK-LABEL: func @forall_shorter
// CHECK:         scf.forall
// REMARK:      Function=forall_shorter | Reason="the indices are not known to cover dimension 1
// run: random:i64:4:1:0:2
func.func @forall_shorter(%i: tensor<4xi64>) -> tensor<3x5xf32> {
  %d = arith.constant dense<0.0> : tensor<3x5xf32>
  %x = arith.constant dense<1.0> : tensor<f32>
  %r = scf.forall (%p) in (4) shared_outs(%t = %d) -> (tensor<3x5xf32>) {
    %j = tensor.extract %i[%p] : tensor<4xi64>
    %k = arith.index_cast %j : i64 to index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %t[%k, %p] [1, 1] [1, 1] : tensor<f32> into tensor<3x5xf32>
    }
  }
  return %r : tensor<3x5xf32>
}

// CHECK-LABEL: func @several_slices
// CHECK:         tensor.scatter
// REMARK:      Function=several_slices | Reason="several indices along the dimension
// run: values:i64:2x1:3,1
func.func @several_slices(%i: tensor<2x1xi64>) -> tensor<2x4x3xf32> {
  %x = arith.constant dense<1.0> : tensor<2x2x3xf32>
  %d = arith.constant dense<0.0> : tensor<2x4x3xf32>
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<2x2x3xf32>, tensor<2x4x3xf32>, tensor<2x1xi64>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// CHECK-LABEL: func @two_data_dims
// CHECK:         tensor.scatter
// REMARK:      Function=two_data_dims | Reason="indices along more than one dimension"
// run: values:i64:2x1:3,1 values:i64:2x1:0,2
func.func @two_data_dims(%i: tensor<2x1xi64>, %j: tensor<2x1xi64>) -> tensor<4x3xf32> {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  %d = arith.constant dense<0.0> : tensor<4x3xf32>
  %at = tensor.concat dim(1) %i, %j : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
  %r = tensor.scatter %x into %d[%at] scatter_dims([0, 1]) unique : (tensor<2xf32>, tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func @opaque_coordinates
// CHECK:         tensor.scatter
// REMARK:      Function=opaque_coordinates | Reason="the coordinates are not a tensor.concat of one tensor for each dimension"
// run: values:i64:2x2:3,1,0,2
func.func @opaque_coordinates(%at: tensor<2x2xi64>) -> tensor<4x3xf32> {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  %d = arith.constant dense<0.0> : tensor<4x3xf32>
  %r = tensor.scatter %x into %d[%at] scatter_dims([0, 1]) unique : (tensor<2xf32>, tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// A loop that is no scatter is not mentioned.
// REMARK-NOT:  remark
// run: random:f32:5:2
func.func @no_scatter(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zeros = arith.constant dense<0.0> : tensor<5xf32>
  %r = scf.for %p = %c0 to %c5 step %c1 iter_args(%t = %zeros) -> (tensor<5xf32>) {
    %v = tensor.extract %x[%p] : tensor<5xf32>
    %u = tensor.insert %v into %t[%p] : tensor<5xf32>
    scf.yield %u : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
