//===- CudaToolkit.h - Finds ptxas and libdevice ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two files of the CUDA Toolkit are of use when PTX is made: libdevice, the
// bitcode of the math functions, and ptxas, the assembler. Neither needs a GPU
// or a driver, and neither is needed for a program without math functions.
//
// Both are looked for in the folders that CUDA_HOME and CUDA_PATH name. Whoever
// sets one of these means that toolkit; if neither is set, the places are
//   1. for ptxas, PATH,
//   2. /usr/local/cuda,
//   3. nvidia/cu13 (the PyPI wheels nvidia-cuda-nvcc and nvidia-nvvm) of the
//      Python environment that VIRTUAL_ENV names, or of a folder `.venv` in the
//      working directory or in a folder above it, or above the running program.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_CUDATOOLKIT_H
#define SCAN_LIB_TARGET_CUDATOOLKIT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::scan {

/// The path of libdevice.10.bc; empty if there is none in the places above.
std::string findLibdevice();

/// The path of ptxas; empty if there is none in the places above.
std::string findPtxas();

/// The end of a sentence for diagnostics: where a file of the toolkit is looked
/// for and how to get it.
std::string getToolkitHelp();

/// What ptxas says about one kernel.
struct KernelResources {
  std::string entry;
  /// 32-bit registers per thread.
  unsigned registers = 0;
  /// Bytes that a thread keeps in local memory for want of registers.
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  /// Bytes of local memory per thread, spills included.
  unsigned stackBytes = 0;
  /// Bytes of shared memory per block.
  unsigned sharedBytes = 0;
  /// Machine instructions of its code; 0 if they cannot be counted.
  unsigned instructions = 0;
};

/// Assembles `ptx` for `chip` with the assembler at `ptxas` (at its default
/// optimisation level) and returns what it reports, kernels in its order. On an
/// error the message has what ptxas printed.
llvm::Expected<llvm::SmallVector<KernelResources>>
assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx, llvm::StringRef chip);

/// Assembles `ptx` with the ptxas that is found and prints a table of what it
/// reports, one line per kernel; prints where it was looked for if there is
/// none. Fails if the PTX does not assemble.
llvm::Error reportKernelResources(llvm::StringRef ptx, llvm::StringRef chip,
                                  llvm::raw_ostream &os);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_CUDATOOLKIT_H
