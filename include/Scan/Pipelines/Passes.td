//===- Passes.td - Passes that only pipelines need ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_TD
#define SCAN_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanBufferize : Pass<"scan-bufferize", "::mlir::ModuleOp"> {
  let summary = "one-shot bufferization with function boundaries for scans";
  let description = [{
    Runs one-shot bufferization over the whole module. Arguments become memrefs
    in row-major order, so that the innermost dimension is known to be
    contiguous; the layout of results is that of the value returned, so that
    nothing is copied in order to return it. Arguments of public functions are
    never written to, unless they have the attribute
    `bufferization.writable = true` or the option says so.

    Before:

    ```mlir
    func.func @update(%x: tensor<4xf32>, %i: index, %v: f32) -> tensor<4xf32> {
      %y = tensor.insert %v into %x[%i] : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```

    After `--scan-bufferize`:

    ```mlir
    func.func @update(%arg0: memref<4xf32>, %arg1: index, %arg2: f32) -> memref<4xf32> {
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      memref.copy %arg0, %alloc : memref<4xf32> to memref<4xf32>
      memref.store %arg2, %alloc[%arg1] : memref<4xf32>
      // ...
      return %alloc : memref<4xf32>
    }
    ```

    After `--scan-bufferize=writable-arguments`:

    ```mlir
    func.func @update(%arg0: memref<4xf32>, %arg1: index, %arg2: f32) -> memref<4xf32> {
      memref.store %arg2, %arg0[%arg1] : memref<4xf32>
      // ...
      return %arg0 : memref<4xf32>
    }
    ```
  }];
  let options = [
    Option<"writableArguments", "writable-arguments", "bool",
           /*default=*/"false",
           "Public functions may write to the buffers of their arguments">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ScanSplitDestinations : Pass<"scan-split-destinations"> {
  let summary = "let no more than so many operations write to one tensor.empty";
  let description = [{
    To be run before bufferization. Operations whose destination is one
    `tensor.empty` may come to work in one buffer, so that bufferization compares
    each of them with each other: in time that grows as the cube of their number.
    A `tensor.empty` with more than `max-uses` uses is repeated for the next so many
    of them, in program order. Each of the copies is bufferized as the one would be;
    `--scan-share-buffers` makes one buffer of those that are not needed at a time.

    Before:

    ```mlir
    func.func @fills(%a: f32, %b: f32) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = tensor.empty() : tensor<8xf32>
      %x = linalg.fill ins(%a : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %y = linalg.fill ins(%b : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      return %x, %y : tensor<8xf32>, tensor<8xf32>
    }
    ```

    After `--scan-split-destinations=max-uses=1`:

    ```mlir
    func.func @fills(%arg0: f32, %arg1: f32) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tensor.empty() : tensor<8xf32>
      %1 = linalg.fill ins(%arg0 : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
      %2 = tensor.empty() : tensor<8xf32>
      %3 = linalg.fill ins(%arg1 : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
      return %1, %3 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"maxUses", "max-uses", "int64_t", /*default=*/"64",
           "The most uses that a tensor.empty keeps">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ScanShareBuffers : Pass<"scan-share-buffers"> {
  let summary = "allocate one buffer for several that are needed one after another";
  let description = [{
    To be run after bufferization, before deallocation. Of allocations in one block
    with the same type, sizes and attributes those become one whose first use comes
    behind the last use of another. Only buffers that nobody can keep are shared: kernels,
    structured operations, copies, loads and stores look at them, perhaps through
    views.

    Where there are fewer than `min-buffers` alike, they stay: bufferization has
    found which operations may work in one buffer, and a few more cost little.

    Before:

    ```mlir
    func.func @fills(%a: f32, %b: f32, %x: memref<8xf32>, %y: memref<8xf32>) {
      %0 = memref.alloc() : memref<8xf32>
      linalg.fill ins(%a : f32) outs(%0 : memref<8xf32>)
      memref.copy %0, %x : memref<8xf32> to memref<8xf32>
      %1 = memref.alloc() : memref<8xf32>
      linalg.fill ins(%b : f32) outs(%1 : memref<8xf32>)
      memref.copy %1, %y : memref<8xf32> to memref<8xf32>
      return
    }
    ```

    After `--scan-share-buffers=min-buffers=2`:

    ```mlir
    func.func @fills(%arg0: f32, %arg1: f32, %arg2: memref<8xf32>, %arg3: memref<8xf32>) {
      %alloc = memref.alloc() : memref<8xf32>
      linalg.fill ins(%arg0 : f32) outs(%alloc : memref<8xf32>)
      memref.copy %alloc, %arg2 : memref<8xf32> to memref<8xf32>
      linalg.fill ins(%arg1 : f32) outs(%alloc : memref<8xf32>)
      memref.copy %alloc, %arg3 : memref<8xf32> to memref<8xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"minBuffers", "min-buffers", "int64_t", /*default=*/"8",
           "How many allocations have to be alike for any of them to be shared">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ScanCheckAllocations : Pass<"scan-check-allocations"> {
  let summary = "check at run time that the sizes of arrays make sense";
  let description = [{
    Puts a `cf.assert` in front of every `memref.alloc` with dynamic extents:
    none is negative, and the size in bytes does not overflow. A static size
    that does is an error.

    Before:

    ```mlir
    func.func @make(%n: index) -> memref<?xf32> {
      %a = memref.alloc(%n) : memref<?xf32>
      return %a : memref<?xf32>
    }
    ```

    After `--scan-check-allocations`:

    ```mlir
    func.func @make(%arg0: index) -> memref<?xf32> {
      // ...
      cf.assert %5, "expected an array of extents that are not negative and of a size that can be addressed"
      %alloc = memref.alloc(%arg0) : memref<?xf32>
      return %alloc : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"
  ];
}

def ScanPlaceResults : Pass<"scan-place-results", "::mlir::ModuleOp"> {
  let summary = "let callers choose the memory of results";
  let description = [{
    A `memref.alloc` whose memory a public function returns becomes a call of
    `scan.allocate_result`, a function of whoever runs the code: it gets the
    number of the result, its bytes and its alignment, and returns the address,
    of an array of its own or of memory to be freed with `free`. So results are
    computed where they are wanted, not copied there. An allocation inside of a
    loop or a branch, one with a layout, and one that is returned a second time
    stay, as do all if the module has something else of that name.

    Before:

    ```mlir
    func.func @make(%n: index) -> memref<?xf32> {
      %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      return %a : memref<?xf32>
    }
    ```

    After `--scan-place-results`:

    ```mlir
    llvm.func @scan.allocate_result(i64, i64, i64) -> (!llvm.ptr {llvm.noalias})
    func.func @make(%arg0: index) -> memref<?xf32> {
      // ...
      %3 = llvm.call @scan.allocate_result(%c0_i64, %2, %c64_i64) : (i64, i64, i64) -> !llvm.ptr
      // ...
      return %10 : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def ScanCheckBounds : Pass<"scan-check-bounds"> {
  let summary = "check at run time that indices and slices are inside of their tensors";
  let description = [{
    Puts a `cf.assert` in front of each of these operations on tensors, for what
    is not known without running:

    *   `tensor.extract`, `tensor.insert`: every index is inside of the tensor;
    *   `tensor.extract_slice`, `tensor.insert_slice`,
        `tensor.parallel_insert_slice`: the slice is, and what is inserted has its
        extents;
    *   `tensor.cast`: extents are what the type says;
    *   `tensor.expand_shape`: the extents have the right product;
    *   `tensor.dim`: the dimension is less than the rank.

    The message has the reference interpreter's words, without the numbers.
    Where the index is the one of a loop over that very dimension there is no
    check. Not checked are regions of scans, which are unrolled and refused where
    an index is no constant, and whether operands of structured and elementwise
    operations fit each other.

    Without `in-loops` it looks at statements of functions and branches, and is to
    precede what changes the program; what has a check gets no second one. With
    `in-loops` it looks at bodies of loops, `linalg` operations and `tensor.generate`,
    among them gathers. A check is a side effect, which keeps loops from becoming scans: that is to follow
    `--scan-raise-recurrence`. An empty slice may be anywhere.

    Before:

    ```mlir
    func.func @pick(%t: tensor<?xf32>, %i: index) -> f32 {
      %e = tensor.extract %t[%i] : tensor<?xf32>
      return %e : f32
    }
    ```

    After `--scan-check-bounds`:

    ```mlir
    func.func @pick(%arg0: tensor<?xf32>, %arg1: index) -> f32 {
      // ...
      %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
      %0 = arith.cmpi ult, %arg1, %dim : index
      cf.assert %0, "...'tensor.extract' op index is out of bounds in dimension 0"
      %extracted = tensor.extract %arg0[%arg1] : tensor<?xf32>
      return %extracted : f32
    }
    ```
  }];
  let options = [
    Option<"inLoops", "in-loops", "bool", /*default=*/"false",
           "Look at the bodies of loops, of linalg operations and of "
           "tensor.generate, instead of what is outside of them">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ScanCheckDivisions : Pass<"scan-check-divisions"> {
  let summary = "check at run time that integer divisions have a result";
  let description = [{
    Puts a `cf.assert` in front of every division and remainder of integers or
    indices, of `arith`, `index` and `llvm`, that may divide by zero, or the
    smallest integer by -1: processors stop a program there. In a vector all
    elements have to pass. The message is the reference interpreter's. Where
    operands are constants that exclude it there is no check.

    To follow the lowering to loops, when regions of other operations, which may
    not stop the program, are gone, and to precede `--scan-expand-arith`, which
    makes other divisions of some. In a `memref.generic_atomic_rmw` a division
    that needs a check is an error.

    Before:

    ```mlir
    func.func @ratio(%a: i32, %b: i32) -> i32 {
      %c7 = arith.constant 7 : i32
      %q = arith.divsi %a, %b : i32
      %r = arith.remsi %q, %c7 : i32
      return %r : i32
    }
    ```

    After `--scan-check-divisions`:

    ```mlir
    func.func @ratio(%arg0: i32, %arg1: i32) -> i32 {
      // ...
      %0 = arith.cmpi ne, %arg1, %c0_i32 : i32
      cf.assert %0, "...'arith.divsi' op division by zero"
      // ...
      %1 = arith.cmpi ne, %arg1, %c-1_i32 : i32
      // ...
      %2 = arith.cmpi ne, %arg0, %c-2147483648_i32 : i32
      %3 = arith.ori %1, %2 : i1
      cf.assert %3, "...'arith.divsi' op signed division overflows: the smallest integer over -1"
      %4 = arith.divsi %arg0, %arg1 : i32
      %5 = arith.remsi %4, %c7_i32 : i32
      return %5 : i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::vector::VectorDialect"
  ];
}

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
  let summary = "expand exp, expm1, log, log1p and tanh of f32 to arithmetic";
  let description = [{
    Replaces these functions of `f32` numbers and vectors by polynomials. The
    largest errors found among four million numbers spread evenly over the bit
    patterns of `f32`, in units in the last place, beside those of glibc:

    | function | here | glibc |
    |----------|------|-------|
    | `exp`    | 0.94 | 0.50  |
    | `expm1`  | 1.53 | 0.76  |
    | `log`    | 0.77 | 0.80  |
    | `log1p`  | 2.47 | 0.77  |
    | `tanh`   | 4.16 | 2.14  |

    Infinities, NaN, zeros and numbers below the normal ones come out as they
    should. Scalars are treated as vectors are, so that a result does not depend
    on its place. Other functions are left to libm: upstream's polynomials for
    `sin`, `cos` and `atan` are further off.

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
      %5 = math.roundeven %4 : f32
      // ...
      %10 = arith.mulf %9, %cst_5 : f32
      %11 = arith.addf %10, %cst_4 : f32
      %12 = arith.mulf %11, %9 : f32
      // ...
      return ... : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
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

def ScanCountMatches : Pass<"scan-count-matches", "::mlir::ModuleOp"> {
  let summary = "let the passes that follow count what they find";
  let description = [{
    Marks the module, so that passes on modules add what they count (their
    statistics) to the attribute `scan.matches`. MLIR prints statistics of its
    own only in builds with assertions or with statistics enabled.
    `--scan-print-traffic` prints the counts as well.

    ```mlir
    func.func @cumsum(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    After `--scan-count-matches --scan-normalize`:

    ```mlir
    module attributes {scan.matches = {"scan-normalize" = {kernels = 1 : i64}}} {
      // ...
    }
    ```
  }];
}

def ScanExplain : Pass<"scan-explain", "::mlir::ModuleOp"> {
  let summary = "print which schedule each scan has on a GPU, and why";
  let description = [{
    Normalises and fuses a copy of the program, and prints for each kernel what
    `--scan-assign-schedule` makes of it on `chip`: the schedule, the tile that
    a block handles at a time, how many blocks a multiprocessor runs and what
    limits them, how many bytes of loads wait at a time (a memory that is to be
    kept busy needs bandwidth times latency of them), the bytes that are moved
    and the time they take, each beside its floor (each input read and each
    output written once, at the speed of a copy), and the best schedule of each
    other strategy. Changes nothing. A schedule that the program gives is kept,
    and estimated; one that breaks a limit of the chip is an error that names
    the limit.

    The figures come from a model: they rank schedules, and are no measurement.
    Where an extent is dynamic one is assumed, which is said, or `steps` and
    `points` say for which ones to explain. Then there may be
    several schedules, which are listed with their conditions: on `steps`, the
    extent of the scan dimension, and `points`, the product of the others.

    ```mlir
    func.func @cumsum(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
      %y = scan.associative ins(%x : tensor<64x65536xf32>) dim = 1 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<64x65536xf32>
      return %y : tensor<64x65536xf32>
    }
    ```

    After `--scan-explain -o /dev/null`:

    ```mlir
    @cumsum (...) on sm_90
      scan        65536 steps, 64 points
      schedule    strategy = ...; chosen
      tile        ...
      occupancy   ...
      in flight   ...
      moves       32.0 MiB; floor 32.0 MiB
      time        ...
      considered  ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "GPU architecture to explain for: sm_75, sm_80, sm_86, sm_89, sm_90, "
           "sm_100 or sm_120">,
    Option<"dispatch", "dispatch", "bool", "false",
           "Whether kernels with dynamic extents may have several schedules, "
           "among which the host chooses">,
    Option<"steps", "steps", "int64_t", "0",
           "Extent of the scan dimension to explain for where it is dynamic "
           "(default: one is assumed)">,
    Option<"points", "points", "int64_t", "0",
           "Product of the other extents to explain for where one of them is "
           "dynamic (default: one is assumed)">,
    Option<"candidates", "candidates", "bool", "false",
           "List every schedule that was considered, not only the best of each "
           "strategy">,
    Option<"format", "format", "::mlir::scan::ReportFormat",
           "::mlir::scan::ReportFormat::Table", "How to print it",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::ReportFormat::Table, "table", "for people"),
             clEnumValN(::mlir::scan::ReportFormat::Json, "json", "for programs"))}]>,
    Option<"output", "output", "std::string", "\"-\"",
           "File to print to; - is standard output">
  ];
}

def ScanPrintTraffic : Pass<"scan-print-traffic", "::mlir::ModuleOp"> {
  let summary = "print how many bytes each operation reads and writes";
  let description = [{
    Prints, for each function, the bytes that each of its operations reads from
    memory and writes to it, if each is one loop nest, or one kernel of a GPU,
    and nothing stays in a cache in between; their sum; and the *floor*: what
    any program for the function has to move, its inputs and its outputs, once.
    Changes nothing. How each operation is counted is written in
    `Scan/Analysis/Traffic.h`: each element counts once per operation, however
    often it is read; broadcasts, fills, slices, updates in place or not, and
    loops have their rules there.

    Dynamic extents appear by the names that they have in a launch manifest:
    `arg0_d1` is the extent of dimension 1 of argument 0, `arg2` an index
    argument; what is neither is `n0`, `n1`, ... Extents that have to be equal
    share a name. `extents` puts numbers in their place.

    ```mlir
    func.func @decay(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
      %half = arith.constant dense<0.5> : tensor<8x1024xf32>
      %0 = arith.mulf %x, %half : tensor<8x1024xf32>
      %y = math.exp %0 : tensor<8x1024xf32>
      return %y : tensor<8x1024xf32>
    }
    ```

    After `--scan-print-traffic -o /dev/null`:

    ```mlir
    @decay                      bytes read  bytes written
      arith.mulf  ...:3:8   32768       32768
      math.exp    ...:4:8   32768       32768
      total       2 operations  65536       65536
      floor                     32768       32768
      total / floor  2
    ```

    `compare` shows what `--scan-normalize --scan-fuse-elementwise` make of the
    program as well, without changing it, and how often they found something to
    do; otherwise these counts are there if `--scan-count-matches` ran before
    the passes. With `format=json` this is one object: `functions` as they are,
    `fused` as they become, and `matches`.
  }];
  let options = [
    Option<"format", "format", "::mlir::scan::ReportFormat",
           "::mlir::scan::ReportFormat::Table", "How to print it",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::ReportFormat::Table, "table", "for people"),
             clEnumValN(::mlir::scan::ReportFormat::Json, "json", "for programs"))}]>,
    Option<"output", "output", "std::string", "\"-\"",
           "File to print to; - is standard output">,
    ListOption<"extents", "extents", "std::string",
               "Numbers for dynamic extents: arg0_d0=2,arg0_d1=1024">,
    Option<"compare", "compare", "bool", /*default=*/"false",
           "Also show the program normalised and fused">
  ];
}

#endif // SCAN_PIPELINES_PASSES_TD
