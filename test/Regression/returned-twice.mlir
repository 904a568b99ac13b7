// A function that returns one array twice: its caller writes to one of the results, and
// the other stays as it is.
// RUN: scan-run %s --target=reference --entry=twice --input=ones:f32:3 --input=zeros:f32: | FileCheck %s
// RUN: scan-run %s --target=cpu --check-memory --entry=twice --input=ones:f32:3 --input=zeros:f32: | FileCheck %s
// RUN: scan-run %s --target=emulator --entry=twice --input=ones:f32:3 --input=zeros:f32: | FileCheck %s
// RUN: scan-run %s --target=reference --entry=part --input=ones:f32:3 --input=zeros:f32: | FileCheck %s --check-prefix=PART
// RUN: scan-run %s --target=cpu --check-memory --entry=part --input=ones:f32:3 --input=zeros:f32: | FileCheck %s --check-prefix=PART

// CHECK:      result 0: 3xf32
// CHECK-NEXT: [0, 2, 3]
// CHECK-NEXT: result 1: 3xf32
// CHECK-NEXT: [1, 2, 3]
func.func private @sums_twice(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = scan.associative ins(%a : tensor<?xf32>) dim = 0 {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %r, %r : tensor<?xf32>, tensor<?xf32>
}
func.func @twice(%a: tensor<?xf32>, %x: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %0:2 = call @sums_twice(%a) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %1 = tensor.insert %x into %0#0[%c0] : tensor<?xf32>
  return %1, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// Likewise an array and a slice of it.
// PART:      result 0: 3xf32
// PART-NEXT: [1, 2, 3]
// PART-NEXT: result 1: 2xf32
// PART-NEXT: [0, 3]
func.func private @sums_and_tail(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %r = scan.associative ins(%a : tensor<3xf32>) dim = 0 {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    scan.yield %s : f32
  } -> tensor<3xf32>
  %t = tensor.extract_slice %r[1] [2] [1] : tensor<3xf32> to tensor<2xf32>
  return %r, %t : tensor<3xf32>, tensor<2xf32>
}
func.func @part(%a: tensor<3xf32>, %x: f32) -> (tensor<3xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %0:2 = call @sums_and_tail(%a) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  %1 = tensor.insert %x into %0#1[%c0] : tensor<2xf32>
  return %0#0, %1 : tensor<3xf32>, tensor<2xf32>
}
