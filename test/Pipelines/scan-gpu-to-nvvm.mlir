// RUN: scan-opt %s --scan-gpu-to-nvvm --split-input-file | FileCheck %s

// Memrefs are passed as pointers, and indices have 64 bits.

// CHECK-LABEL: llvm.func @twice
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr
// CHECK: %[[I:[a-z0-9]+]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK: llvm.sext %[[I]] : i32 to i64
gpu.module @pointers {
  gpu.func @twice(%x: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %e = memref.load %x[%i] : memref<8xf32>
    %s = arith.addf %e, %e : f32
    memref.store %s, %x[%i] : memref<8xf32>
    gpu.return
  }
}

// -----

// Of 64 bits, both words are exchanged.

// CHECK-LABEL: llvm.func @shuffle
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
gpu.module @shuffles {
  gpu.func @shuffle(%x: memref<8xi64>) kernel {
    %i = gpu.thread_id x
    %e = memref.load %x[%i] : memref<8xi64>
    %one = arith.constant 1 : i32
    %warp = arith.constant 32 : i32
    %o, %valid = gpu.shuffle up %e, %one, %warp : i64
    memref.store %o, %x[%i] : memref<8xi64>
    gpu.return
  }
}

// -----

// Functions of libdevice, and what it has no function for.

// CHECK-LABEL: llvm.func @functions
// CHECK: llvm.call @__nv_expf
// CHECK: llvm.intr.trunc
// CHECK: llvm.intr.ctpop
gpu.module @math {
  gpu.func @functions(%x: memref<8xf32>, %n: memref<8xi32>) kernel {
    %i = gpu.thread_id x
    %e = memref.load %x[%i] : memref<8xf32>
    %f = math.exp %e : f32
    %g = math.trunc %f : f32
    memref.store %g, %x[%i] : memref<8xf32>
    %k = memref.load %n[%i] : memref<8xi32>
    %l = math.ctpop %k : i32
    memref.store %l, %n[%i] : memref<8xi32>
    gpu.return
  }
}

// -----

// What several threads compute together becomes shuffles.

// CHECK-LABEL: llvm.func @sum
// CHECK-NOT: gpu.all_reduce
// CHECK: nvvm.shfl.sync
gpu.module @reductions {
  gpu.func @sum(%x: memref<8xf32>) kernel {
    %i = gpu.global_id x
    %e = memref.load %x[%i] : memref<8xf32>
    %s = gpu.all_reduce add %e uniform {} : (f32) -> f32
    memref.store %s, %x[%i] : memref<8xf32>
    gpu.return
  }
}

// -----

// Two blocks that do the same become one.

// CHECK-LABEL: llvm.func @choice
// CHECK: llvm.fmul
// CHECK-NOT: llvm.fmul
gpu.module @blocks {
  gpu.func @choice(%x: memref<8xf32>, %a: i1) kernel {
    %i = gpu.thread_id x
    cf.cond_br %a, ^first, ^second
  ^first:
    %e = memref.load %x[%i] : memref<8xf32>
    %s = arith.mulf %e, %e : f32
    memref.store %s, %x[%i] : memref<8xf32>
    cf.br ^end
  ^second:
    %f = memref.load %x[%i] : memref<8xf32>
    %t = arith.mulf %f, %f : f32
    memref.store %t, %x[%i] : memref<8xf32>
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

// A logarithm of what is in [0, 1], and of what may not be.

// CHECK-LABEL: llvm.func @softplus
// CHECK: %[[E:.*]] = llvm.call @__nv_expf
// CHECK-COUNT-7: llvm.call @__nv_fmaf(%{{.*}}, %[[E]], %{{.*}})
// CHECK: %[[SQUARE:.*]] = llvm.fmul %[[E]], %[[E]]
// CHECK: llvm.call @__nv_fmaf(%[[SQUARE]], %{{.*}}, %[[E]])
// CHECK-NOT: @__nv_log1p
// CHECK: llvm.call @__nv_log1pf
// CHECK: llvm.call @__nv_log1p(
gpu.module @logarithms {
  gpu.func @softplus(%x: memref<8xf32>, %y: memref<8xf64>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<8xf32>
    %abs = math.absf %v : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %l = math.log1p %e : f32
    %power = math.exp %v : f32
    %m = math.log1p %power : f32
    %sum = arith.addf %l, %m : f32
    memref.store %sum, %x[%i] : memref<8xf32>
    %w = memref.load %y[%i] : memref<8xf64>
    %abs_f64 = math.absf %w : f64
    %minus_f64 = arith.negf %abs_f64 : f64
    %e_f64 = math.exp %minus_f64 : f64
    %n = math.log1p %e_f64 : f64
    memref.store %n, %y[%i] : memref<8xf64>
    gpu.return
  }
}
