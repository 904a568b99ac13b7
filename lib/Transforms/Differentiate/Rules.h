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
// A program guards what is not finite with a select: select(x > 0, log(x), 0).
// What the select does not take has a cotangent of zero, and zero times the
// infinite derivative of what was not taken is not a number: the gradient would
// be NaN where the function is safe. (JAX asks its users for a second select,
// of the operand: the "double where" of its FAQ, "Gradients contain NaN where
// using where".) Here zero stays zero, as with Enzyme's option
// -enzyme-strong-zero. A cotangent that a select, a maximum or a minimum may
// have made zero is *masked*, and so is all that is computed from it; a product
// p of a masked cotangent c and a derivative is
//
//   select(c == 0 and p is NaN, 0, p).
//
// Cotangents that are not masked and factors that are finite constants are
// multiplied as they are: code without guards is what it would be without all
// this, and a NaN or an infinity that the function did take stays what it is.
// The second condition matters to second derivatives: where c is zero and the
// derivative finite, the derivative of p by c is still there. (Whoever gets a
// directional derivative from the derivative of a vector-Jacobian product asks
// for it at c = 0.) Carrying the conditions themselves instead would need no
// comparison, but tensors of them between operations.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H

#include "ScalarMath.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scan::differentiate {

/// Says which operation is in the way of a derivative, and why: the rest of
/// a sentence that starts with the operation. Always fails. A diagnostic prints
/// the operation, which may be part of a copy that the caller drops when it
/// returns: so it is said here and now, and no pointer to it is kept.
using Refuse = function_ref<LogicalResult(Operation *, const Twine &)>;

class ScalarAdjoint;

/// One application of a rule: `op`, the copies of its operands and results, and
/// the cotangents of its results.
class RuleContext : public ScalarMath {
public:
  RuleContext(OpBuilder &builder, Operation *op, ScalarAdjoint &adjoint);

  Operation *getOperation() const { return op; }
  Value in(unsigned i = 0) const;
  Value out(unsigned i = 0) const;
  /// The cotangent of a result. That of the only result is never null; of
  /// several, those that nothing depends on are.
  Value cotangent(unsigned i = 0) const;
  /// Adds to the cotangent of operand `i`, if anybody asked for it.
  void accumulate(unsigned i, Value contribution) const;
  /// The same for the contribution cotangent * conj(derivative).
  void accumulateProduct(unsigned i, Value derivative) {
    accumulate(i, times(cotangent(), conj(derivative)));
  }
  /// The same for a contribution that is zero where `condition` does not hold:
  /// it is masked.
  void accumulateWhere(unsigned i, Value condition, Value contribution);
  /// And for one that is zero where `condition` holds.
  void accumulateUnless(unsigned i, Value condition, Value contribution);

  /// A cotangent, or what was computed from one, times `factor` or over
  /// `divisor`: zero where it is zero, if it is masked.
  Value times(Value cotangent, Value factor);
  Value over(Value cotangent, Value divisor);

private:
  Operation *op;
  ScalarAdjoint &adjoint;
  bool isMasked;
};

/// `product`, a multiple of `cotangent`, but zero where a zero met what is not
/// finite.
Value keepZero(ScalarMath math, Value cotangent, Value product);

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

  /// Adds to a cotangent, which is masked if one of its contributions is.
  void accumulate(Value value, Value contribution, bool isMasked);
  /// The cotangent of a value of the code; null where it is zero.
  Value getCotangent(Value value) const { return cotangents.lookup(value); }
  bool isMasked(Value value) const { return masked.contains(value); }
  Value getPrimal(Value value) const { return primal.lookupOrDefault(value); }

  /// Goes through one operation. Fails where there is no rule.
  LogicalResult visit(Operation *op, Refuse refuse);
  /// Goes through the operations of `block`, whose terminator's operands have
  /// the cotangents `seeds`, null where they are zero; masked if `isMasked`.
  LogicalResult visit(Block &block, ArrayRef<Value> seeds, bool isMasked,
                      Refuse refuse);

private:
  OpBuilder &builder;
  const IRMapping &primal;
  DenseSet<Value> active;
  DenseMap<Value, Value> cotangents;
  DenseSet<Value> masked;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RULES_H
