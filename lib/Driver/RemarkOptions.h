//===- RemarkOptions.h - Which remarks tools print --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The options that mlir-opt has for optimization remarks, for tools that are
// not made of it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_REMARKOPTIONS_H
#define SCAN_LIB_DRIVER_REMARKOPTIONS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::scan {

/// Regular expressions for the categories of remarks (the names of passes);
/// empty: no remark of the kind.
struct RemarkFilters {
  std::string all, passed, missed;

  bool isEmpty() const {
    return all.empty() && passed.empty() && missed.empty();
  }
};

/// Makes passes emit the remarks as diagnostics. An error if an expression is
/// none.
llvm::Error enableRemarks(MLIRContext &context, const RemarkFilters &filters);

/// The options `--remarks-filter`, `--remarks-filter-passed` and
/// `--remarks-filter-missed`.
struct RemarkCommandLine {
  RemarkCommandLine(RemarkFilters &filters, llvm::cl::OptionCategory &category)
      : all{"remarks-filter", llvm::cl::location(filters.all),
            llvm::cl::desc("Say what passes did and did not do: of those whose "
                           "whole names match REGEX, such as scan-raise-.*"),
            llvm::cl::value_desc("REGEX"), llvm::cl::cat(category)},
        passed{"remarks-filter-passed", llvm::cl::location(filters.passed),
               llvm::cl::desc("Only what they did"),
               llvm::cl::value_desc("REGEX"), llvm::cl::cat(category)},
        missed{"remarks-filter-missed", llvm::cl::location(filters.missed),
               llvm::cl::desc("Only what they did not do, where and why"),
               llvm::cl::value_desc("REGEX"), llvm::cl::cat(category)} {}

  llvm::cl::opt<std::string, true> all, passed, missed;
};

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_REMARKOPTIONS_H
