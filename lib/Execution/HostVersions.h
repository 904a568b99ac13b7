//===- HostVersions.h - Code for several processors in one ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_HOSTVERSIONS_H
#define SCAN_LIB_EXECUTION_HOSTVERSIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::scan {

/// The processors that `cpu` names for `triple`, the least able first: one, or
/// several levels of x86-64, with commas or as "portable".
llvm::Expected<SmallVector<std::string>> getVersions(const llvm::Triple &triple,
                                                     StringRef cpu);

/// A module with several versions of the same functions, and functions that
/// choose one by what the processor has when they are called first.
class HostVersions {
public:
  explicit HostVersions(llvm::LLVMContext &context);
  ~HostVersions();

  /// Takes over `version`, whose functions are optimised for `machine`, which
  /// is more able than those before.
  void add(std::unique_ptr<llvm::Module> version,
           const llvm::TargetMachine &machine);
  /// The module, to be compiled for the least able processor. All versions have
  /// been added.
  llvm::Module &finish();

private:
  void addChoice(StringRef name);

  std::unique_ptr<llvm::Module> module;
  /// The processors of the versions.
  SmallVector<std::string> cpus;
  /// The names of C of all functions that there are versions of.
  SmallVector<std::string> functions;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_HOSTVERSIONS_H
