// RUN: not scan-opt %s --scan-to-cpu 2>&1 | FileCheck %s
// RUN: not scan-opt %s --scan-to-ptx 2>&1 | FileCheck %s

// The extent of a dimension that is not there; upstream's folding read outside of
// an array.

// CHECK: extent-of-no-dimension.mlir:[[# @LINE + 5]]:{{.*}}: error: 'tensor.dim' op expected the index of a dimension in [0, 2), found 9223372036854775807
func.func @f(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c = arith.constant 9223372036854775807 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi64>
  %d = tensor.dim %x, %c : tensor<?x?xi64>
  %y = tensor.empty(%d0, %d) : tensor<?x?xi64>
  %z = scan.associative ins(%y : tensor<?x?xi64>) dim = 0 {
  ^bb0(%acc: i64, %new: i64):
    %s = arith.addi %acc, %new : i64
    scan.yield %s : i64
  } -> tensor<?x?xi64>
  return %z : tensor<?x?xi64>
}
