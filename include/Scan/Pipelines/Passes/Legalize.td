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

#endif // SCAN_PIPELINES_PASSES_LEGALIZE_TD
