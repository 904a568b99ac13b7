// A loop that stays says where and why, by the same options of all tools.
// RUN: scan-opt %s --scan-raise-recurrence --remarks-filter-missed=scan-raise-recurrence -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: scan-run %s --entry=scanned --input=ones:f32:3x4 --input=ones:f32:4 --target=cpu --remarks-filter-missed=scan-raise-recurrence 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: scan-run %s --entry=stays --input=ones:f32:3x4 --input=ones:f32:4 --target=cpu 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: scan-run %s --entry=scanned --input=ones:f32:3x4 --input=ones:f32:4 --target=cpu --remarks-filter='scan-.*' 2>&1 | FileCheck %s --check-prefixes=PASSED,MISSED
// RUN: scan-run %s --entry=scanned --input=ones:f32:3x4 --input=ones:f32:4 --target=cpu --remarks-filter-passed='scan-raise.*' 2>&1 | FileCheck %s --check-prefix=PASSED --implicit-check-not=Missed
// RUN: not scan-translate --scan-to-ptx %s --remarks-filter-missed=scan-raise-recurrence -o /dev/null 2>&1 | FileCheck %s --check-prefixes=MISSED,REFUSED
// RUN: not scan-translate --scan-to-ptx %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=remark:
// RUN: not scan-translate --scan-to-ptx %s --remarks-filter='(' -o /dev/null 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: not scan-run %s --entry=stays --input=ones:f32:3x4 --input=ones:f32:4 --remarks-filter-missed='[' 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: scan-tune %s --entry=scanned --chip=sm_90 --extents=arg0_d0=8 --dry-run --remarks-filter='scan-raise.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSED

// PASSED-DAG: remarks.mlir:[[#@LINE+30]]:{{.*}}[Passed] RaiseRecurrence {{.*}}Function=scanned | Remark="a loop becomes a scan"
// MISSED-DAG: remarks.mlir:[[#@LINE+14]]:{{.*}}[Missed] RaiseRecurrence {{.*}}Function=stays | Reason="the update of a carried value h is none of {{.+}}", Remark="a loop stays"
// REFUSED: remarks.mlir:[[#@LINE+11]]:10: error: 'scf.for' op cannot become part of a GPU kernel
// REFUSED: remarks.mlir:[[#@LINE+12]]:13: note: this keeps the loop from becoming a scan: the update of a carried value h is none of
// INVALID: error: '{{[[(]}}' is not a regular expression: {{.+}}
// QUIET-NOT: remark
func.func @stays(%x: tensor<?x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%ys = %e, %h = %half) -> (tensor<?x4xf32>, f32) {
    %xt = tensor.extract_slice %x[0, %t] [%n, 1] [1, 1] : tensor<?x4xf32> to tensor<?xf32>
    %next = math.tanh %h : f32
    %all = tensor.splat %next[%n] : tensor<?xf32>
    %s = arith.addf %xt, %all : tensor<?xf32>
    %w = tensor.insert_slice %s into %ys[0, %t] [%n, 1] [1, 1] : tensor<?xf32> into tensor<?x4xf32>
    scf.yield %w, %next : tensor<?x4xf32>, f32
  }
  %first = tensor.extract_slice %r#0[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
  %sum = arith.addf %first, %h0 : tensor<4xf32>
  return %sum : tensor<4xf32>
}
func.func @scanned(%x: tensor<?x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %s = func.call @stays(%x, %h0) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %s) -> (tensor<4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = arith.addf %h, %xt : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
