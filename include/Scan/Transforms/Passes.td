//===- Passes.td - Passes from scans to scans --------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_TD
#define SCAN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanNormalize : Pass<"scan-normalize"> {
  let summary = "turn every scan into scan.kernel";
  let description = [{
    Rewrites `scan.associative` and `scan.linear_recurrence` to `scan.kernel`,
    the one op that the backends read. Nothing about the numbers is left to
    them:

    *   The leaves of the kernel have the types to accumulate in. `load` and
        `initialize` extend, `store` and `finalize` round once, and the combine
        region is retyped so that no 16-bit floating-point arithmetic is left.
    *   Leaves with trailing dimensions are split into one scalar leaf per
        element, and so are the tensor operations of their combine region. An
        operation that has no such rewrite is an error.
    *   `compensated` becomes a second leaf that carries the rounding errors of
        the first.
    *   `scan.linear_recurrence` becomes the composition of affine maps, of
        which only the offset is stored.

    The results keep their types; the outputs are new (`tensor.empty`).
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">];
}

#endif // SCAN_TRANSFORMS_PASSES_TD
