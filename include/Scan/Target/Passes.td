//===- Passes.td - Passes around GPU targets ---------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TARGET_PASSES_TD
#define SCAN_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckGPUHostPass : Pass<"scan-check-gpu-host", "::mlir::func::FuncOp"> {
  let summary = "Rejects what is left outside of the kernels of a function";
  let description = [{
    A function that is compiled to PTX consists of kernels and of the address
    and size computations between them: there is nobody to run anything else.
    Run after `--scan-normalize` and `--scan-fuse-elementwise`, this pass emits
    an error at the first operation that is neither a `scan.kernel` nor such a
    computation.
  }];
}

def ResultsToOutParamsPass
    : Pass<"scan-results-to-out-params", "::mlir::ModuleOp"> {
  let summary = "Turns buffers that functions return into out-parameters";
  let description = [{
    Every memref that a function returns becomes an argument at the end of its
    argument list, with the attribute
    `scan.result = {index = k, shape = [...]}`: the number of the result and its
    extents as expressions in the extents of the arguments (`arg0_d1` is
    dimension 1 of argument 0), which tell the caller how much to allocate. An
    allocation that is returned is replaced by the argument; anything else that
    is returned (an argument, one buffer twice, a view) is copied into it. The
    argument has no layout map.

    Functions that others call keep their results. Upstream's
    `buffer-results-to-out-params` does neither say the extents of dynamic
    results nor accept that one buffer is returned twice.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def MergeGPUModulesPass : Pass<"scan-merge-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "Moves all kernels into one gpu.module, with names for PTX";
  let description = [{
    One PTX file is made of one GPU module. Where symbols clash the later one is
    renamed, and so is a kernel whose name is no identifier in PTX;
    `gpu.launch_func` follows.
  }];
}

#endif // SCAN_TARGET_PASSES_TD
