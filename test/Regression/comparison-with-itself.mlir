// Upstream folds the comparison of a tensor with itself to a constant of the tensor's type, also where
// that has dynamic extents; a constant has none. Found by scan-fuzz --graphs.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: scan-run %s --input=random:i8:3x4:1 --output=%t.before.npy
// RUN: scan-run %t.mlir --input=random:i8:3x4:1 --output=%t.after.npy
// RUN: cmp %t.before.npy %t.after.npy

// CHECK-NOT: arith.constant dense
func.func @f(%x: tensor<?x4xi8>) -> tensor<?x4xi8> {
  %t = arith.cmpi sle, %x, %x : tensor<?x4xi8>
  %y = arith.extui %t : tensor<?x4xi1> to tensor<?x4xi8>
  %z = scan.associative ins(%y : tensor<?x4xi8>) dim = 0 {
  ^bb0(%l: i8, %r: i8):
    %s = arith.addi %l, %r : i8
    scan.yield %s : i8
  } -> tensor<?x4xi8>
  return %z : tensor<?x4xi8>
}
