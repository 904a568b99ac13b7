// Results of type bf16 that are subnormal were flushed to zero where LLVM moved
// them with a rounding conversion of the processor (AVX512-BF16). Products of
// 0.5625 pass through the subnormal numbers.
//
// RUN: scan-run %s --input=const:bf16:2x160:0.5625 --target=reference | FileCheck %s
// RUN: scan-run %s --input=const:bf16:2x160:0.5625 --target=cpu | FileCheck %s
// RUN: scan-run %s --input=const:bf16:2x160:0.5625 --target=emulator | FileCheck %s
// CHECK: 5.51e-40, 3.67e-40, 1.84e-40, 9.18e-41]]

func.func @product(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 5>} {
  ^bb0(%acc: bf16, %new: bf16):
    %p = arith.mulf %acc, %new : bf16
    scan.yield %p : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
