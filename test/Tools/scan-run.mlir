// The runner end to end: generators, printing, files, comparison.

// RUN: scan-run %s --entry=cumsum --input=ones:f32:2x5 | FileCheck %s --check-prefix=PRINT
// PRINT: result 0: 2x5xf32
// PRINT-NEXT: {{\[\[}}1, 2, 3, 4, 5],
// PRINT-NEXT: {{^ \[}}1, 2, 3, 4, 5]]

// RUN: rm -rf %t && mkdir %t
// RUN: scan-run %s --entry=affine --input=random:f32:4x3:1 --input ones:f32:4x3 --input=const:f32::1 --input=zeros:f32:4 --output=%t/p.npy --output=%t/h.npy --compare=reference --tolerance=0 | FileCheck %s --check-prefix=TABLE
// TABLE: reference against reference:
// TABLE-NEXT: result  shape    differing  max abs error  max rel error  max ulps
// TABLE-NEXT: 0       4x3xf32          0              0              0         0
// TABLE-NEXT: 1       4x3xf32          0              0              0         0
// RUN: scan-run %s --entry=first --input=%t/h.npy | FileCheck %s --check-prefix=AGAIN
// With i = 1 and j = 0 the last element of the exclusive reverse scan is j.
// AGAIN: result 0: f32
// AGAIN-NEXT: {{^0$}}

func.func @cumsum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @affine(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>, %i: f32, %j: tensor<4xf32>)
    -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %p, %h = scan.associative ins(%a, %b : tensor<4x?xf32>, tensor<4x?xf32>)
      init(%i, %j : f32, tensor<4xf32>) dim = 1 reverse exclusive {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<4x?xf32>, tensor<4x?xf32>
  return %p, %h : tensor<4x?xf32>, tensor<4x?xf32>
}

func.func @first(%x: tensor<4x3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %e = tensor.extract %x[%c0, %c2] : tensor<4x3xf32>
  return %e : f32
}
