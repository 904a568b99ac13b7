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
    gpu.func @half_warp() kernel {
      %mask = arith.constant 0xFFFF : i32
      // expected-error @below {{'nvvm.bar.warp.sync' is not supported by the SIMT emulator: expected the mask of all lanes, the constant -1}}
      nvvm.bar.warp.sync %mask : i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @any_lanes(%mask: i32) kernel {
      // expected-error @below {{'nvvm.bar.warp.sync' is not supported by the SIMT emulator: expected the mask of all lanes, the constant -1}}
      nvvm.bar.warp.sync %mask : i32
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

// Each fits, both together do not.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @half(%i: index, %x: f32) {
      %m = memref.alloca() : memref<50000xf32>
      memref.store %x, %m[%i] : memref<50000xf32>
      return
    }
    // expected-error @below {{expected at most 393216 bytes of private memory, found 400000 in 'kernels__caller' and what it calls}}
    gpu.func @caller(%i: index, %x: f32) private(%p: memref<50000xf32, #gpu.address_space<private>>) kernel {
      memref.store %x, %p[%i] : memref<50000xf32, #gpu.address_space<private>>
      func.call @half(%i, %x) : (index, f32) -> ()
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

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: i32) kernel {
      // expected-error @below {{'gpu.printf' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      gpu.printf "%d\n", %x : i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: i32) kernel {
      // expected-error @below {{'vector.print' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      vector.print %x : i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<16x16xf16>, %i: index) kernel {
      // expected-error @below {{'gpu.subgroup_mma_load_matrix' is not supported by the SIMT emulator: nothing says what its values would be on a GPU, found '!gpu.mma_matrix<16x16xf16, "COp">'}}
      %f = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) kernel {
      // expected-error @below {{'nvgpu.mma.sync' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%s: memref<8x8xf16, #gpu.address_space<workgroup>>, %i: index) kernel {
      // expected-error @below {{'nvgpu.ldmatrix' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %v = nvgpu.ldmatrix %s[%i, %i] {transpose = false, numTiles = 1 : i32} : memref<8x8xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: i32) kernel {
      // expected-error @below {{'gpu.rotate' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %r, %valid = gpu.rotate %x, 1, 16 : i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: i32, %p: i1) kernel {
      // expected-error @below {{'nvvm.vote.sync' is not supported by the SIMT emulator: expected the kind 'all', the only one that is emulated}}
      %r = nvvm.vote.sync ballot %x, %p -> i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%mask: i32, %p: i1) kernel {
      // expected-error @below {{'nvvm.vote.sync' is not supported by the SIMT emulator: expected the mask of all lanes, the constant -1}}
      %r = nvvm.vote.sync all %mask, %p -> i1
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%lane: index, %x: i32) kernel {
      // What is inside is not told.
      // expected-error @below {{'gpu.warp_execute_on_lane_0' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %r = gpu.warp_execute_on_lane_0(%lane)[32] -> (i32) {
        gpu.yield %x : i32
      }
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<4xf32>, %x: f32) kernel {
      // expected-error @below {{'linalg.fill' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
      gpu.return
    }
  }
}

// -----

// A kernel that launches a kernel.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      %c1 = arith.constant 1 : index
      // expected-error @below {{'gpu.launch_func' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      // expected-error @below {{'gpu.cluster_id' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %i = gpu.cluster_id x
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%n: index) kernel {
      // expected-error @below {{'gpu.alloc' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %m = gpu.alloc (%n) : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%f: !llvm.ptr) kernel {
      // expected-error @below {{'llvm.call' is not supported by the SIMT emulator: functions are called by their names}}
      llvm.call %f() : !llvm.ptr, () -> ()
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: functions are called by their names, found '() -> ()'}}
    gpu.func @kernel(%f: () -> ()) kernel {
      func.call_indirect %f() : () -> ()
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<2xi32, strided<[2]>>, %b: memref<2xi32, strided<[3]>>) kernel {
      // expected-error @below {{'memref.copy' is not supported by the SIMT emulator: expected memory without gaps, found 'memref<2xi32, strided<[2]>>'; copy it element by element}}
      memref.copy %a, %b : memref<2xi32, strided<[2]>> to memref<2xi32, strided<[3]>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected global, workgroup or private memory, found 'memref<4xf32, 4>'}}
    gpu.func @kernel(%m: memref<4xf32, 4>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected global, workgroup or private memory, found 'memref<4xf32, "texture">'}}
    gpu.func @kernel(%m: memref<4xf32, "texture">) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected global, workgroup or private memory, found 'memref<*xf32, 7>'}}
    gpu.func @kernel(%m: memref<*xf32, 7>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected global, workgroup or private memory, found '!llvm.ptr<4>'}}
    gpu.func @kernel(%m: !llvm.ptr<4>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      // expected-error @below {{'memref.alloca' is not supported by the SIMT emulator: expected global, workgroup or private memory, found 'memref<4xf32, 7>'}}
      %m = memref.alloca() : memref<4xf32, 7>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<?xf32>, %i: index) kernel {
      // expected-error @below {{'vector.load' is not supported by the SIMT emulator: expected vectors of fixed size, found 'vector<[4]xf32>'}}
      %v = vector.load %m[%i] : memref<?xf32>, vector<[4]xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      // expected-error @below {{'vector.vscale' is not supported by the SIMT emulator: nothing says what it would do on a GPU}}
      %n = vector.vscale
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected numbers of type f16, bf16, f32 or f64, found 'f128'}}
    gpu.func @kernel(%x: f128) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected numbers of type f16, bf16, f32 or f64, found 'memref<4xf80>'}}
    gpu.func @kernel(%x: memref<4xf80>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected numbers of type f16, bf16, f32 or f64, found 'tf32'}}
    gpu.func @kernel(%x: tf32) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' is not supported by the SIMT emulator: expected integers of at most 128 bits, found 'i256'}}
    gpu.func @kernel(%x: i256) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%p: !llvm.ptr<1>, %x: i32) kernel {
      // expected-error @below {{'llvm.atomicrmw' is not supported by the SIMT emulator: expected the synchronisation scope 'block', 'device' or none, found 'cluster'}}
      %r = llvm.atomicrmw add %p, %x syncscope("cluster") monotonic : !llvm.ptr<1>, i32
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<8xf32>, %i: index, %k: vector<4xi1>, %v: vector<4xf32>) kernel {
      // expected-error @below {{'vector.compressstore' is not supported by the SIMT emulator: it accesses memory as 'llvm.intr.masked.compressstore' in a way that is not known here}}
      vector.compressstore %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scope(%p: !llvm.ptr<1>) kernel {
      // expected-error @below {{'llvm.load' is not supported by the SIMT emulator: expected the synchronisation scope 'block', 'device' or none, found 'agent'}}
      %v = llvm.load %p atomic syncscope("agent") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      gpu.return
    }
  }
}

// -----

// Host and device share one memory here, which they do not on a GPU.
module attributes {gpu.container_module} {
  func.func @stack() {
    %c1 = arith.constant 1 : index
    // expected-note @below {{the buffer is made here}}
    %m = memref.alloca() : memref<4xf32>
    // expected-error @below {{'gpu.launch_func' op expected buffers that the GPU can reach, found one of a 'memref.alloca'}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%m: memref<4xf32>) kernel {
      gpu.return
    }
  }
}

// -----

// expected-error @below {{expected no symbol called 'scan_emulator_step', a function of the emulator's run-time library; rename it}}
func.func private @scan_emulator_step()
