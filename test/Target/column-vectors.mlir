// Neighbouring columns of one thread are read and written at once, 8 bytes of a
// linear recurrence in f32 and in bf16, 16 bytes of a matrix; two bf16 numbers
// stay in one register until they are computed with, in f32. Where addresses do
// not allow it, elements are accessed one by one.
//
// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// CHECK-LABEL: .entry floats_scan0
// CHECK: .maxntid 512
// CHECK-DAG: ld.global.v2.b32
// CHECK-DAG: st.global.v2.b32
// CHECK-DAG: ld.global.b32
// CHECK-DAG: st.global.b32
func.func @floats(%a: tensor<8x16384x1536xf32>, %b: tensor<8x16384x1536xf32>) -> tensor<8x16384x1536xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<8x16384x1536xf32>, tensor<8x16384x1536xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 512, items = 8, lanes = 16, vector = 2>}
      -> tensor<8x16384x1536xf32>
  return %h : tensor<8x16384x1536xf32>
}

// CHECK-LABEL: .entry halves_scan0
// CHECK-NOT: bf16x2
// CHECK-COUNT-8: ld.global.v2.b32
// CHECK-NOT: bf16x2
// CHECK: st.global.v2.b32
// CHECK-NOT: bf16x2
// CHECK: .entry matrices_scan0
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
func.func @halves(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 8, lanes = 16, vector = 4>}
      -> tensor<?x?x?xbf16>
  return %h : tensor<?x?x?xbf16>
}

// A matrix is 16 bytes, even if a thread has one column only.
func.func @matrices(%m: tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32> {
  %p = scan.associative ins(%m : tensor<?x?x2x2xf32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 4, lanes = 8>} {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf32>, tensor<2x2xf32>)
                       outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %c : tensor<2x2xf32>
  } -> tensor<?x?x2x2xf32>
  return %p : tensor<?x?x2x2xf32>
}
