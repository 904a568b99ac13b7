// RUN: scan-translate --scan-to-ptx --chip=sm_90 %s | FileCheck %s
// RUN: scan-translate --scan-to-ptx --chip=sm_80 %s | FileCheck %s --check-prefix=OLD

// The maximum with zero of a running maximum of i16 is taken in 32 bits on sm_90: ptxas 13.0
// loses it in 16 bits, for two columns of a thread, where it is stored and compared further.
// CHECK-LABEL: .entry clamped_scan0(
// CHECK-NOT:     max.s16 {{.*}}, 0;
// CHECK:         max.s32 {{.*}}, 0;
// CHECK-NOT:     max.s16 {{.*}}, 0;
// OLD-LABEL: .entry clamped_scan0(
// OLD-NOT:     max.s32
// OLD:         max.s16 {{.*}}, 0;
func.func @clamped(%x: tensor<?x?xi16>, %init: i16) -> tensor<?x?xi16> {
  %y = scan.associative ins(%x : tensor<?x?xi16>) init(%init : i16) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = column, threads = 256, items = 8, lanes = 8, vector = 2>} {
  ^bb0(%a: i16, %b: i16):
    %max = arith.maxsi %a, %b : i16
    scan.yield %max : i16
  } -> tensor<?x?xi16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi16>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xi16>
  %c = arith.constant 0 : i16
  %zeros = tensor.splat %c[%d0, %d1] : tensor<?x?xi16>
  %clamped = arith.maxsi %y, %zeros : tensor<?x?xi16>
  return %clamped : tensor<?x?xi16>
}
