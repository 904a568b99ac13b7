//===- ExtentRanges.cpp - The extents to measure at -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentRanges.h"

using namespace mlir;
using namespace mlir::scan;

/// What is more is a mistake rather than a wish: all of it has to be measured
/// in a minute.
static constexpr size_t kMostCombinations = 256;

static llvm::Expected<std::vector<ExtentNumber>> parseRange(StringRef text) {
  auto [name, numbers] = text.split('=');
  auto [first, last] = numbers.split(':');
  int64_t from = 0, to = 0;
  bool isRange = numbers.contains(':');
  if (name.empty() || first.getAsInteger(10, from) || from < 0 ||
      (isRange && (last.getAsInteger(10, to) || from < 1 || to < from)))
    return llvm::createStringError(
        "expected an extent and its numbers, as in arg0_d0=8 or "
        "arg0_d1=2048:65536 (from 2048, doubled up to 65536), found '" +
        text + "'");
  std::vector<ExtentNumber> values = {{name.str(), from}};
  while (isRange && values.back().value <= to / 2)
    values.push_back({name.str(), 2 * values.back().value});
  return values;
}

llvm::Expected<std::vector<std::vector<ExtentNumber>>>
mlir::scan::expandExtents(ArrayRef<std::string> ranges) {
  std::vector<std::vector<ExtentNumber>> combinations = {{}};
  for (const std::string &range : ranges) {
    llvm::Expected<std::vector<ExtentNumber>> values = parseRange(range);
    if (!values)
      return values.takeError();
    std::vector<std::vector<ExtentNumber>> longer;
    for (const std::vector<ExtentNumber> &combination : combinations)
      for (const ExtentNumber &value : *values) {
        longer.push_back(combination);
        longer.back().push_back(value);
      }
    combinations = std::move(longer);
    if (combinations.size() > kMostCombinations)
      return llvm::createStringError(
          "expected at most " + Twine(kMostCombinations) +
          " combinations of extents, found " + Twine(combinations.size()) +
          "; give smaller ranges");
  }
  return combinations;
}
