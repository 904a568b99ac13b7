// RUN: scan-opt %s --scan-fast-math | FileCheck %s

// Flags that are there stay; integers and comparisons have none.

// CHECK-LABEL: func.func @flags(
// CHECK: math.exp %{{.*}} fastmath<arcp,contract,afn> : tensor<8x16xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,arcp,contract,afn> : f32
// CHECK: arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: scan.yield
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp,contract,afn> : tensor<8x16xf32>
func.func @flags(%x: tensor<8x16xf32>, %n: tensor<8x16xi32>)
    -> (tensor<8x16xf32>, tensor<8x16xi32>) {
  %e = math.exp %x : tensor<8x16xf32>
  %y:2 = scan.associative ins(%e, %n : tensor<8x16xf32>, tensor<8x16xi32>) dim = 1 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %sum = arith.addf %a, %b fastmath<reassoc> : f32
    %greater = arith.cmpf ogt, %b, %a : f32
    %max = arith.select %greater, %sum, %a : f32
    %count = arith.addi %i, %j : i32
    scan.yield %max, %count : f32, i32
  } -> tensor<8x16xf32>, tensor<8x16xi32>
  %d = arith.divf %y#0, %x : tensor<8x16xf32>
  return %d, %y#1 : tensor<8x16xf32>, tensor<8x16xi32>
}
