// The steps at which walks start, by the interpreter.

// RUN: scan-run %s --entry=flags --input=values:i32:6:0,0,2,2,5,6 | FileCheck %s --check-prefix=FLAGS
// FLAGS:      result 0: 6xi1
// FLAGS-NEXT: [1, 0, 1, 0, 0, 1]
// FLAGS:      result 1: 6xi1
// FLAGS-NEXT: [0, 1, 0, 0, 1, 1]

// The numbers of the segments that start there: of several at a step the one that has it.

// RUN: scan-run %s --entry=numbers --input=values:i32:6:0,0,2,2,5,6 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS:      result 0: 6xi32
// NUMBERS-NEXT: [1, -1, 3, -1, -1, 4]
// NUMBERS:      result 1: 6xi64
// NUMBERS-NEXT: [-1, 1, -1, -1, 3, 4]
func.func @numbers(%s: tensor<6xi32>) -> (tensor<6xi32>, tensor<?xi64>) {
  %n = arith.constant 6 : index
  %0 = scan.head_flags %s : tensor<6xi32> -> tensor<6xi32>
  %1 = scan.head_flags %s extent(%n) reverse : tensor<6xi32> -> tensor<?xi64>
  return %0, %1 : tensor<6xi32>, tensor<?xi64>
}

// Lists that do not cover all steps, or have offsets where there are none.

// RUN: scan-run %s --entry=flags --input=values:i32:6:-4,2,2,3,3,5 | FileCheck %s --check-prefix=SOME
// SOME:      result 0: 6xi1
// SOME-NEXT: [0, 0, 1, 1, 0, 1]
// SOME:      result 1: 6xi1
// SOME-NEXT: [0, 1, 1, 0, 1, 0]
// RUN: scan-run %s --entry=numbers --input=values:i32:6:-4,2,2,3,3,5 | FileCheck %s --check-prefix=SOME-NUMBERS
// SOME-NUMBERS:      result 0: 6xi32
// SOME-NUMBERS-NEXT: [-1, -1, 2, 4, -1, -1]
// SOME-NUMBERS:      result 1: 6xi64
// SOME-NUMBERS-NEXT: [-1, 0, 2, -1, 4, -1]
// RUN: scan-run %s --entry=numbers --input=values:i32:6:1,1,1,3,7,9 | FileCheck %s --check-prefix=LATE
// LATE:      result 0: 6xi32
// LATE-NEXT: [-1, 2, -1, 3, -1, -1]
// LATE:      result 1: 6xi64
// LATE-NEXT: [-1, -1, 2, -1, -1, -1]

// RUN: not scan-run %s --entry=flags --input=values:i32:6:0,0,3,2,5,6 2>&1 | FileCheck %s --check-prefix=DECREASE
// DECREASE: 'scan.head_flags' op starts: expected offsets that do not decrease, found 2 as offset #3 after 3

func.func @flags(%s: tensor<6xi32>) -> (tensor<6xi1>, tensor<?xi1>) {
  %n = arith.constant 6 : index
  %0 = scan.head_flags %s : tensor<6xi32> -> tensor<6xi1>
  %1 = scan.head_flags %s extent(%n) reverse : tensor<6xi32> -> tensor<?xi1>
  return %0, %1 : tensor<6xi1>, tensor<?xi1>
}

// RUN: not scan-run %s --entry=negative --input=values:i32:2:0,6 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: 'scan.head_flags' op expected an extent that is not negative, found -1
func.func @negative(%s: tensor<2xi32>) -> tensor<?xi1> {
  %n = arith.constant -1 : index
  %0 = scan.head_flags %s extent(%n) : tensor<2xi32> -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// Kernels that look segment offsets up against walks segment by segment.

// DEFINE: %{fused} = scan-opt %s --scan-normalize --scan-fuse-segment-offsets -o %t.mlir && FileCheck %s --check-prefix=FUSED --input-file=%t.mlir
// FUSED: segment_offsets = array<i1: false, true>
// RUN: %{fused}
// RUN: scan-run %s --entry=sums --input=random:i32:3x40:1 --input=values:i64:7:0,1,1,1,17,39,40 --output=%t.0.npy --output=%t.1.npy
// RUN: scan-run %t.mlir --entry=sums --input=random:i32:3x40:1 --input=values:i64:7:0,1,1,1,17,39,40 --output=%t.2.npy --output=%t.3.npy
// RUN: cmp %t.0.npy %t.2.npy
// RUN: cmp %t.1.npy %t.3.npy
// RUN: not scan-run %t.mlir --entry=sums --input=random:i32:3x40:1 --input=values:i64:7:0,1,1,9,8,39,40 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: 'scan.kernel' op starts: expected offsets that do not decrease, found 8 as offset #4 after 9

func.func @sums(%x: tensor<3x40xi32>, %s: tensor<?xi64>) -> (tensor<3x40xi32>, tensor<3x40xi32>) {
  %y = scan.associative ins(%x : tensor<3x40xi32>) segments(%s : tensor<?xi64>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<3x40xi32>
  %z = scan.linear_recurrence ins(%x, %y : tensor<3x40xi32>, tensor<3x40xi32>) segments(%s : tensor<?xi64>) dim = 1 reverse -> tensor<3x40xi32>
  return %y, %z : tensor<3x40xi32>, tensor<3x40xi32>
}
