// RUN: scan-opt %s --scan-to-fused=target=gpu | scan-opt - -o /dev/null --scan-explain=chip=sm_90 | FileCheck %s

// Long scans side by side that are too few for a block of columns on each multiprocessor: tiles
// of the grid, of which a multiprocessor has two at a time.
// CHECK-LABEL: @long
// CHECK: column, threads = 256, items = 16, lanes = 16, vector = 2, scope = grid
func.func @long(%a: tensor<65536x2048xf32>, %b: tensor<65536x2048xf32>) -> tensor<65536x2048xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<65536x2048xf32>, tensor<65536x2048xf32>) dim = 0
      -> tensor<65536x2048xf32>
  return %h : tensor<65536x2048xf32>
}

// Blocks that share the steps of packed sequences need not look back.
// CHECK-LABEL: @packed
// CHECK: column, threads = 256, items = 8, lanes = 16, vector = 4, blocks = 4; chosen
func.func @packed(%a: tensor<65536x2048xf32>, %b: tensor<65536x2048xf32>, %offsets: tensor<?xi32>)
    -> tensor<65536x2048xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<65536x2048xf32>, tensor<65536x2048xf32>)
      segments(%offsets : tensor<?xi32>) dim = 0 -> tensor<65536x2048xf32>
  return %h : tensor<65536x2048xf32>
}

// Of narrow elements, blocks that walk whole columns are as fast.
// CHECK-LABEL: @narrow
// CHECK: column, threads = 512, items = 16, lanes = 8, vector = 2; chosen
func.func @narrow(%a: tensor<65536x2048xbf16>, %b: tensor<65536x2048xbf16>) -> tensor<65536x2048xbf16> {
  %wa = arith.extf %a : tensor<65536x2048xbf16> to tensor<65536x2048xf32>
  %wb = arith.extf %b : tensor<65536x2048xbf16> to tensor<65536x2048xf32>
  %h = scan.linear_recurrence ins(%wa, %wb : tensor<65536x2048xf32>, tensor<65536x2048xf32>) dim = 0
      -> tensor<65536x2048xf32>
  %narrow = arith.truncf %h : tensor<65536x2048xf32> to tensor<65536x2048xbf16>
  return %narrow : tensor<65536x2048xbf16>
}
