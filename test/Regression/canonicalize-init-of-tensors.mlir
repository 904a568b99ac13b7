// Whether the init is the identity was asked for leaves of small tensors as well,
// where the answer was a crash.
//
// RUN: scan-opt %s --canonicalize | FileCheck %s
// RUN: scan-run %s --entry=sum --target=reference --input=ones:f32:3x2 --input=values:f32:2:0,1 | FileCheck %s --check-prefix=NUMBERS
// RUN: scan-run %s --entry=sum --target=cpu --input=ones:f32:3x2 --input=values:f32:2:0,1 | FileCheck %s --check-prefix=NUMBERS
// RUN: scan-run %s --entry=sum --target=emulator --input=ones:f32:3x2 --input=values:f32:2:0,1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS{LITERAL}: [[1, 2],
// NUMBERS-NEXT: [2, 3],
// NUMBERS-NEXT{LITERAL}: [3, 4]]

// CHECK-LABEL: func.func @sum(
// CHECK: init(
func.func @sum(%x: tensor<?x2xf32>, %i: tensor<2xf32>) -> tensor<?x2xf32> {
  %y = scan.associative ins(%x : tensor<?x2xf32>) init(%i : tensor<2xf32>) dim = 0 {
  ^bb0(%acc: tensor<2xf32>, %new: tensor<2xf32>):
    %s = arith.addf %acc, %new : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @least(
// CHECK: init(
func.func @least(%x: tensor<?x2xf16>) -> tensor<?x2xf16> {
  %i = arith.constant dense<0x7C00> : tensor<2xf16>
  %y = scan.associative ins(%x : tensor<?x2xf16>) init(%i : tensor<2xf16>) dim = 0 {
  ^bb0(%acc: tensor<2xf16>, %new: tensor<2xf16>):
    %s = arith.minimumf %acc, %new : tensor<2xf16>
    scan.yield %s : tensor<2xf16>
  } -> tensor<?x2xf16>
  return %y : tensor<?x2xf16>
}
