//===- Buffers.td - Tensors become memory ------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_BUFFERS_TD
#define SCAN_PIPELINES_PASSES_BUFFERS_TD

include "mlir/Pass/PassBase.td"

def ScanBufferize : Pass<"scan-bufferize", "::mlir::ModuleOp"> {
  let summary = "one-shot bufferization with function boundaries for scans";
  let description = [{
    Runs one-shot bufferization over the whole module. Arguments become memrefs
    in row-major order, so that the innermost dimension is known to be
    contiguous, unless `strided-arguments` or the attribute
    `bufferization.buffer_layout` says otherwise; the layout of results is that
    of the value returned, so that nothing is copied in order to return it.
    Arguments of public functions are never written to, unless they have the
    attribute `bufferization.writable = true` or the option says so.

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

    After `--scan-bufferize=strided-arguments=any`:

    ```mlir
    func.func @update(%arg0: memref<4xf32, strided<[?], offset: ?>>, %arg1: index, %arg2: f32) -> memref<4xf32> {
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      memref.copy %arg0, %alloc : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
      memref.store %arg2, %alloc[%arg1] : memref<4xf32>
      // ...
      return %alloc : memref<4xf32>
    }
    ```
  }];
  let options = [
    Option<"stridedArguments", "strided-arguments",
           "::mlir::scan::StridedArguments",
           /*default=*/"::mlir::scan::StridedArguments::None",
           "The strides and offsets that tensor arguments may have at run time: "
           "none (dense), outer (the innermost dimension is contiguous) or any",
           "::mlir::scan::getStridedArgumentsValues()">,
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

    Where both branches of an `scf.if` write a result into one `tensor.empty`, or into one that
    was filled, and something else writes there, too, the result gets a destination of its own, so that after bufferization the branches write to the same place and
    yield nothing. Where one branch hands on what an operation in front of it has computed,
    the other one writes into that instead of a `tensor.empty`, for the same reason.

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

    A buffer that is copied into a part of another one, where it has fewer dimensions,
    becomes that part, unless somebody looks at the other one meanwhile. (Of those
    with the same dimensions bufferization takes care.)

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

def ScanSimplifyDeallocations : Pass<"scan-simplify-deallocations"> {
  let summary = "decide what `bufferization.dealloc` frees";
  let description = [{
    Applies the canonicalization of `bufferization.dealloc`, and to no other operation: whatever
    is never freed, because it belongs to a caller or is returned, is no operand any more. Where
    operands are left, `--buffer-deallocation-simplification` runs, too. To be run behind
    `--ownership-based-buffer-deallocation`, where `--canonicalize` would look at each operation of
    loops that are long already, and so would the analysis of which memory may be the same.

    Before:

    ```mlir
    func.func @free(%m: memref<8xf32>, %n: memref<8xf32>) {
      %true = arith.constant true
      %false = arith.constant false
      bufferization.dealloc (%m, %n : memref<8xf32>, memref<8xf32>) if (%true, %false)
      return
    }
    ```

    After `--scan-simplify-deallocations`:

    ```mlir
    func.func @free(%arg0: memref<8xf32>, %arg1: memref<8xf32>) {
      // ...
      bufferization.dealloc (%arg0 : memref<8xf32>) if (%true)
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ScanDeallocate : Pass<"scan-deallocate", "::mlir::ModuleOp"> {
  let summary = "free what functions allocate";
  let description = [{
    Each `memref.alloc` that its function does not return is freed at the end of its block. Where
    that is not plain, because a buffer comes out of a branch, a loop or a call, or a function
    returns a view or memory of its caller, upstream's passes do it, for the whole module:
    `--ownership-based-buffer-deallocation`, `--scan-simplify-deallocations` and
    `--bufferization-lower-deallocations`. These follow buffers through each of the loops of
    kernels, which takes as long as to make these.

    Before:

    ```mlir
    func.func @double(%x: memref<8xf32>) -> memref<8xf32> {
      %t = memref.alloc() : memref<8xf32>
      %y = memref.alloc() : memref<8xf32>
      linalg.add ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
      linalg.exp ins(%t : memref<8xf32>) outs(%y : memref<8xf32>)
      return %y : memref<8xf32>
    }
    ```

    After `--scan-deallocate`:

    ```mlir
    func.func @double(%arg0: memref<8xf32>) -> memref<8xf32> {
      %alloc = memref.alloc() : memref<8xf32>
      %alloc_0 = memref.alloc() : memref<8xf32>
      // ...
      memref.dealloc %alloc : memref<8xf32>
      return %alloc_0 : memref<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
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

#endif // SCAN_PIPELINES_PASSES_BUFFERS_TD
