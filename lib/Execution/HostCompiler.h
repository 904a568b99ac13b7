//===- HostCompiler.h - From the LLVM dialect to machine code ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiling for this process and compiling to object files have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_HOSTCOMPILER_H
#define SCAN_LIB_EXECUTION_HOSTCOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::scan {

/// What a processor has for vectors.
struct HostVectors {
  unsigned bits = 128;           ///< Of its widest registers.
  bool fusesMultiplyAdd = false; ///< Whether that is one instruction.

  static HostVectors get(const llvm::TargetMachine &machine);
};

/// Registers the code generator of this machine with LLVM.
void initializeHostTarget();

/// Translates `module`, which is in the LLVM dialect, for `machine`. Null after
/// an error was emitted at it.
std::unique_ptr<llvm::Module> translateForMachine(ModuleOp module,
                                                  llvm::LLVMContext &context,
                                                  llvm::TargetMachine &machine);

/// Runs LLVM's `passes`, as the text of `opt -passes` that is known to be
/// valid; where they are empty, those that change the code of scans and of
/// linalg operations.
void optimizeForMachine(llvm::Module &module, llvm::TargetMachine &machine,
                        llvm::StringRef passes = "");

/// Makes the object file of `module`. Fails, after an error was emitted at
/// `location`, if LLVM makes none for `machine`.
LogicalResult emitObject(Location location, llvm::Module &module,
                         llvm::TargetMachine &machine, std::string &object);

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_HOSTCOMPILER_H
