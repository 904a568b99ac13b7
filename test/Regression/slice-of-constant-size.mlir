// A slice of dynamic type whose size is a constant all the same: an output for it, of elements that a
// kernel holds in registers, had no extent.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=values:i32:2x2:1,2,3,4 --input=values:i32:2:5,6

// CHECK-LABEL: func.func @f(
// CHECK:         scan.kernel
// CHECK:         return %{{.*}} : tensor<2x1xi32>
func.func @f(%x: tensor<2x2xi32>, %init: tensor<2xi32>) -> tensor<2x1xi32> {
  %c1 = arith.constant 1 : index
  %y = scan.associative ins(%x : tensor<2x2xi32>) init(%init : tensor<2xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<2x2xi32>
  %slice = tensor.extract_slice %y[0, 0] [2, %c1] [1, 1] : tensor<2x2xi32> to tensor<2x?xi32>
  %known = tensor.cast %slice : tensor<2x?xi32> to tensor<2x1xi32>
  return %known : tensor<2x1xi32>
}
