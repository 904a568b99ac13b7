// The project's own tool has what is in the plugin; loading it changes nothing.

// RUN: scan-opt %s --scan-normalize -o %t.mlir
// RUN: %build/bin/scan-opt %s --load-dialect-plugin=%plugin --scan-normalize 2>&1 | diff - %t.mlir
// RUN: %build/bin/scan-opt %s --load-pass-plugin=%plugin --scan-normalize 2>&1 | diff - %t.mlir
// RUN: %build/bin/scan-opt %s --load-pass-plugin=%plugin --load-dialect-plugin=%plugin \
// RUN:   --load-pass-plugin=%plugin --load-dialect-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-normalize)' 2>&1 | diff - %t.mlir
// RUN: %build/bin/scan-opt %examples/cumsum.mlir --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(scan-to-ptx{chip=sm_90},gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=PTX
// PTX: gpu.binary
// PTX-SAME: .visible .entry cumsum_scan0(

func.func @f(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %y = scan.associative ins(%x : tensor<4x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
