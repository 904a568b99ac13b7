// Time first, rows and channels behind it: addresses of the steps are one pointer per
// operand that grows by a stride, and do not fill the registers of a thread. What the
// schedule for usual extents makes assembles without spills; of several schedules, those
// too in which no thread keeps the states of 64 steps and more.

// REQUIRES: ptxas
// RUN: scan-translate --scan-to-ptx %s --chip=sm_80 --dispatch=false --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s
// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 --dispatch=false --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s
// RUN: scan-translate --scan-to-ptx %s --chip=sm_120 --dispatch=false --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s
// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefix=VARIANTS

// CHECK: kernel registers spill bytes
// CHECK-DAG: {{^}}sum_bf16_scan0 {{[0-9]+}} 0
// CHECK-DAG: {{^}}recurrence_bf16_scan0 {{[0-9]+}} 0
// CHECK-DAG: {{^}}recurrence_f32_scan0 {{[0-9]+}} 0
// CHECK-DAG: {{^}}reverse_f32_scan0 {{[0-9]+}} 0

// VARIANTS: kernel registers spill bytes
// VARIANTS-NOT: {{^(sum_bf16|recurrence_f32|reverse_f32)_scan[0-9]+ [0-9]+ [1-9]}}

func.func @sum_bf16(%x: tensor<?x?x512xbf16>) -> tensor<?x?x512xbf16> {
  %y = scan.associative ins(%x : tensor<?x?x512xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<?x?x512xbf16>
  return %y : tensor<?x?x512xbf16>
}

func.func @recurrence_bf16(%a: tensor<?x?x512xbf16>, %b: tensor<?x?x512xbf16>) -> tensor<?x?x512xbf16> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x512xbf16>, tensor<?x?x512xbf16>) dim = 0 -> tensor<?x?x512xbf16>
  return %h : tensor<?x?x512xbf16>
}

func.func @recurrence_f32(%a: tensor<?x?x512xf32>, %b: tensor<?x?x512xf32>) -> tensor<?x?x512xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x512xf32>, tensor<?x?x512xf32>) dim = 0 -> tensor<?x?x512xf32>
  return %h : tensor<?x?x512xf32>
}

func.func @reverse_f32(%a: tensor<?x?x512xf32>, %b: tensor<?x?x512xf32>) -> tensor<?x?x512xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x512xf32>, tensor<?x?x512xf32>) dim = 0 reverse -> tensor<?x?x512xf32>
  return %h : tensor<?x?x512xf32>
}
