//===- Reduction.h - One way to make a program smaller --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_REDUCTION_H
#define SCAN_LIB_REDUCE_REDUCTION_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/PatternMatch.h"
#include <memory>
#include <vector>

namespace mlir::scan::impl {

/// A way to make a program smaller at an operation. It need not keep the
/// program valid: what is not valid, or not smaller, is thrown away.
class Reduction {
public:
  Reduction(StringRef name, StringRef summary) : name(name), summary(summary) {}
  virtual ~Reduction() = default;

  /// In how many ways it may apply to `op`; 0 if it does not.
  virtual unsigned getNumChoices(Operation *op) const = 0;
  /// Applies it to `op` in one of these ways. It may erase `op`, and where it
  /// fails it may leave the program in any state: it gets a copy.
  virtual LogicalResult apply(RewriterBase &rewriter, Operation *op,
                              unsigned choice) const = 0;

  const std::string name, summary;
};

using Reductions = std::vector<std::unique_ptr<Reduction>>;

/// Reductions of whole programs: functions, their parameters and results,
/// stretches of code, extents.
void addProgramReductions(Reductions &reductions);
/// Reductions of single operations: something simpler takes their place.
void addOperationReductions(Reductions &reductions);

/// A value of the type of `value` that is there anyway, or easily made, before
/// `op`: an argument of a block around it, a new parameter of its function, or
/// a zero. Null if there is none.
Value findSubstitute(RewriterBase &rewriter, Operation *op, Value value);
/// Zero of `type` in front of `op`; null for a type without.
Value createZero(RewriterBase &rewriter, Operation *op, Type type);
/// A new parameter of the function around `op`; null if the function is called,
/// or if nothing from outside may be used there.
Value addParameter(Operation *op, Type type);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_REDUCE_REDUCTION_H
