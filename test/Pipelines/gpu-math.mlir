// Functions that take fewer instructions than those of libdevice: which they are, and
// their numbers, with the special instructions taken for exact.

// RUN: scan-opt %s --scan-gpu-to-nvvm -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: %python %S/Inputs/nvvm_math.py %t.mlir | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: sigmoid: {{[0-9.]+}} ulp
// NUMBERS: narrow_sigmoid: {{[0-9.]+}} ulp
// NUMBERS: narrow_pair: {{[0-9.]+}} ulp
// NUMBERS: wide_pair: {{[0-9.]+}} ulp
// NUMBERS: gelu: {{[0-9.]+}} ulp
// NUMBERS: gate: {{[0-9.]+}} ulp
// NUMBERS: decay: {{[0-9.]+}} ulp
// NUMBERS: softplus: {{[0-9.]+}} ulp
// NUMBERS: root: {{[0-9.]+}} ulp
// NUMBERS: reciprocal_root: {{[0-9.]+}} ulp
// NUMBERS: 10 functions, 0 too far off

gpu.module @functions {
  // What is divided by is not less than 1. Of a quarter of it, no reciprocal is below
  // 2^-126.
  // CHECK-LABEL: llvm.func @sigmoid
  // CHECK: %[[E:.*]] = llvm.call @__nv_expf
  // CHECK: %[[QUARTER:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK: %[[D:.*]] = llvm.call @__nv_fmaf(%[[E]], %[[QUARTER]], %[[QUARTER]])
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f %[[D]]
  // CHECK: %[[SAME:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK: llvm.fmul %[[R]], %[[SAME]]
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
  // CHECK: %[[SAME:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK: llvm.fmul %[[R]], %[[SAME]]
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

  // The product with the sigmoid is below 2^-126 where the exponential is; a divisor of at
  // most 2 has no special cases.
  // CHECK-LABEL: llvm.func @narrow_pair
  // CHECK-NOT: __nv_expf
  // CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK: %[[E:.*]] = llvm.call @__nv_fmaf(%[[P]], %{{.*}}, %[[P]])
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

  // sigmoid(-x), as --scan-share-sigmoids has it beside sigmoid(x).
  // CHECK-LABEL: llvm.func @wide_pair
  // CHECK: __nv_expf
  gpu.func @wide_pair(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    %large = arith.subf %one, %s : f32
    %small = arith.mulf %e, %s : f32
    %is_small = arith.cmpf oge, %s, %half : f32
    %rest = arith.select %is_small, %small, %large : f32
    memref.store %rest, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // Factors that are powers of two become one.
  // CHECK-LABEL: llvm.func @gelu
  // CHECK: %[[X:.*]] = llvm.load
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f
  // CHECK-NEXT: %[[F:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK-NEXT: %[[Q:.*]] = llvm.fmul %[[X]], %[[F]]
  // CHECK-NEXT: llvm.fmul %[[R]], %[[Q]]
  gpu.func @gelu(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %half = arith.constant 0.5 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    %twice = arith.mulf %s, %two : f32
    %halved = arith.mulf %x, %half : f32
    %y = arith.mulf %twice, %halved : f32
    memref.store %y, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // What is computed before a loop takes the factor.
  // CHECK-LABEL: llvm.func @gate
  // CHECK: %[[F:.*]] = llvm.mlir.constant(2.500000e-01 : f32)
  // CHECK-NEXT: llvm.fmul %{{.*}}, %[[F]]
  // CHECK: llvm.br
  // CHECK: %[[R:.*]] = nvvm.rcp.approx.ftz.f
  // CHECK-NEXT: llvm.fmul %[[R]], %{{.*}}
  // CHECK-NEXT: llvm.extractvalue
  gpu.func @gate(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    %before = memref.load %xs[%i] : memref<8xf32>
    // 1, which nobody folds.
    %above = arith.maximumf %before, %one : f32
    %d = arith.minimumf %above, %one : f32
    cf.br ^step
  ^step:
    %x = memref.load %xs[%i] : memref<8xf32>
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %one : f32
    %s = arith.divf %one, %sum : f32
    %y = arith.mulf %s, %d : f32
    memref.store %y, %xs[%i] : memref<8xf32>
    gpu.return
  }

  // An argument that functions and a product have rounded may be rounded once more. What is
  // below 2^-126 is the square of what is not.
  // CHECK-LABEL: llvm.func @decay
  // CHECK: %[[SCALE:.*]] = llvm.mlir.constant(0.721{{.*}} : f32)
  // CHECK-NEXT: %[[T:.*]] = llvm.fmul %{{.*}}, %[[SCALE]]
  // CHECK-NEXT: %[[H:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[T]])
  // CHECK-NEXT: llvm.fmul %[[H]], %[[H]]
  gpu.func @decay(%xs: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %xs[%i] : memref<8xf32>
    %factor = arith.constant -140.0 : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %l = math.log1p %e : f32
    %t = arith.mulf %l, %factor : f32
    %a = math.exp %t : f32
    memref.store %a, %xs[%i] : memref<8xf32>
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
