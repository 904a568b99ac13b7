// Each operation on bf16 rounds its result. Upstream's emulation in f32 marks its
// conversions `contract`, by which the rounding between the two sums was lost:
// -0.112 instead of -0.109.
//
// RUN: scan-run %s --input=const:bf16:4:0.0126 --target=reference | FileCheck %s
// RUN: scan-run %s --input=const:bf16:4:0.0126 --target=cpu | FileCheck %s
// RUN: scan-run %s --input=const:bf16:4:0.0126 --target=emulator | FileCheck %s
// CHECK: [-0.109, -0.109, -0.109, -0.109]

func.func @f(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %low = arith.constant dense<-1.5> : tensor<4xbf16>
  %high = arith.constant dense<1.375> : tensor<4xbf16>
  %a = arith.addf %x, %low : tensor<4xbf16>
  %y = scan.associative ins(%a : tensor<4xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %n = scan.clone %new : bf16
    scan.yield %n : bf16
  } -> tensor<4xbf16>
  %b = arith.addf %y, %high : tensor<4xbf16>
  return %b : tensor<4xbf16>
}
