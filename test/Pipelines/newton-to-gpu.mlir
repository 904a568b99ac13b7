// RUN: scan-opt %s --scan-to-gpu | FileCheck %s

// One kernel per iteration, of which the first reads no rows, the step, its residual, and the kernel
// that walks: it is launched in any case, writes the result in place, and asks the residual first.

// CHECK-LABEL: func.func @tanh
// CHECK-NOT:     scf.if
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_scan0
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@[[$NEXT:tanh_scan[0-9]+]]
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@[[$NEXT]]
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map0
// CHECK:         gpu.memset{{ +}}%[[RESIDUAL:[a-z0-9_]+]],
// CHECK-NOT:     memref.load
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map1 {{.*}}%[[RESIDUAL]]
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@[[$WALK:tanh_scan[0-9]+]] {{.*}}%[[RESIDUAL]] : memref<f32>)
// CHECK-NOT:     gpu.launch_func
// CHECK:         return

// CHECK:       gpu.func @[[$WALK]](
// CHECK:         %[[NUMBER:.*]] = memref.load %{{.*}}[] : memref<f32>
// CHECK:         %[[ISABOVE:.*]] = arith.cmpf ugt, %[[NUMBER]]
// CHECK-NEXT:    scf.if %[[ISABOVE]] {
// CHECK:           math.tanh
// CHECK:       gpu.return
func.func @tanh(%x: tensor<1x4096x256xf32>, %init: tensor<1x1x256xf32>) -> tensor<1x4096x256xf32> {
  %h = scan.recurrence ins(%x : tensor<1x4096x256xf32>) init(%init : tensor<1x1x256xf32>) dim = 1
      attributes {scan.schedule = #scan.newton<iterations = 3, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<1x256xf32>, %row: tensor<1x256xf32>):
    %sum = arith.addf %before, %row : tensor<1x256xf32>
    %next = math.tanh %sum : tensor<1x256xf32>
    scan.yield %next : tensor<1x256xf32>
  } -> tensor<1x4096x256xf32>
  return %h : tensor<1x4096x256xf32>
}
