// What scans over segments move: offsets, and states of segments, once; flags as they
// are indexed.

// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s

// 8x16 elements twice, 3x16 inits and 4 offsets; 8x16 results and 3x16 states.
// CHECK-LABEL: @offsets bytes read bytes written
// CHECK-NEXT: scan.linear_recurrence {{.*}} 1232 704
// CHECK-NEXT: total 1 operation 1232 704
func.func @offsets(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %i: tensor<3x16xf32>, %s: tensor<4xi32>) -> (tensor<8x16xf32>, tensor<3x16xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32>) init(%i : tensor<3x16xf32>)
      segments(%s : tensor<4xi32>) dim = 0 -> tensor<8x16xf32>, tensor<3x16xf32>
  return %h, %last : tensor<8x16xf32>, tensor<3x16xf32>
}

// CHECK-LABEL: @flags bytes read bytes written
// CHECK-NEXT: scan.linear_recurrence {{.*}} 1032 512
func.func @flags(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %s: tensor<8x1xi1>) -> tensor<8x16xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32>) segments(%s : tensor<8x1xi1>) dim = 0 -> tensor<8x16xf32>
  return %h : tensor<8x16xf32>
}

// Of a gathered input all that there is, however many steps there are: 8x16 elements,
// 3x16 inits and 8 places.
// CHECK-LABEL: @gathered bytes read bytes written
// CHECK-NEXT: scan.kernel {{.*}} 736 512
func.func @gathered(%x: tensor<8x16xf32>, %h: tensor<3x16xf32>, %n: tensor<8xi32>) -> tensor<8x16xf32> {
  %y = tensor.empty() : tensor<8x16xf32>
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x16xf32>, tensor<3x16xf32>, tensor<8xi32>) outs(%y : tensor<8x16xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
