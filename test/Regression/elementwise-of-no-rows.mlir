// One operand tells that there are no elements, another one does not: that crashed where
// elementwise operations become vectors.

// RUN: scan-run %s --target=reference --input=values:i32:0x1x1: --input=values:i32:0x1x1: | FileCheck %s
// RUN: scan-run %s --target=cpu --compare=reference --input=values:i32:0x1x1: --input=values:i32:0x1x1: > %t
// CHECK: result 0: 0x1x1xi32

func.func @f(%x0_0: tensor<0x?x?xi32>, %x0_1: tensor<0x?x?xi32>)
    -> (tensor<0x?x?xi32>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x0_1, %c0 : tensor<0x?x?xi32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %x0_1, %c1 : tensor<0x?x?xi32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %x0_1, %c2 : tensor<0x?x?xi32>
  %t0 = tensor.cast %x0_1 : tensor<0x?x?xi32> to tensor<?x?x?xi32>
  %t1 = arith.constant 8 : i32
  %t2 = tensor.splat %t1[%d0, %d1, %d2] : tensor<?x?x?xi32>
  %t3 = arith.xori %t0, %t2 : tensor<?x?x?xi32>
  %t4 = arith.constant 1 : i32
  %t5 = scan.shift %t3 boundary(%t4 : i32) dim = 2 by = 31 : tensor<?x?x?xi32>
  %t6 = scan.linear_recurrence ins(%x0_0, %t5 : tensor<0x?x?xi32>, tensor<?x?x?xi32>) dim = 2 -> tensor<?x?x?xi32>
  %t7 = tensor.cast %t6 : tensor<?x?x?xi32> to tensor<0x?x?xi32>
  return %t7 : tensor<0x?x?xi32>
}
