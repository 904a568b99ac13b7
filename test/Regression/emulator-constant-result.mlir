// A result that is a constant of the program was taken for memory that nobody had
// written.
//
// RUN: scan-run %s --entry=zeros --target=emulator --input=ones:i32:2 | FileCheck %s --check-prefix=ZEROS
// RUN: scan-run %s --entry=list --target=emulator --input=ones:i32:2 | FileCheck %s --check-prefix=LIST
// ZEROS: [0, 0]
// LIST: [3, 4]

func.func @zeros(%x: tensor<2xi32>) -> tensor<2xi32> {
  %y = scan.associative ins(%x : tensor<2xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %z = arith.muli %y, %zero : tensor<2xi32>
  return %z : tensor<2xi32>
}

func.func @list(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c = arith.constant dense<[3, 4]> : tensor<2xi32>
  return %c : tensor<2xi32>
}
