// What functions that are compiled to PTX return as scalars is left in memory.

// RUN: scan-opt %s --scan-scalar-results-to-tensors --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-to-ptx --split-input-file -o %t.ptx
// (scalar-results-to-tensors-numbers.test runs these programs: the lines `run:` are its
// inputs.)

// An element of a tensor without dimensions is that tensor.
// CHECK-LABEL: func @element(
// CHECK-SAME: tensor<f32>
// CHECK:         %[[SUM:.*]] = linalg.reduce
// CHECK-NOT:     tensor.extract
// CHECK:         return %[[SUM]] : tensor<f32>
// run: random:f32:N:1
func.func @element(%x: tensor<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %r = tensor.extract %s[] : tensor<f32>
  return %r : f32
}

// -----

// Of others, and of what is computed with them, with arguments and with extents.
// CHECK-LABEL: func @computed(
// CHECK-SAME: -> (tensor<f64>, tensor<3xf64>)
// CHECK:         %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[2] [1] [1] : tensor<3xf64> to tensor<f64>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%{{.*}}, %[[SLICE]] : tensor<f64>, tensor<f64>)
// CHECK-NEXT:    ^bb0(%[[B:.*]]: f64, %[[A:.*]]: f64, %{{.*}}: f64):
// CHECK:           %[[M:.*]] = arith.sitofp
// CHECK:           arith.mulf %[[A]], %[[M]]
// CHECK:           linalg.yield
// CHECK:         return %[[R]], %{{.*}} : tensor<f64>, tensor<3xf64>
// run: random:f64:3xN:1 random:f64::2 random:f64::3
func.func @computed(%x: tensor<3x?xf64>, %y: tensor<f64>, %z: f64) -> (f64, tensor<3xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %d = tensor.dim %x, %c1 : tensor<3x?xf64>
  %n = arith.index_cast %d : index to i64
  %e = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<3x?xf64>) outs(%f : tensor<3xf64>) dimensions = [1]
  %a = tensor.extract %s[%c2] : tensor<3xf64>
  %b = tensor.extract %y[] : tensor<f64>
  %m = arith.sitofp %n : i64 to f64
  %p = arith.mulf %a, %m : f64
  %q = arith.subf %p, %b : f64
  %r = arith.mulf %q, %z : f64
  return %r, %s : f64, tensor<3xf64>
}

// -----

// Arguments, constants, the same number twice, and an index, at a place that is computed.
// CHECK-LABEL: func @plain(
// CHECK-SAME: -> (tensor<i32>, tensor<i1>, tensor<f32>, tensor<f32>)
// CHECK-COUNT-4: linalg.generic
// CHECK:         return
// run: random:i32::1 random:f32:5:2
func.func @plain(%i: i32, %x: tensor<5xf32>) -> (i32, i1, f32, f32) {
  %true = arith.constant true
  %four = arith.constant 4 : i32
  %k = arith.andi %i, %four : i32
  %at = arith.index_cast %k : i32 to index
  %e = tensor.extract %x[%at] : tensor<5xf32>
  return %i, %true, %e, %e : i32, i1, f32, f32
}

// -----

// CHECK-LABEL: func @complex(
// CHECK-SAME: -> tensor<complex<f32>>
// CHECK:         linalg.generic
// CHECK:           complex.conj
// CHECK:         return
// run: random:c64:2:1
func.func @complex(%x: tensor<2xcomplex<f32>>) -> complex<f32> {
  %c1 = arith.constant 1 : index
  %e = tensor.extract %x[%c1] : tensor<2xcomplex<f32>>
  %f = complex.conj %e : complex<f32>
  return %f : complex<f32>
}
