// The plugin in the stock mlir-opt: with either option alone, and with both, the
// dialect is known, and so are its interfaces, passes and pipelines.

// DEFINE: %{opt} = env LD_PRELOAD=%sanitizer_runtime mlir-opt
// RUN: %{opt} %s --load-dialect-plugin=%plugin | FileCheck %s --check-prefix=PARSE
// RUN: %{opt} %s --load-pass-plugin=%plugin | FileCheck %s --check-prefix=PARSE
// PARSE-LABEL: func @scan(
// PARSE: scan.associative ins(%{{.*}}, %{{.*}} : tensor<2x7xi64>, tensor<2x7xi64>) dim = 1 reverse

// A pass.
// RUN: %{opt} %s --load-dialect-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize)' -o %t.dialect.mlir
// RUN: %{opt} %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize)' -o %t.pass.mlir
// RUN: %{opt} %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize)' -o %t.both.mlir
// RUN: %{opt} %s --load-pass-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --load-dialect-plugin=%plugin --load-dialect-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize)' -o %t.twice.mlir
// RUN: diff %t.dialect.mlir %t.pass.mlir
// RUN: diff %t.dialect.mlir %t.both.mlir
// RUN: diff %t.dialect.mlir %t.twice.mlir
// RUN: FileCheck %s --check-prefix=KERNEL < %t.pass.mlir
// KERNEL-LABEL: func @scan(
// KERNEL: scan.kernel dim = 1 reverse

// What upstream's passes do with scans, through the interfaces of the dialect.
// RUN: %{opt} %s --load-dialect-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize,one-shot-bufferize{bufferize-function-boundaries})' \
// RUN:   | FileCheck %s --check-prefix=BUFFERS
// BUFFERS-LABEL: func @scan(
// BUFFERS-SAME: memref<2x7xi64
// BUFFERS: scan.kernel dim = 1 reverse
// BUFFERS-NEXT: ins(%arg0, %arg1 : memref<2x7xi64,

// Programs that are made by the plugin and by the project's own tool are the same.
// RUN: scan-opt %s --pass-pipeline='builtin.module(scan-normalize)' | diff - %t.pass.mlir

// The numbers of what the pipeline makes, run by the stock mlir-runner, are those
// of the interpreter.
// RUN: %{opt} %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(scan-to-cpu)' -o %t.llvm.mlir
// RUN: mlir-runner %t.llvm.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%llvm_lib/libmlir_c_runner_utils.so > %t.numbers
// RUN: scan-run %s --entry=both --target=reference | %python %S/Inputs/one_per_line.py > %t.reference
// RUN: diff %t.numbers %t.reference
// RUN: FileCheck %s --check-prefix=NUMBERS < %t.numbers
// NUMBERS: -556
// NUMBERS: -6

// So are those of passes of both, one by one.
// RUN: %{opt} %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module( \
// RUN:   canonicalize,cse,scan-normalize,linalg-fuse-elementwise-ops,scan-fuse-elementwise, \
// RUN:   one-shot-bufferize{bufferize-function-boundaries \
// RUN:     function-boundary-type-conversion=identity-layout-map}, \
// RUN:   convert-scan-to-loops,canonicalize,buffer-deallocation-pipeline, \
// RUN:   convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,lower-affine, \
// RUN:   convert-vector-to-llvm,convert-math-to-llvm,finalize-memref-to-llvm, \
// RUN:   convert-func-to-llvm,convert-cf-to-llvm,convert-arith-to-llvm, \
// RUN:   convert-index-to-llvm,reconcile-unrealized-casts)' -o %t.mixed.mlir
// RUN: mlir-runner %t.mixed.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%llvm_lib/libmlir_c_runner_utils.so | diff - %t.reference

// And those of a program between graph and loops, by the project's own runner.
// RUN: %{opt} %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize,scan-fuse-elementwise,cse)' -o %t.middle.mlir
// RUN: scan-run %t.middle.mlir --entry=both --target=cpu | %python %S/Inputs/one_per_line.py | diff - %t.reference

// An affine pair does not commute.
func.func @scan(%a: tensor<2x7xi64>, %b: tensor<2x7xi64>) -> tensor<2x7xi64> {
  %p, %h = scan.associative ins(%a, %b : tensor<2x7xi64>, tensor<2x7xi64>) dim = 1 reverse {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a0, %a1 : i64
    %q = arith.muli %b0, %a1 : i64
    %r = arith.addi %q, %b1 : i64
    scan.yield %m, %r : i64, i64
  } -> tensor<2x7xi64>, tensor<2x7xi64>
  return %h : tensor<2x7xi64>
}

func.func @both() -> tensor<2x7xi64> {
  %a = arith.constant dense<[[1, 2, -3, 1, 2, 5, -1], [3, 1, 1, 2, -2, 1, 4]]> : tensor<2x7xi64>
  %b = arith.constant dense<[[7, 1, 0, 2, -4, 3, 9], [1, -1, 5, 8, 2, 2, -6]]> : tensor<2x7xi64>
  %h = call @scan(%a, %b) : (tensor<2x7xi64>, tensor<2x7xi64>) -> tensor<2x7xi64>
  return %h : tensor<2x7xi64>
}

func.func @main() {
  %h = call @both() : () -> tensor<2x7xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c7 step %c1 {
      %x = tensor.extract %h[%i, %j] : tensor<2x7xi64>
      vector.print %x : i64
    }
  }
  return
}
