//===- Requirements.cpp - What has to hold of extents ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requirements.h"

using namespace mlir::scan::launcher;

/// "dimension 1 of arg0", where `expression` is the name of such an extent, or
/// an empty text.
static std::string describeExtent(const FunctionDescription &function,
                                  const Expression &expression) {
  for (const ArgumentDescription &argument : function.arguments)
    for (size_t i = 0; i < argument.extentNames.size(); ++i)
      if (!expression.name.empty() &&
          argument.extentNames[i] == expression.name)
        return "dimension " + std::to_string(i) + " of " + argument.name;
  return "";
}

/// What is wrong, where the two sides of `requirement` are `left` and `right`.
static std::string describe(const FunctionDescription &function,
                            const Expression &requirement, int64_t left,
                            int64_t right) {
  const Expression &rhs = requirement.operands[1];
  std::string first = describeExtent(function, requirement.operands[0]);
  std::string second = describeExtent(function, rhs);
  std::string relation = requirement.op->name;
  bool isNumber = !rhs.op && rhs.name.empty();
  if (relation == "==" && !first.empty() && isNumber)
    return "expected " + first + " to have the extent " +
           std::to_string(right) + ", found " + std::to_string(left);
  std::string found =
      ", found " + std::to_string(left) + " and " + std::to_string(right);
  if (relation == "==" && !first.empty() && !second.empty())
    return "expected " + first + " and " + second + " to have the same extent" +
           found;
  if (relation == "<=" && !first.empty() && !second.empty())
    return "expected the extent of " + first + " to be at most that of " +
           second + found;
  return "expected extents with " + requirement.text + found;
}

Status
mlir::scan::launcher::checkRequirements(const FunctionDescription &function,
                                        const Names &names) {
  for (const Expression &requirement : function.requirements) {
    int64_t holds = 0, left = 0, right = 0;
    Status status = evaluate(requirement, names, holds);
    if (status.ok() && holds)
      continue;
    if (status.ok())
      status = evaluate(requirement.operands[0], names, left);
    if (status.ok())
      status = evaluate(requirement.operands[1], names, right);
    return Status::failure("function '" + function.name + "': " +
                           (status.ok()
                                ? describe(function, requirement, left, right)
                                : status.getMessage()));
  }
  return Status::success();
}
