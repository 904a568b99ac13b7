// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs | FileCheck %s
// RUN: scan-run %s --input=ones:bf16:2x6 --input=const:bf16:6:256 | FileCheck %s --check-prefix=BEFORE
// RUN: scan-run %s --input=ones:bf16:2x6 --input=const:bf16:6:256 --target=cpu | FileCheck %s --check-prefix=AFTER

// Sums of bf16 are added up in f32: 256 + 1 is 256 in bf16, and 256 + 2 is not.
// BEFORE: [256, 256, 256, 256, 256, 256]
// AFTER: [258, 258, 258, 258, 258, 258]

// Rounded once, at the end.
// CHECK-LABEL: func @narrow
// CHECK-SAME:    (%{{.*}}, %[[START:.+]]: tensor<6xbf16>)
// CHECK:         %[[WIDE:.+]] = arith.extf %[[START]] : tensor<6xbf16> to tensor<6xf32>
// CHECK:         %[[K:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins({{.*}}) outs(%[[WIDE]] : tensor<6xf32>)
// CHECK:         %[[R:.+]] = arith.truncf %[[K]] : tensor<6xf32> to tensor<6xbf16>
// CHECK:         return %[[R]]
func.func @narrow(%x: tensor<?x6xbf16>, %start: tensor<6xbf16>) -> tensor<6xbf16> {
  %h = scan.associative ins(%x : tensor<?x6xbf16>) dim = 0 {
  ^bb0(%a: bf16, %n: bf16):
    %s = arith.maximumf %a, %n : bf16
    scan.yield %s : bf16
  } -> tensor<?x6xbf16>
  %s = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<?x6xbf16>) outs(%start : tensor<6xbf16>) dimensions = [0]
  return %s : tensor<6xbf16>
}
