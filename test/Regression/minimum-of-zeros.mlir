// -0 is less than +0: where minima and maxima had been turned into a comparison
// and a selection, the second of two zeros was taken.
//
// RUN: scan-run %s --entry=least --input=values:f64:4:0,-0,0,1 --target=reference | FileCheck %s --check-prefix=LEAST
// RUN: scan-run %s --entry=least --input=values:f64:4:0,-0,0,1 --target=cpu | FileCheck %s --check-prefix=LEAST
// RUN: scan-run %s --entry=least --input=values:f64:4:0,-0,0,1 --target=emulator | FileCheck %s --check-prefix=LEAST
// LEAST: [0, -0, -0, -0]
//
// RUN: scan-run %s --entry=most --input=values:bf16:4:-0,0,-0,-1 --target=reference | FileCheck %s --check-prefix=MOST
// RUN: scan-run %s --entry=most --input=values:bf16:4:-0,0,-0,-1 --target=cpu | FileCheck %s --check-prefix=MOST
// RUN: scan-run %s --entry=most --input=values:bf16:4:-0,0,-0,-1 --target=emulator | FileCheck %s --check-prefix=MOST
// MOST: [-0, 0, 0, 0]

func.func @least(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = scan.associative ins(%x : tensor<?xf64>) dim = 0 {
  ^bb0(%acc: f64, %new: f64):
    %m = arith.minimumf %acc, %new : f64
    scan.yield %m : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}

func.func @most(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = scan.associative ins(%x : tensor<?xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %m = arith.maximumf %acc, %new : bf16
    scan.yield %m : bf16
  } -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
