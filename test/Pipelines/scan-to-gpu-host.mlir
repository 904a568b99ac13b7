// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// RUN: not scan-opt %s --scan-to-gpu=check-host=1 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: not scan-opt %s --scan-to-ptx 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: not scan-opt %s --scan-to-gpu=chip=sm_1 2>&1 | FileCheck %s --check-prefix=CHIP

// What is no kernel stays on the host, where that is allowed.

// CHECK-LABEL: func.func @extract(
// CHECK:         memref.load
// CHECK:         gpu.launch_func
// CHECKED: scan-to-gpu-host.mlir:[[#@LINE+4]]:{{[0-9]+}}: error: 'tensor.extract' op cannot become part of a GPU kernel
// CHIP: error: {{.*}}sm_1
func.func @extract(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c3 = arith.constant 3 : index
  %v = tensor.extract %x[%c3, %c3] : tensor<4x4xf32>
  %y = scan.associative ins(%x : tensor<4x4xf32>) init(%v : f32) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
