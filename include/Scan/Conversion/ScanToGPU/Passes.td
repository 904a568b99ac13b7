//===- Passes.td - scan.kernel to gpu kernels --------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOGPU_PASSES_TD
#define SCAN_CONVERSION_SCANTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertScanToGPU : Pass<"convert-scan-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turns scan.kernel on memrefs into GPU kernels and their launches";
  let description = [{
    Every `scan.kernel` becomes a `gpu.func` in the module's one
    `gpu.module @scan_kernels` and a `gpu.launch_func` in its place. The kernel
    needs a schedule (`--scan-assign-schedule` writes one) and memref operands
    with a strided layout.

    The `sequential` strategy gives each point outside the scan dimension one
    thread, which walks the scan dimension and loads `items` steps ahead;
    neighbouring threads own neighbouring points. The `row` strategy gives it
    one block of `threads` threads, which walks tiles of `threads * items`
    steps with a carry.

    The arguments of the `gpu.func` are flat. For each operand of the kernel, in
    order: a scalar operand is passed as it is; a shaped one as a pointer
    (`memref<T>`), its offset in elements if that is dynamic, and each dynamic
    stride in elements. After them follows the extent of each domain dimension
    that is dynamic. Attributes of the `gpu.func` say how to launch it:

    *   `scan.args`: one dictionary per argument: `name`; `kind` (`"pointer"`,
        `"offset"`, `"stride"`, `"scalar"` or `"size"`); `role` (`"input"`,
        `"init"`, `"output"` or `"final"`; not for sizes); `operand`, the number of
        the operand of the `scan.kernel` (not for sizes); `dim`, the dimension
        of the operand for a stride and of the domain for a size; `type`, the
        element type of a pointer or the type of a scalar.
    *   `scan.grid`: a map from the sizes, in the order of their arguments, to
        the three dimensions of the grid. More than 2147483647 blocks are laid
        out in two dimensions. Where an extent is 0 the grid may be empty: then
        there is nothing to launch.
    *   `scan.block`: the threads per block.
    *   `scan.schedule`: the schedule.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // SCAN_CONVERSION_SCANTOGPU_PASSES_TD
