// RUN: scan-opt %s --scan-to-gpu | FileCheck %s

// A pass over the chunks, its residual, and for each iteration two kernels that ask the residual first, solve for
// the states and make another pass, in place; all iterations have the same kernels. The rows go where the result
// is, and so do those of the kernel that walks: it is launched in any case and asks the last residual.

// CHECK-LABEL: func.func @tanh
// CHECK-NOT:     scf.if
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map0
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_scan0
// CHECK:         gpu.memset
// CHECK-NOT:     memref.load
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map{{.*}} args(%{{.*}}, %[[FIRST:[a-z0-9_]+]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@tanh_map{{.*}}, %[[FIRST]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@tanh_scan{{.*}}, %[[FIRST]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@[[$PASS:tanh_scan[0-9_]+]] {{.*}}, %[[FIRST]] : memref<f32>)
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map{{.*}} args(%{{.*}}, %[[SECOND:[a-z0-9_]+]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@tanh_map{{.*}}, %[[SECOND]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@[[$NEXT:tanh_scan[0-9_]+]] {{.*}}, %[[SECOND]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@[[$PASS]] {{.*}}, %[[SECOND]] : memref<f32>)
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@[[$NEXT]]
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_map{{.*}} args(%{{.*}}, %[[LAST:[a-z0-9_]+]] : memref<f32>)
// CHECK:         gpu.launch_func{{ +}}@scan_kernels::@tanh_scan{{.*}}, %[[RESULT:[a-z0-9_]+]] : memref<f32>)
// CHECK-NEXT:    gpu.launch_func{{ +}}@scan_kernels::@[[$WALK:tanh_scan[0-9]+]] {{.*}}, %[[RESULT]] : memref<f32>, %[[LAST]] : memref<f32>)
// CHECK-NOT:     gpu.launch_func
// CHECK:         return

// CHECK:       gpu.func @[[$WALK]](
// CHECK:         %[[NUMBER:.*]] = memref.load %{{.*}}[] : memref<f32>
// CHECK:         %[[ISABOVE:.*]] = arith.cmpf ugt, %[[NUMBER]]
// CHECK-NEXT:    scf.if %[[ISABOVE]] {
// CHECK:           math.tanh
// CHECK:       gpu.return

// CHECK:       gpu.func @[[$PASS]](
// CHECK:         %[[ASKED:.*]] = memref.load %{{.*}}[] : memref<f32>
// CHECK:         %[[ISLEFT:.*]] = arith.cmpf ugt, %[[ASKED]]
// CHECK-NEXT:    scf.if %[[ISLEFT]] {
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
