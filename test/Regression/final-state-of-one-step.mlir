// RUN: scan-opt %s --canonicalize | FileCheck %s
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --input=random:i32:1x3x1x2:1
// RUN: scan-opt %s --canonicalize -o %t.mlir
// RUN: scan-run %t.mlir --entry=recurrence --input=random:i32:1x3x1x2:1 > %t.after
// RUN: scan-run %s --entry=recurrence --input=random:i32:1x3x1x2:1 | diff - %t.after
// RUN: scan-run %t.mlir --entry=scan --input=random:f32:2x1x1:1 --input=random:i8:2x1x1:2 > %t.after
// RUN: scan-run %s --entry=scan --input=random:f32:2x1x1:1 --input=random:i8:2x1x1:2 | diff - %t.after

// The final state of a scan over one step is its input without that dimension, also
// where another extent turns out to be 1. Which one is dropped must not be left open.

// CHECK-LABEL: func.func @recurrence(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] : tensor<1x3x1x2xi32> into tensor<1x3x2xi32>
// CHECK-NEXT:    return
func.func @recurrence(%x: tensor<1x3x1x2xi32>) -> tensor<1x3x2xi32> {
  %c = tensor.cast %x : tensor<1x3x1x2xi32> to tensor<?x?x1x?xi32>
  %r, %last = scan.linear_recurrence ins(%c, %c : tensor<?x?x1x?xi32>, tensor<?x?x1x?xi32>) dim = 2 -> tensor<?x?x1x?xi32>, tensor<?x?x?xi32>
  %f = tensor.cast %last : tensor<?x?x?xi32> to tensor<1x3x2xi32>
  return %f : tensor<1x3x2xi32>
}

// Only one of the leaves shows the extent; below, no other dimension is left.

// CHECK-LABEL: func.func @scan(
// CHECK-NOT:     scan.associative
// CHECK:         return
func.func @scan(%x: tensor<2x1x1xf32>, %y: tensor<2x1x1xi8>) -> (tensor<2x1xf32>, tensor<2x?xi8>) {
  %c = tensor.cast %x : tensor<2x1x1xf32> to tensor<?x1x?xf32>
  %d = tensor.cast %y : tensor<2x1x1xi8> to tensor<2x?x?xi8>
  %r:4 = scan.associative ins(%c, %d : tensor<?x1x?xf32>, tensor<2x?x?xi8>) dim = 1 reverse {
  ^bb0(%a: f32, %k: i8, %b: f32, %l: i8):
    %s = arith.addf %a, %b : f32
    %m = arith.addi %k, %l : i8
    scan.yield %s, %m : f32, i8
  } -> tensor<?x1x?xf32>, tensor<2x?x?xi8>, tensor<?x?xf32>, tensor<2x?xi8>
  %f = tensor.cast %r#2 : tensor<?x?xf32> to tensor<2x1xf32>
  return %f, %r#3 : tensor<2x1xf32>, tensor<2x?xi8>
}

// CHECK-LABEL: func.func @alone(
// CHECK:         tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
func.func @alone(%x: tensor<1xf32>) -> tensor<f32> {
  %r:2 = scan.associative ins(%x : tensor<1xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<1xf32>, tensor<f32>
  return %r#1 : tensor<f32>
}

// CHECK-LABEL: func.func @first(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<1x?x3xf32> into tensor<?x3xf32>
func.func @first(%x: tensor<1x?x3xf32>) -> tensor<?x3xf32> {
  %r:2 = scan.associative ins(%x : tensor<1x?x3xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<1x?x3xf32>, tensor<?x3xf32>
  return %r#1 : tensor<?x3xf32>
}
