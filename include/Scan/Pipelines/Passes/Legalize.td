//===- Legalize.td - On the way to the LLVM dialect --------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_LEGALIZE_TD
#define SCAN_PIPELINES_PASSES_LEGALIZE_TD

include "mlir/Pass/PassBase.td"

def ScanLinalgToLoops : Pass<"scan-linalg-to-loops", "::mlir::func::FuncOp"> {
  let summary = "make scalar loops of structured operations, where there are any";
  let description = [{
    Runs `--convert-linalg-to-loops` on functions with operations of `linalg`. On others that pass
    does nothing, but looks at each operation of loops that are long already.

    Before:

    ```mlir
    func.func @exp(%x: memref<8xf32>, %y: memref<8xf32>) {
      linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      return
    }
    ```

    After `--scan-linalg-to-loops`:

    ```mlir
    func.func @exp(%arg0: memref<8xf32>, %arg1: memref<8xf32>) {
      // ...
      scf.for %arg2 = ... {
        %0 = memref.load %arg0[%arg2] : memref<8xf32>
        %1 = math.exp %0 : f32
        memref.store %1, %arg1[%arg2] : memref<8xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ScanLegalize : Pass<"scan-legalize", "::mlir::func::FuncOp"> {
  let summary = "make plain arithmetic of what the LLVM dialect has no counterpart of";
  let description = [{
    Runs those of these passes that have something to do for a function, in this order:
    `--math-extend-to-supported-types`, `--arith-emulate-unsupported-floats` of `bf16` in `f32`,
    `--convert-complex-to-standard`, `--scan-expand-arith`, `--expand-strided-metadata` and
    `--lower-affine`.

    Before:

    ```mlir
    func.func @scale(%x: bf16, %y: bf16) -> bf16 {
      %p = arith.mulf %x, %y : bf16
      return %p : bf16
    }
    ```

    After `--scan-legalize`:

    ```mlir
    func.func @scale(%arg0: bf16, %arg1: bf16) -> bf16 {
      // ...
      ... = arith.mulf ... : f32
      // ...
      return ... : bf16
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScanSplitDescriptors : Pass<"scan-split-descriptors", "::mlir::ModuleOp"> {
  let summary = "let parallel regions use fields of descriptors, not descriptors";
  let description = [{
    Each `llvm.extractvalue` becomes what was inserted there, if that is known, and is done in front
    of the `omp.parallel` that it is in, if the aggregate comes from there. A region gets what it
    uses in memory, aggregates field by field, and descriptors of memrefs have more of them than
    loops need. Aggregates that nobody uses are erased.

    Before:

    ```mlir
    llvm.func @parallel(%p: !llvm.ptr, %q: !llvm.ptr, %x: f32) {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr)>
      %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr)>
      %2 = llvm.insertvalue %q, %1[1] : !llvm.struct<(ptr, ptr)>
      omp.parallel {
        %3 = llvm.extractvalue %2[1] : !llvm.struct<(ptr, ptr)>
        llvm.store %x, %3 : f32, !llvm.ptr
        omp.terminator
      }
      llvm.return
    }
    ```

    After `--scan-split-descriptors`:

    ```mlir
    llvm.func @parallel(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: f32) {
      // ...
      omp.parallel {
        llvm.store %arg2, %arg1 : f32, !llvm.ptr
        omp.terminator
      }
      llvm.return
    }
    ```
  }];
}

#endif // SCAN_PIPELINES_PASSES_LEGALIZE_TD
