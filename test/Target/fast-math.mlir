// Fast instructions in place of functions and divisions, where they are allowed.

// RUN: scan-translate --scan-to-ptx %s --fast-math | FileCheck %s --check-prefix=FAST --implicit-check-not=div.rn
// RUN: scan-opt --scan-fast-math %s | scan-translate --scan-to-ptx | FileCheck %s --check-prefix=FAST --implicit-check-not=div.rn
// RUN: scan-translate --scan-to-ptx %s | FileCheck %s --check-prefix=EXACT --implicit-check-not=lg2.approx --implicit-check-not=div.approx

// FAST-DAG: lg2.approx.f32
// FAST-DAG: ex2.approx.ftz.f32
// FAST-DAG: div.approx.f32
// EXACT-DAG: ex2.approx.ftz.f32
// EXACT-DAG: div.rn.f32

// The reference stays accurate; the bounds are those that the pass documents,
// for arguments of magnitude 4 at most, and some for the sums.

// RUN: scan-run %s --fast-math --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:8x100:1:0.1:4 > %t
// RUN: scan-run %s --fast-math --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:8x100:1:0.1:4 > %t

func.func @f(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %e = math.exp %x : tensor<8x?xf32>
  %l = math.log %x : tensor<8x?xf32>
  %d = arith.divf %l, %e : tensor<8x?xf32>
  %y = scan.associative ins(%d : tensor<8x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}
