// Kernels on tensors, fused with what is around them. Scans in opposite
// directions become one kernel on a GPU for rows that fit a block. A sum over
// states is fused if a thread can hold them.

// RUN: scan-opt %s --scan-to-fused | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: scan-opt %s --scan-to-fused=target=cpu | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: scan-opt %s --scan-to-fused=max-state-bytes=0 | FileCheck %s --check-prefix=APART
// RUN: not scan-opt %s --scan-to-fused=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: scan-opt %s --scan-to-fused --scan-print-traffic -o /dev/null | FileCheck %s --check-prefix=TRAFFIC

// TARGET: Cannot find option named 'tpu'!

// CHECK-LABEL: func.func @sum_of_exp(
// CHECK-NOT: math.exp {{.*}} tensor
// CHECK: scan.kernel
// CHECK: math.exp {{.*}} : f32
// CHECK-NOT: scan.kernel
// CHECK: return
// TRAFFIC-LABEL: @sum_of_exp
// TRAFFIC: total / compulsory 1{{$}}
func.func @sum_of_exp(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = math.exp %x : tensor<?x?xf32>
  %y = scan.associative ins(%e : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @read_out(
// CHECK: scan.kernel
// CHECK-NOT: linalg.generic
// CHECK: return
// APART-LABEL: func.func @read_out(
// APART: scan.kernel
// APART: linalg.generic
// APART: return
func.func @read_out(%a: tensor<8x512x64x4xf32>, %b: tensor<8x512x64x4xf32>)
    -> tensor<8x512x64xf32> {
  %h = scan.linear_recurrence
      ins(%a, %b : tensor<8x512x64x4xf32>, tensor<8x512x64x4xf32>) dim = 1 -> tensor<8x512x64x4xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x512x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x512x64xf32>)
      -> tensor<8x512x64xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<8x512x64x4xf32>)
      outs(%init : tensor<8x512x64xf32>) dimensions = [3]
  return %y : tensor<8x512x64xf32>
}

// GPU-LABEL: func.func @bidirectional(
// GPU: scf.if
// GPU: scan.kernel
// GPU: else
// GPU-COUNT-2: scan.kernel
// CPU-LABEL: func.func @bidirectional(
// CPU-NOT: scf.if
// CPU-COUNT-2: scan.kernel
// CPU: return
func.func @bidirectional(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      dim = 1 -> tensor<?x?xf32>
  %1 = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      dim = 1 reverse -> tensor<?x?xf32>
  %y = arith.addf %0, %1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
