// Functions that take fewer instructions than those of libdevice: which they are, and
// their numbers, with the special instructions taken for exact.

// RUN: scan-opt %s --scan-gpu-to-nvvm -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: %python %S/Inputs/nvvm_math.py %t.mlir | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: sigmoid: {{[0-9.]+}} ulp
// NUMBERS: narrow_sigmoid: {{[0-9.]+}} ulp
// NUMBERS: narrow_pair: {{[0-9.]+}} ulp
// NUMBERS: softplus: {{[0-9.]+}} ulp
// NUMBERS: root: {{[0-9.]+}} ulp
// NUMBERS: reciprocal_root: {{[0-9.]+}} ulp
// NUMBERS: 6 functions, 0 too far off

gpu.module @functions {
  // What is divided by is not less than 1. Of a quarter of it, no reciprocal is below
  // 2^-126.
  // CHECK-LABEL: llvm.func @sigmoid
  // CHECK: %[[E:.*]] = llvm.call @__nv_expf
  // CHECK: %[[QUARTER:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK: %[[D:.*]] = llvm.call @__nv_fmaf(%[[E]], %[[QUARTER]], %[[QUARTER]])
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[D]]
  // CHECK: llvm.fmul %[[R]], %[[QUARTER]]
  gpu.func @sigmoid(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    memref.store %s, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // The product of a number in bf16 and a constant of 16 bits is exact.
  // CHECK-LABEL: llvm.func @narrow_sigmoid
  // CHECK-NOT: __nv_expf
  // CHECK: %[[X:.*]] = llvm.fpext
  // CHECK: %[[IN:.*]] = llvm.intr.minimum(%[[X]], %{{.*}})
  // CHECK: %[[T:.*]] = llvm.fmul %[[IN]], %{{.*}}
  // CHECK: %[[D:.*]] = llvm.fmul %[[IN]], %{{.*}}
  // CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[T]])
  // CHECK: %[[P:.*]] = llvm.call @__nv_fmaf(%[[E]], %[[D]], %[[E]])
  // CHECK: %[[S:.*]] = llvm.call @__nv_fmaf(%[[P]], %[[QUARTER:.*]], %[[QUARTER]])
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[S]]
  // CHECK: llvm.fmul %[[R]], %[[QUARTER]]
  gpu.func @narrow_sigmoid(%xs: memref<8xbf16>, %ys: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %n = memref.load %xs[%i] : memref<8xbf16>
    %x = arith.extf %n : bf16 to f32
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    memref.store %s, %ys[%i] : memref<8xf32>
    gpu.return
  }

  // What is below 2^-126 is needed by itself; a divisor of at most 2 has no special cases.
  // CHECK-LABEL: llvm.func @narrow_pair
  // CHECK: %[[E:.*]] = llvm.call @__nv_expf
  // CHECK: %[[D:.*]] = llvm.fadd %[[E]]
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[D]]
  // CHECK: llvm.fmul %[[E]], %[[R]]
  gpu.func @narrow_pair(%xs: memref<8xbf16>, %ys: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %n = memref.load %xs[%i] : memref<8xbf16>
    %x = arith.extf %n : bf16 to f32
    %one = arith.constant 1.0 : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    %small = arith.mulf %e, %s : f32
    memref.store %small, %ys[%i] : memref<8xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @softplus
  // CHECK: __nv_expf
  // CHECK-COUNT-8: @__nv_fmaf
  gpu.func @softplus(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %l = math.log1p %e : f32
    memref.store %l, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // What is 2^24 times a number is zero or not below 2^-126.
  // CHECK-LABEL: llvm.func @root
  // CHECK: llvm.nvvm.sqrt.approx.ftz.f
  gpu.func @root(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %factor = arith.constant 0x4B800000 : f32
    %scale = arith.constant 2.44140625E-4 : f32
    %below = arith.minimumf %x, %one : f32
    %product = arith.mulf %below, %factor : f32
    %r = math.sqrt %product : f32
    %s = arith.mulf %r, %scale : f32
    memref.store %s, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @reciprocal_root
  // CHECK: llvm.nvvm.rsqrt.approx.ftz.f
  gpu.func @reciprocal_root(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %factor = arith.constant 0x4B800000 : f32
    %scale = arith.constant 4096.0 : f32
    %below = arith.minimumf %x, %one : f32
    %product = arith.mulf %below, %factor : f32
    %r = math.rsqrt %product : f32
    %s = arith.mulf %r, %scale : f32
    memref.store %s, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // A division that allows a reciprocal allows it to be flushed.
  // CHECK-LABEL: llvm.func @fast_sigmoid
  // CHECK: %[[D:.*]] = llvm.fadd
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[D]]
  // CHECK: llvm.store %[[R]]
  gpu.func @fast_sigmoid(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus fastmath<afn> : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum fastmath<arcp> : f32
    memref.store %s, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // Neither what is needed besides, nor another type. What may be approximate is the
  // instruction alone.
  // CHECK-LABEL: llvm.func @others
  // CHECK: __nv_expf
  // CHECK: nvvm.rcp.approx.ftz.f
  // CHECK: __nv_exp(
  // CHECK: llvm.fdiv
  // CHECK: __nv_sqrtf
  // CHECK: %[[T:.*]] = llvm.fmul
  // CHECK-NEXT: ex2.approx.ftz.f"(%[[T]])
  gpu.func @others(%xs: memref<8xbf16>, %ys: memref<8xf64>, %zs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %n = memref.load %xs[%i] : memref<8xbf16>
    %x = arith.extf %n : bf16 to f32
    %one = arith.constant 1.0 : f32
    %e = math.exp %x : f32
    memref.store %e, %zs[%i] : memref<8xf32>
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    memref.store %s, %zs[%i] : memref<8xf32>
    %y = memref.load %ys[%i] : memref<8xf64>
    %one_f64 = arith.constant 1.0 : f64
    %f = math.exp %y : f64
    %sum_f64 = arith.addf %f, %one_f64 : f64
    %s_f64 = arith.divf %one_f64, %sum_f64 : f64
    memref.store %s_f64, %ys[%i] : memref<8xf64>
    %two = arith.constant 2.0 : f32
    %twice = arith.mulf %e, %two : f32
    %r = math.sqrt %twice : f32
    memref.store %r, %zs[%i] : memref<8xf32>
    %a = math.exp %x fastmath<afn> : f32
    memref.store %a, %zs[%i] : memref<8xf32>
    gpu.return
  }
}
