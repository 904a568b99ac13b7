// RUN: scan-translate --scan-to-ptx --chip=sm_80 %s | FileCheck %s
// RUN: scan-translate --scan-to-ptx --chip=sm_75 %s | FileCheck %s --check-prefix=OLD

// A state of bf16 that the next step reads as f32 is rounded with zero as the other half of a
// pair, whose bits are the extended number. Its upper half is stored. The state behind the last
// step of a chunk is not extended there.
// CHECK-LABEL: .entry narrow_scan0(
// CHECK:         mov.b32 [[ZERO:%r[0-9]+]], 0f00000000
// CHECK:         cvt.rn.bf16x2.f32 [[A:%r[0-9]+]], %r{{[0-9]+}}, [[ZERO]]
// CHECK:         mul{{.*}}.f32 {{.*}}[[A]]
// CHECK:         cvt.rn.bf16.f32
// OLD-NOT:     bf16x2
func.func @narrow(%x: tensor<?x?xbf16>, %init: tensor<1x?xbf16>) -> tensor<?x?xbf16> {
  %h = scan.recurrence ins(%x : tensor<?x?xbf16>) init(%init : tensor<1x?xbf16>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64, items = 2>} {
  ^bb0(%t: index, %h1: tensor<?xbf16>, %row: tensor<?xbf16>):
    %next = linalg.map ins(%h1, %row : tensor<?xbf16>, tensor<?xbf16>) outs(%row : tensor<?xbf16>) (%a: bf16, %b: bf16, %out: bf16) {
      %wa = arith.extf %a : bf16 to f32
      %wb = arith.extf %b : bf16 to f32
      %square = arith.mulf %wa, %wa : f32
      %sum = arith.addf %square, %wb : f32
      %narrow = arith.truncf %sum : f32 to bf16
      linalg.yield %narrow : bf16
    }
    scan.yield %next : tensor<?xbf16>
  } -> tensor<?x?xbf16>
  return %h : tensor<?x?xbf16>
}
