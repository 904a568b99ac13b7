// A scalar scatter into a full tensor: M*N*4 + M*8 bytes once it is a selection;
// as a scatter, what it touches is read and written as well, and a destination
// that is not its own is copied. [M, N] = [64, 128], 64-bit indices.

// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s
// RUN: scan-opt %s --scan-scatter-to-select --scan-print-traffic -o /dev/null | FileCheck %s --check-prefix=SELECT

// 64*8 of indices, 64*4 touched.
// CHECK-LABEL: @full
// CHECK-NEXT: linalg.fill {{.*}} 0 32768
// CHECK-NEXT: scan.scatter {{.*}} 768 256
// SELECT-LABEL: @full
// SELECT-NEXT: linalg.generic {{.*}} 512 32768
// SELECT-NEXT: total 1 operation 512 32768
// SELECT-NEXT: compulsory 512 32768
func.func @full(%index: tensor<64x1xi64>, %value: f32) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %r = scan.scatter %value into %fill at %index dim = 1 : f32 into tensor<64x128xf32> at tensor<64x1xi64>
  return %r : tensor<64x128xf32>
}

// An argument is copied first, and the source of several elements is read.
// CHECK-LABEL: @stays
// CHECK-NEXT: scan.scatter {{.*}} 33536 33024
// SELECT-LABEL: @stays
// SELECT-NEXT: scan.scatter {{.*}} 33536 33024
func.func @stays(%dest: tensor<64x128xf32>, %index: tensor<64x1xi64>, %x: tensor<64x1xf32>) -> tensor<64x128xf32> {
  %r = scan.scatter %x into %dest at %index dim = 1 : tensor<64x1xf32> into tensor<64x128xf32> at tensor<64x1xi64>
  return %r : tensor<64x128xf32>
}
