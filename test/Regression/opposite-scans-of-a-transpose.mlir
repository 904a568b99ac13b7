// Two scans in opposite directions of one tensor, which the second one reads transposed: of
// dynamic extents nothing says that both go over the same points, and they stay two kernels.
// They became one, whose operands did not fit.
// RUN: scan-run %s --input=random:f32:1x2x5x3:1 --input=random:f32:1x2x5x3:2 > %t.before
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --remarks-filter-missed=scan-bidirectional > %t.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: scan-run %t.mlir --input=random:f32:1x2x5x3:1 --input=random:f32:1x2x5x3:2 > %t.after
// RUN: diff %t.before %t.after

// REMARK: their extents are not known to be equal
// CHECK-COUNT-2: scan.kernel dim = 3
// CHECK-NOT: scan.kernel

func.func @f(%v0: tensor<?x?x5x3xf32>, %v2: tensor<?x?x5x3xf32>)
    -> (tensor<?x?x5xf32>, tensor<5x?x?x3xf32>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %v0, %c0 : tensor<?x?x5x3xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %v0, %c1 : tensor<?x?x5x3xf32>
  %t0 = tensor.empty(%d0, %d1) : tensor<?x?x3x5xf32>
  %v1 = linalg.transpose ins(%v0 : tensor<?x?x5x3xf32>) outs(%t0 : tensor<?x?x3x5xf32>) permutation = [0, 1, 3, 2]
  %v3, %v3_1 = scan.linear_recurrence ins(%v0, %v2 : tensor<?x?x5x3xf32>, tensor<?x?x5x3xf32>) dim = 3 reverse -> tensor<?x?x5x3xf32>, tensor<?x?x5xf32>
  %t1 = tensor.empty(%d0, %d1) : tensor<5x?x?x3xf32>
  %v4 = linalg.transpose ins(%v1 : tensor<?x?x3x5xf32>) outs(%t1 : tensor<5x?x?x3xf32>) permutation = [3, 0, 1, 2]
  %v8, %v8_1 = scan.associative ins(%v4, %v4 : tensor<5x?x?x3xf32>, tensor<5x?x?x3xf32>) dim = 3 {
  ^bb0(%la: f32, %lb: f32, %ra: f32, %rb: f32):
    %t2 = arith.mulf %ra, %la : f32
    %t3 = arith.mulf %ra, %lb : f32
    %t4 = arith.addf %t3, %rb : f32
    scan.yield %t2, %t4 : f32, f32
  } -> tensor<5x?x?x3xf32>, tensor<5x?x?x3xf32>
  return %v3_1, %v8 : tensor<?x?x5xf32>, tensor<5x?x?x3xf32>
}
