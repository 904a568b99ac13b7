// RUN: scan-opt %s --scan-rename-symbols --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-rename-symbols=all --split-input-file | FileCheck %s --check-prefix=ALL

// Private functions and globals that are called as the library's are renamed with
// their uses. Declarations are the library's.

// CHECK-DAG:   func.func private @cosf(f32) -> f32
// CHECK-DAG:   memref.global "private" @scan.user.memcpy : memref<4xf32> = dense<1.000000e+00>
// CHECK-DAG:   memref.global "private" @table : memref<4xf32>
// CHECK-LABEL: func.func private @scan.user.expf(
// CHECK:         call @cosf(
// CHECK-LABEL: func.func private @helper(
// CHECK-LABEL: func.func @f(
// CHECK:         call @scan.user.expf(
// CHECK:         call @helper(
// CHECK:         memref.get_global @scan.user.memcpy
// CHECK:         memref.get_global @table
// ALL-DAG:     func.func private @cosf(f32) -> f32
// ALL-DAG:     memref.global "private" @scan.user.memcpy : memref<4xf32>
// ALL-DAG:     memref.global "private" @scan.user.table : memref<4xf32>
// ALL-LABEL:   func.func private @scan.user.expf(
// ALL:           call @cosf(
// ALL-LABEL:   func.func private @scan.user.helper(
// ALL-LABEL:   func.func @scan.user.f(
// ALL:           call @scan.user.expf(
// ALL:           call @scan.user.helper(
// ALL:           memref.get_global @scan.user.memcpy
// ALL:           memref.get_global @scan.user.table
func.func private @cosf(f32) -> f32
memref.global "private" @memcpy : memref<4xf32> = dense<1.0>
memref.global "private" @table : memref<4xf32> = dense<2.0>
func.func private @expf(%x: f32) -> f32 {
  %y = call @cosf(%x) : (f32) -> f32
  return %y : f32
}
func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}
func.func @f(%x: f32) -> f32 {
  %y = call @expf(%x) : (f32) -> f32
  %z = call @helper(%y) : (f32) -> f32
  %g = memref.get_global @memcpy : memref<4xf32>
  %t = memref.get_global @table : memref<4xf32>
  return %z : f32
}

// -----

// The new name is taken.

// CHECK-DAG: func.func private @[[NEW:scan\.user\.malloc_[0-9]+]](%{{.*}}: f32)
// CHECK-DAG: func.func private @scan.user.malloc(%{{.*}}: f64)
// CHECK:     call @[[NEW]](
// CHECK:     call @scan.user.malloc(
func.func private @malloc(%x: f32) -> f32 {
  return %x : f32
}
func.func private @scan.user.malloc(%x: f64) -> f64 {
  return %x : f64
}
func.func @f(%x: f32, %d: f64) -> (f32, f64) {
  %y = call @malloc(%x) : (f32) -> f32
  %z = call @scan.user.malloc(%d) : (f64) -> f64
  return %y, %z : f32, f64
}

// -----

// What a nested table calls so is something else.

// CHECK:       gpu.launch_func @kernels::@expf
// CHECK:       gpu.module @kernels
// CHECK:         gpu.func @expf
// CHECK:           call @sinf
// ALL-LABEL:   func.func @scan.user.f(
// ALL:           call @scan.user.sinf(
// ALL:           gpu.launch_func @kernels::@expf
// ALL:         gpu.module @kernels
// ALL:           gpu.func @expf
// ALL:             call @sinf
module attributes {gpu.container_module} {
  func.func private @expf() {
    return
  }
  func.func private @sinf() {
    return
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    call @sinf() : () -> ()
    gpu.launch_func @kernels::@expf blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernels {
    func.func private @sinf() {
      return
    }
    gpu.func @expf() kernel {
      func.call @sinf() : () -> ()
      gpu.return
    }
  }
}
