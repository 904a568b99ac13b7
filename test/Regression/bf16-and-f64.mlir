// Conversions between bf16 and f64 did not compile: upstream expands only those
// from and to f32. On the way there a number must be rounded once: of the first
// two, the one above the middle of two neighbours rounds up, the middle to even.
//
// DEFINE: %{inputs} = --input=values:f64:10:1.00390625000001,1.00390625,-1.01171874999999,-1.01171875,3.5e38,3.38953139e38,1e-45,9.3e-41,nan,-inf --input=values:bf16:4:1.5,-0,inf,nan
// RUN: scan-run %s --target=reference %{inputs} | FileCheck %s
// RUN: scan-run %s --target=cpu %{inputs} | FileCheck %s
// RUN: scan-run %s --target=emulator %{inputs} | FileCheck %s
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --input=random:f64:5000:1:-3:3 --input=random:bf16:5000:2

// CHECK:      result 0: 10xbf16
// CHECK-NEXT: {{^}}[1.01, 1, -1.01, -1.02, inf, 3.39e+38, 0, 9.18e-41, nan, -inf]
// CHECK:      result 1: 4xf64
// CHECK-NEXT: {{^}}[1.5, -0, inf, nan]
func.func @f(%x: tensor<?xf64>, %y: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xf64>) {
  %a = arith.truncf %x : tensor<?xf64> to tensor<?xbf16>
  %b = arith.extf %y : tensor<?xbf16> to tensor<?xf64>
  return %a, %b : tensor<?xbf16>, tensor<?xf64>
}
