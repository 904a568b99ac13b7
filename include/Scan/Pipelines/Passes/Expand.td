//===- Expand.td - What LLVM cannot take as it is ----------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_EXPAND_TD
#define SCAN_PIPELINES_PASSES_EXPAND_TD

include "mlir/Pass/PassBase.td"

def ScanExpandArith : Pass<"scan-expand-arith"> {
  let summary = "expand arith operations that LLVM has no, or no good, counterpart of";
  let description = [{
    To follow `--arith-emulate-unsupported-floats`, in place of
    `--arith-expand`, with two differences that results depend on:

    *   That pass marks its conversions `contract`, by which a rounding to
        `bf16` between two operations folds away. The mark is taken off
        `arith.extf` and `arith.truncf`, so that each operation rounds.
    *   Minima and maxima stay what they are, for LLVM's intrinsics: as a
        comparison and a selection they would take the second of two zeros,
        where -0 is less than +0.

    Division that rounds up or down, and conversions from and to `bf16`, become
    plain arithmetic. A conversion of `f64` to `bf16` rounds once. The remainder
    by -1 is 0 also of the smallest integer, where LLVM's is undefined.

    Before:

    ```mlir
    func.func @blocks(%a: i32, %b: i32, %x: f32, %y: f32) -> (i32, bf16) {
      %n = arith.ceildivui %a, %b : i32
      %m = arith.minimumf %x, %y : f32
      %r = arith.truncf %m : f32 to bf16
      return %n, %r : i32, bf16
    }
    ```

    After `--scan-expand-arith`:

    ```mlir
    func.func @blocks(%arg0: i32, %arg1: i32, %arg2: f32, %arg3: f32) -> (i32, bf16) {
      // ...
      %1 = arith.subi %arg0, ... : i32
      %2 = arith.divui %1, %arg1 : i32
      %3 = arith.addi %2, ... : i32
      // ...
      ... = arith.minimumf %arg2, %arg3 : f32
      ... = arith.cmpf une, ... : f32
      // ...
      ... = arith.bitcast ... : i16 to bf16
      return ... : i32, bf16
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScanExpandCopies : Pass<"scan-expand-copies"> {
  let summary = "expand copies and clones of arrays with layouts to linalg operations";
  let description = [{
    A `memref.copy` from or to a memref whose layout is not row-major becomes a
    `linalg.generic`, and with that loops. MLIR's lowering calls a function of its
    run-time library for it, which compiled programs do not come with. A
    `bufferization.clone` of such a memref becomes an allocation and that; MLIR has
    no lowering where the type says an offset or strides that a dense array does
    not have. Unranked memrefs and layouts without strides stay as they are.

    Before:

    ```mlir
    func.func @column(%x: memref<?x6xf32>, %y: memref<?x1xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x6xf32>
      %v = memref.subview %x[0, 2] [%n, 1] [1, 1]
          : memref<?x6xf32> to memref<?x1xf32, strided<[6, 1], offset: 2>>
      memref.copy %v, %y : memref<?x1xf32, strided<[6, 1], offset: 2>> to memref<?x1xf32>
      return
    }
    ```

    After `--scan-expand-copies`:

    ```mlir
    func.func @column(%arg0: memref<?x6xf32>, %arg1: memref<?x1xf32>) {
      // ...
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview : ...) outs(%arg1 : memref<?x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ScanExpandMath : Pass<"scan-expand-math"> {
  let summary = "expand exp, exp2, expm1, log, log1p, tanh, sin and cos to arithmetic";
  let description = [{
    Replaces these functions of `f32` and `f64` numbers and vectors by polynomials.
    The largest errors found among eight million numbers, half of them spread
    evenly over the bit patterns, in units in the last place:

    | function | f32  | f64  |
    |----------|------|------|
    | `exp`    | 1.05 | 1.05 |
    | `exp2`   | 1.05 | 1.13 |
    | `expm1`  | 1.57 | 2.22 |
    | `log`    | 0.82 | 0.82 |
    | `log1p`  | 2.24 | 2.36 |
    | `tanh`   | 2.49 | 2.55 |
    | `sin`    | 0.50 | 2.38 |
    | `cos`    | 0.50 | 2.46 |

    Infinities, NaN, zeros and numbers below the normal ones come out as they
    should. Scalars are treated as vectors are, so that a result does not depend
    on its place. `sin` and `cos` of numbers beyond 2^20 are reduced to those below
    pi/4 one lane at a time, in a branch. Other functions are left to libm: upstream's
    polynomial for `atan` is further off.

    Before:

    ```mlir
    func.func @exp(%x: f32) -> f32 {
      %y = math.exp %x : f32
      return %y : f32
    }
    ```

    After `--scan-expand-math`:

    ```mlir
    func.func @exp(%arg0: f32) -> f32 {
      // ...
      %18 = arith.mulf %17, %10 : f32
      %19 = arith.addf %18, %cst_11 : f32
      // ...
      %29 = arith.shli %24, %c23_i32_12 : i32
      %30 = arith.bitcast %29 : i32 to f32
      // ...
      return ... : f32
    }
    ```
  }];
  let options = [
    Option<"fusedMultiplyAdd", "fused-multiply-add", "bool", /*default=*/"false",
           "Use math.fma, for processors that have it as one instruction">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScanBF16AsBits : Pass<"scan-bf16-as-bits", "::mlir::ModuleOp"> {
  let summary = "keep values of type bf16 as integers in the LLVM dialect";
  let description = [{
    For a module of the LLVM dialect whose arithmetic on bf16 has been expanded:
    values of type bf16 are loaded, stored, selected and passed on, and nothing
    else. LLVM would hold them as f32 in between and round them again, with an
    instruction that flushes subnormal numbers to zero where the processor has
    one (AVX512-BF16), and with a call to a run-time library that may not have
    the function where not. As 16-bit integers they stay what they are.

    Arithmetic that is left over does not verify afterwards.

    Before:

    ```mlir
    llvm.func @choose(%c: i1, %p: !llvm.ptr, %q: !llvm.ptr) {
      %x = llvm.load %p : !llvm.ptr -> bf16
      %y = llvm.load %q : !llvm.ptr -> bf16
      %z = llvm.select %c, %x, %y : i1, bf16
      llvm.store %z, %p : bf16, !llvm.ptr
      llvm.return
    }
    ```

    After `--scan-bf16-as-bits`:

    ```mlir
    llvm.func @choose(%c: i1, %p: !llvm.ptr, %q: !llvm.ptr) {
      %x = llvm.load %p : !llvm.ptr -> i16
      %y = llvm.load %q : !llvm.ptr -> i16
      %z = llvm.select %c, %x, %y : i1, i16
      llvm.store %z, %p : i16, !llvm.ptr
      llvm.return
    }
    ```
  }];
}

def ScanFenceStreams : Pass<"scan-fence-streams", "::mlir::func::FuncOp"> {
  let summary = "order stores that bypass the caches before what follows";
  let description = [{
    A processor may let other threads see a store past the caches, a `vector.store`
    with `nontemporal`, later than the stores that follow it, and even than a lock
    that the thread has released. Behind each operation of the function's body that
    has such stores inside of it stands a fence after this pass. What has threads of
    its own inside of it has to order their stores before they end.

    Before:

    ```mlir
    func.func @fill(%v: vector<16xf32>, %y: memref<?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      scf.for %i = %c0 to %n step %c16 {
        vector.store %v, %y[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
      }
      return
    }
    ```

    After `--scan-fence-streams`:

    ```mlir
    func.func @fill(%v: vector<16xf32>, %y: memref<?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      scf.for %i = %c0 to %n step %c16 {
        vector.store %v, %y[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
      }
      llvm.fence seq_cst
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ScanRenameSymbols : Pass<"scan-rename-symbols", "::mlir::ModuleOp"> {
  let summary = "keep names of functions apart from those that compiled code calls";
  let description = [{
    Compiled code calls functions by name: `malloc`, `abort`, `expf`. A function of
    the program that is called so would be called instead, with arguments that it
    does not take; and LLVM knows what `expf` returns, whatever its body says. So
    private functions and globals of such names get others. A public one is an error:
    its name is for the code that is linked with it, where it would take the place of
    the library's, too. Declarations are the library's functions, and keep their
    names.

    Known are the functions of the C library and of libm that LLVM knows, those of
    the compiler's and of MLIR's run-time libraries, and LLVM's intrinsics.

    With `all`, every function with a body and every global with contents gets a
    name that no library has. The targets `cpu` and `emulator` of `scan-run` compile
    so: there, functions may be called anything.

    Before:

    ```mlir
    func.func private @expf(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    func.func @twice(%x: f32) -> f32 {
      %y = call @expf(%x) : (f32) -> f32
      return %y : f32
    }
    ```

    After `--scan-rename-symbols`:

    ```mlir
    func.func private @scan.user.expf(%arg0: f32) -> f32 {
      // ...
    }
    func.func @twice(%arg0: f32) -> f32 {
      %0 = call @scan.user.expf(%arg0) : (f32) -> f32
      // ...
    ```
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "Give every definition a name that no library has">
  ];
}

def ScanMathToLibm : Pass<"scan-math-to-libm", "::mlir::ModuleOp"> {
  let summary = "call libm for functions that LLVM has no accurate form of";
  let description = [{
    Turns `math.expm1`, `math.log1p`, `math.erf` and others that have no LLVM
    intrinsic, or for which upstream's lowering to LLVM is inaccurate near zero
    (`expm1` as `exp(x) - 1`), to calls of libm. All other functions are left to
    become LLVM intrinsics.

    Before:

    ```mlir
    func.func @f(%x: f64) -> f64 {
      %y = math.expm1 %x : f64
      return %y : f64
    }
    ```

    After `--scan-math-to-libm`:

    ```mlir
    func.func private @expm1(f64) -> f64 attributes {llvm.readnone}
    func.func @f(%x: f64) -> f64 {
      %y = call @expm1(%x) : (f64) -> f64
      return %y : f64
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ScanExpandViews : Pass<"scan-expand-views"> {
  let summary = "--expand-strided-metadata and --convert-vector-to-scf where there is something to do";
  let description = [{
    The same as these two passes, for kernels of thousands of operations, among
    which only a few are views and as a rule none moves a vector that the memory
    of a GPU cannot: no other operation is looked at.

    Before:

    ```mlir
    func.func @f(%p: memref<f32>, %n: index, %s: index) -> index {
      %v = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [%s]
          : memref<f32> to memref<?xf32, strided<[?]>>
      %base, %offset, %size, %stride = memref.extract_strided_metadata %v
          : memref<?xf32, strided<[?]>> -> memref<f32>, index, index, index
      return %stride : index
    }
    ```

    After `--scan-expand-views`:

    ```mlir
    func.func @f(%p: memref<f32>, %n: index, %s: index) -> index {
      return %s : index
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScanGPUToNVVM : Pass<"scan-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "convert the bodies of gpu.modules to the LLVM and NVVM dialects";
  let description = [{
    What upstream's `--convert-gpu-to-nvvm` does with `index-bitwidth=64`,
    `use-bare-ptr-memref-call-conv` and `allow-pattern-rollback=0`, in two thirds of the
    time. The patterns are collected once, and not for each module;
    and rewrites that come before the conversion (of `gpu.all_reduce`, `gpu.global_id`,
    and shuffles of 64 bits) visit the operations that they are for, and not all of them.
    Blocks that do the same are merged, as upstream's pass does by the way. Math functions
    that libdevice does not have are converted, too (`--convert-math-to-llvm`).

    Functions in f32 take fewer instructions than libdevice's where the form of their arguments says
    enough of them. Results are within 4 units in the last place, by all arguments on an H200:

    *   `1 / (1 + exp(x))`: the instruction for a reciprocal (`rcp.approx`), of a quarter of what
        may be so large that it flushes the result; 3.9 units. The factor of 4 is left to constants that are
        powers of two, and to what is computed before a loop, among those that the result is multiplied
        by. An exponential of an extended bf16 that is needed for nothing but such sigmoids, and
        for the product with one of them, which is the sigmoid of the other sign, is the power of two by
        the instruction (`ex2.approx`), and a correction of first order; 2.7 units, and 2.8 for that product.
    *   `exp(x)` of a product `x` with a factor that depends on functions: the square of a power of two, with no
        correction. Such an argument is off by some units itself, and the result by `x` times as many.
    *   `math.sqrt` and `math.rsqrt` of a product with a constant of at least 2^23, which is zero or
        not below 2^-126: the instructions `sqrt.approx` and `rsqrt.approx`; 0.9 and 1.5 units.
    *   `math.log1p` of what is in [0, 1], as it is in a softplus, `max(x, 0) + log1p(exp(-|x|))`: a
        polynomial, 1.4 units.

    Before:

    ```mlir
    gpu.module @kernels {
      gpu.func @twice(%x: memref<8xf32>) kernel {
        %i = gpu.thread_id x
        %e = memref.load %x[%i] : memref<8xf32>
        %s = arith.addf %e, %e : f32
        memref.store %s, %x[%i] : memref<8xf32>
        gpu.return
      }
    }
    ```

    After `--scan-gpu-to-nvvm`:

    ```mlir
    gpu.module @kernels {
      llvm.func @twice(%arg0: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
        // ...
        ... = nvvm.read.ptx.sreg.tid.x : i32
        // ...
        ... = llvm.fadd ... : f32
        // ...
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect"
  ];
}

def ScanLoopsToThreads : Pass<"scan-loops-to-threads"> {
  let summary = "make OpenMP regions of parallel loops over independent scans";
  let description = [{
    Each `scf.parallel` that `--convert-scan-to-loops=threads` and
    `--scan-batch-to-threads` made becomes an `omp.parallel` with an `omp.wsloop`,
    whose iterations are divided evenly among the threads; a loop of one iteration stays on the thread that reaches it (the
    `if` clause). The scratch memory of an iteration is allocated once per thread.
    Loops in which an iteration waits for what another one does (`scan.wait`) call
    `sched_yield` of POSIX, unless the program has a function of that name: there may
    be more threads than processors.

    A thread other than the first must not stop the program, and has no memory of the
    run's: a loop with a `cf.assert`, an allocation or a call in it becomes an
    `scf.for`. The pass is to follow those that add checks. Other `scf.parallel` stay
    as they are.

    Before:

    ```mlir
    func.func @negate(%x: memref<?xf32>, %parts: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%parts) step (%c1) {
        %e = memref.load %x[%i] : memref<?xf32>
        %n = arith.negf %e : f32
        memref.store %n, %x[%i] : memref<?xf32>
        scf.reduce
      } {scan.threads}
      return
    }
    ```

    After `--scan-loops-to-threads`:

    ```mlir
    func.func @negate(%x: memref<?xf32>, %parts: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %several = arith.cmpi ugt, %parts, %c1 : index
      omp.parallel if(%several) {
        omp.wsloop nowait {
          omp.loop_nest (%i) : index = (%c0) to (%parts) step (%c1) {
            %e = memref.load %x[%i] : memref<?xf32>
            %n = arith.negf %e : f32
            memref.store %n, %x[%i] : memref<?xf32>
            omp.yield
          }
        }
        omp.terminator
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::omp::OpenMPDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // SCAN_PIPELINES_PASSES_EXPAND_TD
