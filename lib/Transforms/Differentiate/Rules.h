//===- Rules.h - Derivatives of scalar operations ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says for each operation on scalars what its operands contribute to
// a cotangent of its result. Regions of scans, bodies of linalg operations and
// elementwise operations on tensors are all differentiated by it.
//
// A cotangent g of a complex number z is that of a real loss L for which
// dL = Re(conj(g) dz): the direction in which L grows fastest. A complex
// differentiable f with f(z) = w therefore has g_z = conj(f'(z)) g_w.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H

#include "ScalarMath.h"
#include "Scan/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scan::differentiate {

/// The operation in the way of a derivative, and the reason as the rest of a
/// sentence that starts with the operation.
using Obstacle = NormalizeObstacle;

class ScalarAdjoint;

/// One application of a rule: `op`, the copies of its operands and results, and
/// the cotangents of its results.
class RuleContext : public ScalarMath {
public:
  RuleContext(OpBuilder &builder, Operation *op, ScalarAdjoint &adjoint)
      : ScalarMath{builder, op->getLoc()}, op(op), adjoint(adjoint) {}

  Operation *getOperation() const { return op; }
  Value in(unsigned i = 0) const;
  Value out(unsigned i = 0) const;
  /// The cotangent of a result. That of the only result is never null; of
  /// several, those that nothing depends on are.
  Value cotangent(unsigned i = 0) const;
  /// Adds to the cotangent of operand `i`, if anybody asked for it.
  void give(unsigned i, Value contribution) const;
  /// The same for the contribution cotangent * conj(derivative).
  void giveTimes(unsigned i, Value derivative) {
    give(i, mul(conj(derivative), cotangent()));
  }

private:
  Operation *op;
  ScalarAdjoint &adjoint;
};

using Rule = void (*)(RuleContext &);

/// The rule for `op`; null if it has none.
Rule lookupRule(Operation *op);

/// True if the operation treats complex numbers as pairs of real ones: it has
/// no complex derivative, so that cotangents are not its multiples.
bool isOnlyRealDifferentiable(Operation *op);

/// Differentiates straight-line scalar code backwards.
class ScalarAdjoint {
public:
  /// `primal` maps the values of the code to their copies where `builder`
  /// inserts.
  ScalarAdjoint(OpBuilder &builder, const IRMapping &primal)
      : builder(builder), primal(primal) {}

  /// Marks `value`, an input of the code, as one whose cotangent is asked for.
  void activate(Value value) { active.insert(value); }
  /// Marks what `block` computes from active values.
  void activateUsers(Block &block);
  bool isActive(Value value) const { return active.contains(value); }

  /// Adds to a cotangent.
  void give(Value value, Value contribution);
  /// The cotangent of a value of the code; null where it is zero.
  Value getCotangent(Value value) const { return cotangents.lookup(value); }
  Value getPrimal(Value value) const { return primal.lookupOrDefault(value); }

  /// Goes through one operation. Fails where there is no rule.
  LogicalResult visit(Operation *op, Obstacle &obstacle);
  /// Goes through the operations of `block`, whose terminator's operands have
  /// the cotangents `seeds`, null where they are zero.
  LogicalResult visit(Block &block, ArrayRef<Value> seeds, Obstacle &obstacle);
  /// Forgets all cotangents.
  void reset() { cotangents.clear(); }

private:
  OpBuilder &builder;
  const IRMapping &primal;
  DenseSet<Value> active;
  DenseMap<Value, Value> cotangents;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H
