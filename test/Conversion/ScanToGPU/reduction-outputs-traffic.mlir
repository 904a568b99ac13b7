// How often reduction outputs are added to in memory, and what lanes exchange before, counted by
// the emulator.
//
// 16 totals per step of all 64 columns, which two blocks of 32 lanes have: 2 x 128
// steps x 2 x 16 additions. Every step takes 16 shuffles of a warp.
//
// RUN: scan-run %s --entry=steps --target=emulator --stats --json --input=ones:f32:2x128x64 --input=ones:f32:16 --input=ones:f32:2x128x16 | FileCheck %s --check-prefix=STEPS
// STEPS: "shuffles": 8192,
// STEPS-NEXT: "atomics": 8192
//
// One total per column over batch and time: one addition per column of each of 16
// warps, after one shuffle between the two groups of a warp; the other 256 are the
// scan's, 2 per warp in each of 8 tiles.
//
// RUN: scan-run %s --entry=channels --target=emulator --stats --json --input=ones:f32:2x128x64 --input=ones:f32:64 | FileCheck %s --check-prefix=CHANNELS
// CHANNELS: "shuffles": 272,
// CHANNELS-NEXT: "atomics": 256
//
// One total of all rows: a warp adds up over its lanes, and adds once.
//
// RUN: scan-run %s --entry=rows --target=emulator --stats --json --input=ones:f32:8x256 --input=ones:f32: | FileCheck %s --check-prefix=ROWS
// ROWS: "atomics": 8

func.func @steps(%x: tensor<2x128x64xf32>, %w: tensor<16xf32>, %s: tensor<2x128x16xf32>) -> tensor<2x128x16xf32> {
  %0 = scan.kernel dim = 1 ins(%x, %w : tensor<2x128x64xf32>, tensor<16xf32>) outs(%s : tensor<2x128x16xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> ()>, affine_map<(b, t, c) -> (b, t)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 2, lanes = 32, vector = 1>}
      load {
      ^bb0(%e: f32, %w0: f32, %w1: f32, %w2: f32, %w3: f32, %w4: f32, %w5: f32, %w6: f32, %w7: f32, %w8: f32, %w9: f32, %w10: f32, %w11: f32, %w12: f32, %w13: f32, %w14: f32, %w15: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %w0: f32, %w1: f32, %w2: f32, %w3: f32, %w4: f32, %w5: f32, %w6: f32, %w7: f32, %w8: f32, %w9: f32, %w10: f32, %w11: f32, %w12: f32, %w13: f32, %w14: f32, %w15: f32):
        %p0 = arith.mulf %in, %w0 : f32
        %p1 = arith.mulf %in, %w1 : f32
        %p2 = arith.mulf %in, %w2 : f32
        %p3 = arith.mulf %in, %w3 : f32
        %p4 = arith.mulf %in, %w4 : f32
        %p5 = arith.mulf %in, %w5 : f32
        %p6 = arith.mulf %in, %w6 : f32
        %p7 = arith.mulf %in, %w7 : f32
        %p8 = arith.mulf %in, %w8 : f32
        %p9 = arith.mulf %in, %w9 : f32
        %p10 = arith.mulf %in, %w10 : f32
        %p11 = arith.mulf %in, %w11 : f32
        %p12 = arith.mulf %in, %w12 : f32
        %p13 = arith.mulf %in, %w13 : f32
        %p14 = arith.mulf %in, %w14 : f32
        %p15 = arith.mulf %in, %w15 : f32
        scan.yield %p0, %p1, %p2, %p3, %p4, %p5, %p6, %p7, %p8, %p9, %p10, %p11, %p12, %p13, %p14, %p15 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      } -> tensor<2x128x16xf32>
  return %0 : tensor<2x128x16xf32>
}

func.func @channels(%x: tensor<2x128x64xf32>, %s: tensor<64xf32>) -> tensor<64xf32> {
  %0 = scan.kernel dim = 1 ins(%x : tensor<2x128x64xf32>) outs(%s : tensor<64xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 16, vector = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @rows(%x: tensor<8x256xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = scan.kernel dim = 1 ins(%x : tensor<8x256xf32>) outs(%s : tensor<f32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<f32>
  return %0 : tensor<f32>
}
