// RUN: scan-run %s --input=values:f32:2x3:1,2,3,4,5,6 --input=values:f32:3:10,20,30 --input=values:i32:2:-100,7 --input=const:c64::0 | FileCheck %s
// RUN: scan-run %s --input=values:f32:2x3:1,2,3,4,5,6 --input=values:f32:3:10,20,30 --input=values:i32:2:-100,7 --input=const:c64::0 --target=cpu | FileCheck %s

// Sums by hand: the states are 6 5 3 and 15 11 6.

// CHECK:      result 0: 3xf32
// CHECK-NEXT: [31, 36, 39]
// CHECK-NEXT: result 1: 2xi32
// CHECK-NEXT: [-86, 39]
// CHECK-NEXT: result 2: complex<f32>
// CHECK-NEXT: 46+21j
func.func @by_hand(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %r: tensor<2xi32>, %q: tensor<complex<f32>>) -> (tensor<3xf32>, tensor<2xi32>, tensor<complex<f32>>) {
  %0:3 = scan.kernel dim = 1 reverse
      ins(%x : tensor<2x3xf32>) outs(%s, %r, %q : tensor<3xf32>, tensor<2xi32>, tensor<complex<f32>>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> ()>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        %i = arith.fptosi %in : f32 to i32
        %c = complex.create %in, %e : complex<f32>
        scan.yield %in, %i, %c : f32, i32, complex<f32>
      } -> tensor<3xf32>, tensor<2xi32>, tensor<complex<f32>>
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<2xi32>, tensor<complex<f32>>
}
