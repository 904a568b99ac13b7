// RUN: scan-opt %s --scan-to-gpu=dispatch=false | FileCheck %s
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s --check-prefix=VARIANTS
// RUN: scan-opt %s --scan-to-ptx="chip=sm_80 dispatch=false" | FileCheck %s --check-prefix=PTX

// One kernel whose operands are the arguments of the function: the elementwise
// code is in it, and the result has become an out-parameter.

// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x65536xf32>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?x65536xf32> {scan.result = {index = 0 : i64, shape = ["arg0_d0", 65536]}}) {
// CHECK-DAG:     %[[XP:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[X]]
// CHECK-DAG:     %[[YP:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[Y]]
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]]
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func @scan_kernels::@[[K:[a-z0-9_]+]]
// CHECK-SAME:      args(%[[XP]] : memref<f32>, %[[YP]] : memref<f32>, %[[N]] : index)
// CHECK-NOT:     memref.copy
// CHECK:         return
// CHECK:       gpu.module @scan_kernels
// CHECK:         gpu.func @[[K]]
// CHECK:           math.exp

// By default there are several, and the host chooses by the extents.

// VARIANTS-LABEL: func.func @fused(
// VARIANTS:         scf.if
// VARIANTS:           gpu.launch_func @scan_kernels::@fused_scan0
// VARIANTS:         } else {
// VARIANTS:           gpu.launch_func @scan_kernels::@fused_scan1

// PTX:         gpu.module @scan_kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx70">]
// PTX:           llvm.func @__nv_expf(f32) -> f32
// PTX:           llvm.func @fused_scan0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// PTX-SAME:        nvvm.kernel
// PTX:             llvm.call @__nv_expf
// PTX-NOT:     {{(memref|scf|arith|math|gpu|vector)[.][a-z_]+ }}
func.func @fused(%x: tensor<?x65536xf32>) -> tensor<?x65536xf32> {
  %e = math.exp %x : tensor<?x65536xf32>
  %y = scan.associative ins(%e : tensor<?x65536xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x65536xf32>
  return %y : tensor<?x65536xf32>
}
