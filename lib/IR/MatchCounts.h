//===- MatchCounts.h - How often passes found something ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds of LLVM without statistics, as those of distributions are, print none.
// The counts of passes can be had all the same: passes add them to a dictionary
// that `--scan-count-matches` puts on the module, and `--scan-print-traffic`
// prints.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_MATCHCOUNTS_H
#define SCAN_LIB_IR_MATCHCOUNTS_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// The attribute: a dictionary with a dictionary of counts for each pass.
constexpr llvm::StringLiteral kMatchesAttrName = "scan.matches";

/// How often a pass did what its statistic `name` says.
struct MatchCount {
  llvm::StringRef name;
  uint64_t count;
};

/// Adds the counts of one run of `pass` (its name on the command line) on `op`
/// to what earlier runs have counted. Does nothing if `op` is not asked to
/// count.
void addMatchCounts(Operation *op, llvm::StringRef pass,
                    llvm::ArrayRef<MatchCount> counts);

/// What is counted on `op`, empty if nothing was asked for.
DictionaryAttr getMatchCounts(Operation *op);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_MATCHCOUNTS_H
