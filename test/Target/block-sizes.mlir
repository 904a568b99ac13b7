// Told the size of blocks, ptxas spills a few registers to make room for one block more.
// Small blocks, which can be launched whatever registers a thread takes, are not told; a
// persistent kernel says that one block is enough, as does a large one over the grid, and one
// that is planned to take more than half of the registers.

// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// CHECK-LABEL: .entry small_scan0
// CHECK-NOT: .maxntid
// CHECK-NOT: .minnctapersm
// CHECK: {
func.func @small(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = scan.associative ins(%x : tensor<64x4096xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 8>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// CHECK-LABEL: .entry large_scan0
// CHECK: .maxntid 512
// CHECK-NOT: .minnctapersm
// CHECK: {
func.func @large(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = scan.associative ins(%x : tensor<64x4096xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 512, items = 8>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// CHECK-LABEL: .entry large_grid_scan0
// CHECK: .maxntid 512
// CHECK: .minnctapersm 1
func.func @large_grid(%x: tensor<2x65536xf32>) -> tensor<2x65536xf32> {
  %y = scan.associative ins(%x : tensor<2x65536xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 512, items = 8, scope = grid>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<2x65536xf32>
  return %y : tensor<2x65536xf32>
}

// CHECK-LABEL: .entry persistent_scan0
// CHECK: .maxntid 256
// CHECK: .minnctapersm 1
func.func @persistent(%x: tensor<2x65536xf32>) -> tensor<2x65536xf32> {
  %y = scan.associative ins(%x : tensor<2x65536xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 8, scope = grid, blocks = 132>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<2x65536xf32>
  return %y : tensor<2x65536xf32>
}

// CHECK-LABEL: .entry large_column_scan0
// CHECK: .maxntid 512
// CHECK: .minnctapersm 1
func.func @large_column(%a: tensor<2x4096x64xf32>, %b: tensor<2x4096x64xf32>) -> tensor<2x4096x64xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x4096x64xf32>, tensor<2x4096x64xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 512, items = 16, lanes = 8>} -> tensor<2x4096x64xf32>
  return %h : tensor<2x4096x64xf32>
}
