//===- Expression.h - The numbers of a manifest -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_EXPRESSION_H
#define SCAN_LIB_LAUNCHER_EXPRESSION_H

#include "Scan/Launcher/Launcher.h"
#include <map>

namespace mlir::scan::launcher {

using Names = std::map<std::string, int64_t>;

/// An operator of docs/manifest.md.
struct Operator {
  enum class Kind { Comparison, Sum, Product, Extremum };
  const char *name;
  Kind kind;
  /// Computes `result`; returns what is wrong, or null. A comparison is 0 or 1.
  const char *(*apply)(int64_t left, int64_t right, int64_t &result);

  /// The one called `name`, or null.
  static const Operator *find(const std::string &name);
};

/// An expression or a comparison of docs/manifest.md: an operator and its
/// operands, a name, or else a number.
struct Expression {
  /// Manifests are written by machines; deeper trees are no honest ones, and
  /// would use up the stack.
  static constexpr int kMaxDepth = 200;

  const Operator *op = nullptr;
  /// One or more of `Kind::Extremum`, two of others.
  std::vector<Expression> operands;
  std::string name;
  int64_t number = 0;
  /// What the manifest has, for messages; only of a whole expression.
  std::string text;

  bool isZero() const { return !op && name.empty() && number == 0; }
  /// Whether its value depends on `other`, a name.
  bool mentions(const std::string &other) const;
};

/// Whether the text can be a name.
bool isName(const std::string &text);

/// Evaluates an expression. Fails where a name is unknown, or for a division by
/// zero or a number of more than 64 bits.
Status evaluate(const Expression &expression, const Names &names,
                int64_t &value);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_EXPRESSION_H
