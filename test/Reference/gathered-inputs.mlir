// What the interpreter makes of gathered inputs: zeros where places are outside.

// RUN: scan-run %s --entry=sum --input=values:i32:5x2:1,2,3,4,5,6,7,8,9,10 --input=values:i32:3x2:100,200,300,400,500,600 --input=values:i32:5:2,-1,3,0,-7 | FileCheck %s
// CHECK: result 0: 5x2xi32
// CHECK-NEXT: [501, 602
// CHECK-NEXT: [504, 606
// CHECK-NEXT: [509, 612
// CHECK-NEXT: [616, 820
// CHECK-NEXT: [625, 830
func.func @sum(%x: tensor<?x2xi32>, %h: tensor<?x2xi32>, %n: tensor<?xi32>) -> tensor<?x2xi32> {
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : tensor<?x2xi32>
  %y = tensor.empty(%t) : tensor<?x2xi32>
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<?x2xi32>, tensor<?x2xi32>, tensor<?xi32>) outs(%y : tensor<?x2xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: i32, %init: i32, %place: i32):
        %l = arith.addi %e, %init : i32
        scan.yield %l : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %init: i32, %place: i32):
        scan.yield %inclusive : i32
      } -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}
