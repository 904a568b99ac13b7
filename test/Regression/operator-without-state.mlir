// An operator that does not look at what comes before it leaves no state to
// carry, of which the time of no schedule follows.

// RUN: scan-translate --scan-to-ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// CHECK: .visible .entry f_scan0
// RUN: scan-run %s --entry=f --target=emulator --compare=reference --tolerance=0 --input=random:i32:3x37:1 --input=random:i32:3:2

func.func @f(%x: tensor<?x?xi32>, %init: tensor<?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) init(%init : tensor<?xi32>) dim = 1 reverse {
  ^bb0(%acc: i32, %new: i32):
    %own = scan.clone %new : i32
    scan.yield %own : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
