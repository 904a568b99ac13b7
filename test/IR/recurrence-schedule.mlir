// RUN: scan-opt %s | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s

// CHECK-LABEL: func.func @schedules
// CHECK:         attributes {scan.loops = #scan.loops<unroll = 4>}
// CHECK:           {scan.stage = #scan.stage<inside>}
// CHECK:           {scan.stage = #scan.stage<split = [0, 32], vector = 8>}
// CHECK:           {scan.stage = #scan.stage<vector = 2>}
// CHECK:           {scan.stage = #scan.stage<>}
// CHECK:         attributes {scan.loops = #scan.loops<>}
func.func @schedules(%x: tensor<?x4x40xf32>, %i: tensor<1x4x40xf32>) -> tensor<?x4x40xf32> {
  %h = scan.recurrence ins(%x : tensor<?x4x40xf32>) init(%i : tensor<1x4x40xf32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 4>} {
  ^bb0(%t: index, %h1: tensor<4x40xf32>, %row: tensor<4x40xf32>):
    %0 = arith.addf %h1, %h1 {scan.stage = #scan.stage<inside>} : tensor<4x40xf32>
    %1 = arith.addf %0, %row {scan.stage = #scan.stage<vector = 8, split = [0, 32]>} : tensor<4x40xf32>
    %2 = arith.addf %1, %row {scan.stage = #scan.stage<vector = 2>} : tensor<4x40xf32>
    %3 = arith.addf %2, %row {scan.stage = #scan.stage<>} : tensor<4x40xf32>
    scan.yield %3 : tensor<4x40xf32>
  } -> tensor<?x4x40xf32>
  %g = scan.recurrence ins(%x : tensor<?x4x40xf32>) init(%i : tensor<1x4x40xf32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 1>} {
  ^bb0(%t: index, %h1: tensor<4x40xf32>, %row: tensor<4x40xf32>):
    scan.yield %row : tensor<4x40xf32>
  } -> tensor<?x4x40xf32>
  return %h : tensor<?x4x40xf32>
}
