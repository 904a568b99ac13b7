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

def ScanFuseElementwise : Pass<"scan-fuse-elementwise"> {
  let summary = "grow the maps of scan.kernel by the elementwise code around it";
  let description = [{
    Inlines elementwise producers of a kernel's inputs and inits into `load` and
    `initialize`, and elementwise consumers of its outputs into `store`, until
    nothing changes. What was read and written between them is then neither.

    *Elementwise* is every operation that computes each element of its result
    from at most one element of each operand at permuted or repeated indices:
    structured `linalg` operations whose iterators are all parallel
    (`linalg.generic`, `map`, `fill`, `broadcast`, `transpose`, named
    elementwise ones), elementwise `arith`, `math` and `complex` operations on
    tensors, `tensor.splat`, `tensor.cast` and splat constants.

    A producer is inlined if only this kernel uses it, or if inlining makes the
    kernel read no more bytes than it does now. A consumer is inlined if it lies
    in the kernel's block and needs nothing that is computed from the kernel but
    the kernel's own results. Outputs that nobody uses any more disappear.
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numProducers", "producers-fused", "Producers inlined">,
    Statistic<"numConsumers", "consumers-fused", "Consumers inlined">];
}

#endif // SCAN_TRANSFORMS_PASSES_TD
