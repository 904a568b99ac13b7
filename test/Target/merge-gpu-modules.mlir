// RUN: scan-opt %s --scan-merge-gpu-modules --split-input-file | FileCheck %s

// Symbols that clash are renamed, and every use follows: the launch from outside
// as well as the global's from inside.

// CHECK-LABEL: func.func @host
// CHECK:         gpu.launch_func @first::@kernel blocks
// CHECK:         gpu.launch_func @first::@kernel_0 blocks
// CHECK:         gpu.launch_func @first::@other blocks
// CHECK:       gpu.module @first {
// CHECK-DAG:     memref.global "private" @data : memref<4xf32>
// CHECK-DAG:     gpu.func @kernel() kernel
// CHECK-DAG:     gpu.func @kernel_0() kernel
// CHECK-DAG:       memref.get_global @data_0 : memref<8xf32>
// CHECK-DAG:     memref.global "private" @data_0 : memref<8xf32>
// CHECK-DAG:     gpu.func @other() kernel
// CHECK-NOT:   gpu.module
module attributes {gpu.container_module} {
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @first::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @second::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @second::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @first {
    memref.global "private" @data : memref<4xf32>
    gpu.func @kernel() kernel {
      %0 = memref.get_global @data : memref<4xf32>
      gpu.return
    }
  }
  gpu.module @second {
    memref.global "private" @data : memref<8xf32>
    gpu.func @kernel() kernel {
      %0 = memref.get_global @data : memref<8xf32>
      gpu.return
    }
    gpu.func @other() kernel {
      gpu.return
    }
  }
}

// -----

// Names that PTX does not accept, one of which becomes another's.

// CHECK-LABEL: func.func @names
// CHECK:         gpu.launch_func @module::@my_kernel_1 blocks
// CHECK:         gpu.launch_func @module::@my_kernel_1_0 blocks
// CHECK:         gpu.launch_func @module::@_2nd blocks
// CHECK:         gpu.launch_func @module::@_$ok blocks
// CHECK:       gpu.module @module
// CHECK-DAG:     gpu.func @my_kernel_1()
// CHECK-DAG:     gpu.func @my_kernel_1_0()
// CHECK-DAG:     gpu.func @_2nd()
// CHECK-DAG:     gpu.func @_$ok()
module attributes {gpu.container_module} {
  func.func @names() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @module::@my_kernel_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @module::@"my.kernel-1" blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @module::@"2nd" blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @module::@_$ok blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @module {
    gpu.func @my_kernel_1() kernel {
      gpu.return
    }
    gpu.func @"my.kernel-1"() kernel {
      gpu.return
    }
    gpu.func @"2nd"() kernel {
      gpu.return
    }
    gpu.func @_$ok() kernel {
      gpu.return
    }
  }
}

// -----

// Names of functions that kernels call: a definition gets another, a declaration is
// the library's function.

// CHECK-LABEL: func.func @libraries
// CHECK:         gpu.launch_func @module::@___nv_expf blocks
// CHECK:         gpu.launch_func @module::@_malloc blocks
// CHECK:         gpu.launch_func @module::@__ blocks
// CHECK:       gpu.module @module
// CHECK-DAG:     func.func private @__nv_logf(f32) -> f32
// CHECK-DAG:     gpu.func @___nv_expf(
// CHECK-DAG:       call @__nv_logf(
// CHECK-DAG:     gpu.func @_malloc(
// CHECK-DAG:     gpu.func @__(
module attributes {gpu.container_module} {
  func.func @libraries(%x: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @module::@__nv_expf blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    gpu.launch_func @module::@malloc blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @module::@_ blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @module {
    func.func private @__nv_logf(f32) -> f32
    gpu.func @__nv_expf(%x: f32) kernel {
      %y = func.call @__nv_logf(%x) : (f32) -> f32
      gpu.return
    }
    gpu.func @malloc() kernel {
      gpu.return
    }
    gpu.func @_() kernel {
      gpu.return
    }
  }
}
