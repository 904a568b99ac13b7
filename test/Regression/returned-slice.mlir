// Clones of arrays whose type says where in memory they start, as slices at constant
// indices do, had no lowering.

// RUN: scan-opt %s --pass-pipeline='builtin.module(scan-normalize,scan-bufferize,convert-scan-to-loops,ownership-based-buffer-deallocation{private-function-dynamic-ownership=1},bufferization-lower-deallocations)' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK: bufferization.clone {{.*}}, offset: 6>>
// RUN: scan-run %s --entry=slices --input=random:f32:4x6:1 --output=%t.before0.npy --output=%t.before1.npy --output=%t.before2.npy
// RUN: scan-run %t.mlir --entry=slices --input=random:f32:4x6:1 --target=cpu --check-memory --output=%t.after0.npy --output=%t.after1.npy --output=%t.after2.npy
// RUN: cmp %t.before0.npy %t.after0.npy
// RUN: cmp %t.before1.npy %t.after1.npy
// RUN: scan-run %s --entry=slices --input=random:f32:4x6:1 --target=cpu --check-memory --compare=reference --tolerance=0

func.func @slices(%x: tensor<?x6xf32>) -> (tensor<6xf32>, tensor<?x2xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %h = scan.linear_recurrence ins(%x, %x : tensor<?x6xf32>, tensor<?x6xf32>) dim = 0 reverse -> tensor<?x6xf32>
  %row = tensor.extract_slice %x[1, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<6xf32>
  %columns = tensor.extract_slice %x[0, 2] [%n, 2] [1, 2] : tensor<?x6xf32> to tensor<?x2xf32>
  return %row, %columns, %h : tensor<6xf32>, tensor<?x2xf32>, tensor<?x6xf32>
}

// The strides of a dense array of these extents are known only when it runs, and are
// others than the type says. The cast goes into the clone, so that the shapes differ.
// RUN: scan-run %s --entry=sizes --input=random:i32:5x3x4:1 --input=values:index::4 --input=values:index::2 --target=cpu --check-memory --compare=reference
// RUN: scan-run %s --entry=cast --input=random:i32:5x3x4:1 --input=values:index::4 --target=cpu --check-memory --compare=reference
func.func @sizes(%x: tensor<5x3x4xi32>, %n: index, %m: index) -> tensor<?x3x?xi32> {
  %s = tensor.extract_slice %x[0, 0, 0] [%n, 3, %m] [1, 1, 1] : tensor<5x3x4xi32> to tensor<?x3x?xi32>
  return %s : tensor<?x3x?xi32>
}
func.func @cast(%x: tensor<5x3x4xi32>, %n: index) -> tensor<?x3x?xi32> {
  %s = tensor.extract_slice %x[0, 0, 0] [%n, 3, 2] [1, 1, 1] : tensor<5x3x4xi32> to tensor<?x3x2xi32>
  %c = tensor.cast %s : tensor<?x3x2xi32> to tensor<?x3x?xi32>
  return %c : tensor<?x3x?xi32>
}

// A cast that adds extents goes into the clone as well.
// RUN: scan-run %s --entry=branches --input=random:f32:2x3x4:1 --input=values:index::2 --input=values:i1::1 --target=cpu --check-memory --compare=reference
func.func @branches(%x: tensor<?x3x4xf32>, %n: index, %taken: i1) -> tensor<?x3x1xf32> {
  %s = scf.if %taken -> tensor<?x?x?xf32> {
    %a = tensor.extract_slice %x[0, 0, 2] [%n, 3, 1] [1, 1, 1] : tensor<?x3x4xf32> to tensor<?x3x1xf32>
    %c = tensor.cast %a : tensor<?x3x1xf32> to tensor<?x?x?xf32>
    scf.yield %c : tensor<?x?x?xf32>
  } else {
    %a = tensor.extract_slice %x[0, 0, 2] [%n, 3, 1] [1, 1, 1] : tensor<?x3x4xf32> to tensor<?x3x1xf32>
    %c = tensor.cast %a : tensor<?x3x1xf32> to tensor<?x?x?xf32>
    scf.yield %c : tensor<?x?x?xf32>
  }
  %c = tensor.cast %s : tensor<?x?x?xf32> to tensor<?x3x1xf32>
  return %c : tensor<?x3x1xf32>
}
