//===- ModuleParts.h - Modules that are compiled at a time ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_MODULEPARTS_H
#define SCAN_LIB_EXECUTION_MODULEPARTS_H

#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::scan {

/// The functions of a module, divided into parts that are compiled by a thread
/// each: what LLVM makes of a function depends on those that it calls, and on
/// no other. So functions that call each other by name are in one part; those
/// whose addresses alone are taken, as are the bodies of parallel regions, are
/// in others where that is worth a thread.
class ModuleParts {
public:
  /// Divides `module` into `most` parts at most. Functions of one part that
  /// another refers to become hidden ones, which only what is linked with them
  /// sees. If there is one part, `module` is as it was.
  ModuleParts(llvm::Module &module, unsigned most);

  unsigned size() const { return names.size(); }

  /// The module with the functions of `part` alone, in `context`: what is left
  /// out is declared. There have to be two parts or more. May be called by
  /// several threads.
  std::unique_ptr<llvm::Module> read(unsigned part,
                                     llvm::LLVMContext &context) const;

private:
  /// The functions of each part.
  std::vector<std::vector<std::string>> names;
  /// All of the module, if there are several parts.
  llvm::SmallVector<char, 0> bitcode;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_MODULEPARTS_H
