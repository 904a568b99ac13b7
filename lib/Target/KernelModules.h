//===- KernelModules.h - A gpu.module for each kernel -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compiled at the same time, in as many threads as the context
// has. Passes of MLIR and of LLVM work on whole modules, so each kernel gets a
// module to itself, and the PTX of all becomes one text.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_KERNELMODULES_H
#define SCAN_LIB_TARGET_KERNELMODULES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// Gives each kernel of the one gpu.module of `program` a gpu.module of its
/// own, and has its launches refer to that. A module that is not the only one,
/// or with symbols that are not kernels or in use there, stays. Returns all
/// gpu.modules.
SmallVector<gpu::GPUModuleOp> splitKernels(ModuleOp program);

/// Renames what is defined for `module` alone, such as functions of libdevice
/// that are not inlined, and the dynamic shared memory: other kernels in the
/// same PTX have such, too.
void renameLocalSymbols(llvm::Module &module, StringRef suffix);

/// One PTX text of those of modules with different symbols, for one target.
std::string joinPTX(ArrayRef<std::string> texts);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_KERNELMODULES_H
