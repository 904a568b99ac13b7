//===- Reducer.h - Makes a program small while a test holds ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_REDUCER_H
#define SCAN_LIB_REDUCE_REDUCER_H

#include "InterestingnessTest.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::scan {

/// What a reduction is called and what it does, for users.
struct ReductionInfo {
  std::string name, summary;
};

/// The reductions in the order in which they are tried, those that dialects
/// loaded in `context` provide among them.
llvm::SmallVector<ReductionInfo> listReductions(MLIRContext &context);

struct ReducerOptions {
  /// Only reductions of these names; all of them if it is empty.
  llvm::SmallVector<std::string> only;
  /// Called after each run of the test with what has been tried and kept, the
  /// smallest program so far, and the name of the reduction that was kept, or
  /// an empty string.
  struct Progress {
    unsigned tried = 0, kept = 0;
    llvm::StringRef program, reduction;
  };
  llvm::function_ref<void(const Progress &)> onProgress;
};

/// The text of `module`: its operations one after the other, without a module
/// around them where it says nothing.
std::string printProgram(ModuleOp module);

/// Makes `module` as small as its reductions make it while `test`, which has
/// to hold for it, holds. Every program that is tested is valid and parses, and
/// is smaller than the one before: fewer operations first, then fewer operands,
/// results, arguments and attributes, then smaller extents, then less text.
/// Leaves in `module` the smallest program found even if it fails because the
/// test could not be run or was stopped.
llvm::Error reduceProgram(OwningOpRef<ModuleOp> &module,
                          InterestingnessTest &test,
                          const ReducerOptions &options);

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCE_REDUCER_H
