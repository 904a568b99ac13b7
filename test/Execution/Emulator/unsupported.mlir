// RUN: scan-opt %s --convert-gpu-to-fibers --split-input-file --verify-diagnostics

// What the emulator does not know is an error that names the operation.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @half(%x: f16) kernel {
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      // expected-error @below {{'gpu.shuffle' is not supported by the SIMT emulator: expected a value of type i32, i64, f32 or f64, found 'f16'; nothing else has a shuffle on NVIDIA hardware, pack the value into words}}
      %r, %valid = gpu.shuffle xor %x, %c1, %c32 : f16
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @reduce(%x: f32) kernel {
      // expected-error @below {{'gpu.subgroup_reduce' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %r = gpu.subgroup_reduce add %x : (f32) -> f32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nvvm() kernel {
      // expected-error @below {{'nvvm.barrier0' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      nvvm.barrier0
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @asm(%x: i32) kernel {
      // expected-error @below {{'llvm.inline_asm' is not supported by the SIMT emulator: it means something on the GPU only}}
      %r = llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %x : (i32) -> i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'func.func' is not supported by the SIMT emulator: the function '__nv_expf' has no body here}}
    func.func private @__nv_expf(f32) -> f32
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @heap(%n: index) kernel {
      // expected-error @below {{'memref.alloc' is not supported by the SIMT emulator: kernels have no heap}}
      %m = memref.alloc(%n) : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @stack(%n: index) kernel {
      // expected-error @below {{'memref.alloca' is not supported by the SIMT emulator: expected a static shape in private memory, found 'memref<?xf32>'}}
      %m = memref.alloca(%n) : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{expected at most 393216 bytes of private memory, found 400004 in 'kernels__large'}}
    gpu.func @large(%i: index, %x: f32) private(%p: memref<100001xf32, #gpu.address_space<private>>) kernel {
      memref.store %x, %p[%i] : memref<100001xf32, #gpu.address_space<private>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'memref.global' is not supported by the SIMT emulator: workgroup memory is declared by a workgroup attribution of the kernel}}
    memref.global @shared : memref<4xf32, #gpu.address_space<workgroup>>
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'func.func' is not supported by the SIMT emulator: the function 'even' is recursive}}
    func.func @even(%n: i32) -> i32 {
      %r = func.call @odd(%n) : (i32) -> i32
      return %r : i32
    }
    func.func @odd(%n: i32) -> i32 {
      %r = func.call @even(%n) : (i32) -> i32
      return %r : i32
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: it is not a kernel; use 'func.func' for functions that kernels call}}
    gpu.func @helper() {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: f32) kernel {
      gpu.return
    }
  }
  func.func @async(%x: f32) {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'gpu.wait' is not supported by the SIMT emulator: host code may use 'gpu.launch_func' only; host and device share one memory}}
    %t = gpu.wait async
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @cluster() {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'gpu.launch_func' is not supported by the SIMT emulator: expected a launch without clusters}}
    gpu.launch_func @kernels::@k clusters in (%c1, %c1, %c1)
        blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// -----

func.func @inline_launch(%n: index) {
  // expected-error @below {{'gpu.launch' is not supported by the SIMT emulator: run --gpu-kernel-outlining before}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  }
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @id() -> index {
    // expected-error @below {{'gpu.thread_id' is not supported by the SIMT emulator: host code may use 'gpu.launch_func' only; host and device share one memory}}
    %t = gpu.thread_id x
    return %t : index
  }
}
