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
