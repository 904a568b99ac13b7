// A loop that writes a row at a place computed of its index, and reads the rows before
// it: the row before the first step is not read at the place of a step, which there is
// none of in front of the loop.

// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s
// RUN: scan-run %s --entry=fibonacci --target=cpu --compare=reference --tolerance=0 --input=const:index::0
// RUN: scan-run %s --entry=fibonacci --target=cpu --compare=reference --tolerance=0 --input=const:index::1
// RUN: scan-run %s --entry=fibonacci --target=cpu --compare=reference --tolerance=0 --input=const:index::90
// RUN: scan-run %s --entry=backwards --target=cpu --compare=reference --tolerance=0 --input=random:i32:4x9:1 --input=random:i32:4x1:2
// RUN: scan-run %s --entry=backwards --target=cpu --compare=reference --tolerance=0 --input=random:i32:4x9:3 --input=random:i32:4x1:4

// CHECK-LABEL: func.func @fibonacci
func.func @fibonacci(%n: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant dense<[0, 1]> : tensor<2xi64>
  %count = arith.addi %n, %c2 : index
  %empty = tensor.empty(%count) : tensor<?xi64>
  %start = tensor.insert_slice %init into %empty[0] [2] [1] : tensor<2xi64> into tensor<?xi64>
  %f = scf.for %t = %c0 to %n step %c1 iter_args(%rows = %start) -> (tensor<?xi64>) {
    %at1 = arith.addi %t, %c1 : index
    %f1 = tensor.extract %rows[%at1] : tensor<?xi64>
    %f2 = tensor.extract %rows[%t] : tensor<?xi64>
    %sum = arith.addi %f1, %f2 : i64
    %at2 = arith.addi %t, %c2 : index
    %next = tensor.insert %sum into %rows[%at2] : tensor<?xi64>
    scf.yield %next : tensor<?xi64>
  }
  return %f : tensor<?xi64>
}

// CHECK-LABEL: func.func @backwards
func.func @backwards(%x: tensor<4x9xi32>, %init: tensor<4x1xi32>) -> tensor<4x10xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %empty = tensor.empty() : tensor<4x10xi32>
  %start = tensor.insert_slice %init into %empty[0, 9] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x10xi32>
  %h = scf.for %s = %c0 to %c9 step %c1 iter_args(%rows = %start) -> (tensor<4x10xi32>) {
    %t = arith.subi %c8, %s : index
    %at = arith.addi %t, %c1 : index
    %h1 = tensor.extract_slice %rows[0, %at] [4, 1] [1, 1] : tensor<4x10xi32> to tensor<4xi32>
    %row = tensor.extract_slice %x[0, %t] [4, 1] [1, 1] : tensor<4x9xi32> to tensor<4xi32>
    %next = arith.subi %row, %h1 : tensor<4xi32>
    %after = tensor.insert_slice %next into %rows[0, %t] [4, 1] [1, 1] : tensor<4xi32> into tensor<4x10xi32>
    scf.yield %after : tensor<4x10xi32>
  }
  return %h : tensor<4x10xi32>
}
