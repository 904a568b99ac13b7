// Kernels with variants whose extents are constants although their types leave
// them open, and kernels without elements, for which all times are the same.

// RUN: scan-translate --scan-to-ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// CHECK-DAG: .visible .entry empty_rows_scan0
// CHECK-DAG: .visible .entry empty_sums_scan0
// CHECK-DAG: .visible .entry matrices_scan0
// CHECK-DAG: .visible .entry columns_scan0
// RUN: scan-run %s --entry=empty_rows --target=emulator --compare=reference --tolerance=0 --input=zeros:f32:3x0 --input=zeros:f32:3x0
// RUN: scan-run %s --entry=empty_sums --target=emulator --compare=reference --tolerance=0 --input=zeros:i32:3x0
// RUN: scan-run %s --entry=matrices --target=emulator --compare=reference --tolerance=0 --input=random:i32:1x1x2x2:1
// RUN: scan-run %s --entry=columns --target=emulator --compare=reference --tolerance=0 --input=zeros:i32:0x5x3

func.func @empty_rows(%a: tensor<?x0xf32>, %b: tensor<?x0xf32>) -> tensor<?x0xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x0xf32>, tensor<?x0xf32>) dim = 0 -> tensor<?x0xf32>
  return %h : tensor<?x0xf32>
}

func.func @empty_sums(%x: tensor<?x0xi32>) -> tensor<?x0xi32> {
  %y = scan.associative ins(%x : tensor<?x0xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x0xi32>
  return %y : tensor<?x0xi32>
}

func.func @columns(%x: tensor<0x?x?xi32>) -> tensor<0x?x?xi32> {
  %y = scan.associative ins(%x : tensor<0x?x?xi32>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<0x?x?xi32>
  return %y : tensor<0x?x?xi32>
}

func.func @matrices(%x: tensor<?x1x?x?xi32>) -> tensor<?x2x2xi32> {
  %m = tensor.cast %x : tensor<?x1x?x?xi32> to tensor<?x?x2x2xi32>
  %y, %last = scan.associative ins(%m : tensor<?x?x2x2xi32>) dim = 1 {
  ^bb0(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %c = linalg.matmul ins(%a, %b : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %c : tensor<2x2xi32>
  } -> tensor<?x?x2x2xi32>, tensor<?x2x2xi32>
  return %last : tensor<?x2x2xi32>
}
