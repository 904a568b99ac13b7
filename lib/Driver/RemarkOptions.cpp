//===- RemarkOptions.cpp - Which remarks tools print ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkOptions.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::scan;

llvm::Error mlir::scan::enableRemarks(MLIRContext &context,
                                      const RemarkFilters &filters) {
  for (const std::string *filter :
       {&filters.all, &filters.passed, &filters.missed}) {
    std::string error;
    if (!filter->empty() && !llvm::Regex(*filter).isValid(error))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "'" + *filter + "' is not a regular expression: " + error);
  }
  // The engine has one expression for each kind.
  auto join = [&](const std::string &filter) -> std::optional<std::string> {
    if (filter.empty() && filters.all.empty())
      return std::nullopt;
    if (filter.empty() || filters.all.empty())
      return filter + filters.all;
    return "(" + filter + ")|(" + filters.all + ")";
  };
  remark::RemarkCategories categories;
  categories.passed = join(filters.passed);
  categories.missed = join(filters.missed);
  categories.failed = categories.analysis = join("");
  if (succeeded(remark::enableOptimizationRemarks(
          context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
          /*printAsEmitRemarks=*/true)))
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "remarks cannot be printed");
}
