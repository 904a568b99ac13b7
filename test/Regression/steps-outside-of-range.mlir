// A kernel that the host runs with more than 64 steps, whose extent turns out to be 8 when casts are
// folded into it, is not run; it was an error.

// DEFINE: %{inputs} = --input=values:f16:8x1:0,0,0,0,-1,-1,1,1 --input=values:f16:1x8:0,-1,1,1,0,0,0,-1 --input=values:f16:1x8:-1,1,1,1,0,-1,1,0
// RUN: scan-opt %s --pass-pipeline='builtin.module(cse,scan-normalize,scan-bidirectional,scan-normalize,scan-fuse-elementwise)' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: scan-run %s %{inputs} > %t.before
// RUN: scan-run %t.mlir %{inputs} > %t.after
// RUN: diff %t.before %t.after

// CHECK: tensor<?x8xf16>
// CHECK: scan.steps_range = array<i64: 65>

func.func @f(%v0: tensor<8x?xf16>, %v10: tensor<?x8xf16>, %v11: tensor<?x8xf16>)
    -> (tensor<?x8xf16>, tensor<?x8xf16>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %v0, %c0 : tensor<8x?xf16>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %v0, %c1 : tensor<8x?xf16>
  %d2 = arith.constant 3 : index
  %d3 = arith.constant 6 : index
  %t0 = tensor.cast %v10 : tensor<?x8xf16> to tensor<?x?xf16>
  %t1 = tensor.cast %v11 : tensor<?x8xf16> to tensor<?x?xf16>
  %v12, %v12_1 = scan.associative ins(%t0, %t1 : tensor<?x?xf16>, tensor<?x?xf16>) dim = 1 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>} {
  ^bb0(%la: f16, %lb: f16, %ra: f16, %rb: f16):
    %t2 = arith.mulf %ra, %la : f16
    %t3 = arith.mulf %ra, %lb : f16
    %t4 = arith.addf %t3, %rb : f16
    scan.yield %t2, %t4 : f16, f16
  } -> tensor<?x?xf16>, tensor<?x?xf16>
  %t5 = tensor.cast %v10 : tensor<?x8xf16> to tensor<?x?xf16>
  %t6 = tensor.cast %v11 : tensor<?x8xf16> to tensor<?x?xf16>
  %v13, %v13_1 = scan.associative ins(%t5, %t6 : tensor<?x?xf16>, tensor<?x?xf16>) dim = 1 attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>} {
  ^bb0(%la: f16, %lb: f16, %ra: f16, %rb: f16):
    %t7 = arith.mulf %ra, %la : f16
    %t8 = arith.mulf %ra, %lb : f16
    %t9 = arith.addf %t8, %rb : f16
    scan.yield %t7, %t9 : f16, f16
  } -> tensor<?x?xf16>, tensor<?x?xf16>
  %t10 = tensor.cast %v12 : tensor<?x?xf16> to tensor<?x8xf16>
  %t11 = tensor.cast %v13_1 : tensor<?x?xf16> to tensor<?x8xf16>
  return %t10, %t11 : tensor<?x8xf16>, tensor<?x8xf16>
}
