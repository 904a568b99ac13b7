//===- RegionTerms.h - What a combine region computes -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a combine region on terms. The semantics are those of the
// operations' descriptions and of the reference interpreter:
//
//   * Integers are bit vectors, `i1` a truth value, `index` 64 bits.
//   * Floats are real numbers, or, in regions that only compare, choose and
//   negate
//     them, the numbers of IEEE 754, with infinities, signed zeros and one NaN.
//   * Beside each value stands where it is defined. Poison (an overflow that a
//   flag
//     excludes, a shift by the width or more), and the quotient by 0, the
//     logarithm and the root of a number that has none among reals, make
//     undefined what is computed from them, but not a choice that takes the
//     other value.
//   * What is undefined behaviour where it is executed (an integer division by
//   0)
//     is assumed not to happen.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_REGIONTERMS_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_REGIONTERMS_H

#include "Scan/IR/ScanDialect.h"
#include "Term.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan::associativity {

/// What floating-point numbers are taken for.
enum class FloatTheory {
  /// Real numbers.
  Real,
  /// The numbers of IEEE 754, where nothing rounds.
  IEEE,
  /// The same, where what rounds is a function of which only a few laws are
  /// known that hold to the bit (ExactTerms.cpp): "no counterexample" says all
  /// there is to know, and a counterexample nothing.
  Exact
};

/// How integers, and floats of IEEE 754, are given to the solver: as bits, or
/// as unbounded integers that wrap around (WrappedTerms.cpp). Both are exact.
enum class Encoding { Bits, Integers };

/// A number, or one half of a complex one, and where it is defined.
struct Part {
  Term value;
  Term defined;
};

/// A value: an element after the other, of a complex one the real part first.
using Symbol = SmallVector<Part, 1>;
/// One value per leaf.
using State = SmallVector<Symbol>;

/// IEEE if `op` only compares, chooses, negates and passes on floats, so that
/// it does not round; Real otherwise.
FloatTheory chooseFloatTheory(AssociativeOp op);
/// Whether `op` has a leaf with floating-point elements.
bool hasFloats(AssociativeOp op);

class RegionTerms {
public:
  RegionTerms(TermPool &pool, AssociativeOp op, FloatTheory theory,
              Encoding encoding)
      : pool(pool), scan(op), theory(theory), encoding(encoding) {}

  /// f(a, b); fails with `getRefusal` if f has an operation that has no terms.
  FailureOr<State> combine(const State &a, const State &b);

  /// The parts of a constant; fails for what is no constant of a scalar type.
  FailureOr<Symbol> getConstantParts(TypedAttr constant);

  /// The first operation without terms and why, as the end of a sentence.
  StringRef getRefusal() const { return refusal; }
  Operation *getRefused() const { return refused; }
  /// What has to hold for the evaluations so far to have a meaning.
  Term getAssumptions() const { return assumptions; }
  /// What is excluded by this, and by `Part::defined`: "arith.divf by 0".
  ArrayRef<StringRef> getExclusions() const { return exclusions.getArrayRef(); }

  /// The sort of the parts of an element of type `element`, which is a scalar
  /// type; nothing if it has none. A complex number has two parts.
  std::optional<Sort> getSort(Type element) const;

  // Floats of IEEE 754, in either encoding.
  Term ieee(const llvm::APFloat &value);
  Term isNaN(Term x, FloatType type);
  Term isInfinite(Term x, FloatType type);
  Term isFloatLess(Term x, Term y, FloatType type, bool orEqual);
  Term isFloatEqual(Term x, Term y, FloatType type);
  Term isNegativeFloat(Term x);
  Term negateFloat(Term x, FloatType type);
  /// That the variable x is one of the numbers of a scalar type.
  Term makeRangeCondition(Term x, Type element);
  /// x < y, x <= y of Sort::Int.
  Term isLess(Term x, Term y, bool orEqual = false);
  /// The signed number of a number of `width` bits.
  Term toSigned(Term x, unsigned width);

private:
  LogicalResult evaluateBlock(Block &block, SmallVectorImpl<Symbol> &yields);
  LogicalResult evaluate(Operation *op);
  LogicalResult evaluateConstant(Operation *op, Attribute attr);
  LogicalResult evaluateElementwise(Operation *op);
  /// One scalar operation: the parts of all operands in order.
  LogicalResult evaluateScalar(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateInteger(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateIntegerMath(Operation *op, ArrayRef<Part> in,
                                    Symbol &out);
  LogicalResult evaluateFloat(Operation *op, ArrayRef<Part> in, Symbol &out);
  Term compareIEEE(arith::CmpFPredicate predicate, Term x, Term y,
                   FloatType type);
  LogicalResult evaluateIEEE(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateRounded(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateReal(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateRealMath(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateComplex(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateConversion(Operation *op, ArrayRef<Part> in,
                                   Symbol &out);
  LogicalResult evaluateWrapped(Operation *op, ArrayRef<Part> in, Symbol &out);
  LogicalResult evaluateWrappedSum(Operation *op, Part x, Part y,
                                   unsigned width, Symbol &out);
  LogicalResult evaluateTensor(Operation *op);
  LogicalResult evaluateLinalg(Operation *op);
  LogicalResult evaluateSlice(Operation *op);
  LogicalResult evaluateControl(Operation *op);
  LogicalResult evaluateIf(Operation *op);
  LogicalResult evaluateFor(Operation *op);

  LogicalResult refuse(Operation *op, const Twine &reason);
  LogicalResult refuseUnknown(Operation *op);
  Symbol &bind(Value value, Symbol symbol);
  const Symbol &lookup(Value value) const { return values.find(value)->second; }
  /// The constant that an index is.
  std::optional<int64_t> getConstant(Value value) const;
  /// The position in row-major order that `indices` say; nothing unless they
  /// are constant and within `shape`.
  std::optional<int64_t> getPosition(ValueRange indices,
                                     ArrayRef<int64_t> shape) const;

  /// Undefined behaviour where `condition` does not hold.
  void assume(Term condition, const Twine &exclusion);
  /// `condition`, noted as an exclusion unless it always holds.
  Term require(Term condition, const Twine &exclusion);

  /// Numbers between which an integer is.
  struct Range {
    Range() = default;
    Range(Rational low, Rational high) : low(low), high(high), isKnown(true) {}
    Rational low, high;
    bool isKnown = false;
  };
  Range getRange(Term x) const;
  Term setRange(Term x, Range range);
  /// +, -, *, div and mod of Sort::Int.
  Term compute(StringRef name, Term x, Term y);
  Term chooseInteger(Term condition, Term x, Term y);
  /// x or y of any sort.
  Term choose(Term condition, Term x, Term y) {
    return pool.get(x).sort.kind == Sort::Int
               ? chooseInteger(condition, x, y)
               : pool.ifThenElse(condition, x, y);
  }
  Term wrap(Term x, unsigned width);
  /// A constant of type `index`.
  Term indexConstant(int64_t value) {
    return encoding == Encoding::Bits ? bits(64, value)
                                      : pool.integer(Rational(value, 1));
  }

  // Helpers on terms.
  Term bits(unsigned width, uint64_t value) {
    return pool.bits(llvm::APInt(width, value, false, /*implicitTrunc=*/true));
  }
  Term toBits(Term x);
  Term toBool(Term bit);
  Term compareBits(StringRef relation, Term x, Term y) {
    return pool.apply(Sort::boolean(), relation, {x, y});
  }
  Term extendBits(Term x, unsigned width, bool isSigned);
  Term truncateBits(Term x, unsigned width);
  llvm::APInt getUpperBound(Term x, unsigned depth = 0) const;
  Term noOverflow(Operation *op, Term x, Term y, Term result);
  Term integerToReal(Term x, bool isSigned, unsigned operandWidth,
                     unsigned depth = 0);
  Term absolute(Term x);

  TermPool &pool;
  AssociativeOp scan;
  FloatTheory theory;
  Encoding encoding;
  llvm::DenseMap<Value, Symbol> values;
  llvm::DenseMap<unsigned, Range> ranges;
  /// Integer terms that are the sum, difference or product of two others where
  /// `holds`, as flags say.
  struct ExactResult {
    bool isProduct, isDifference;
    bool isSigned = false, isUnsigned = false;
    Term x, y;
    Term holds;
  };
  llvm::DenseMap<unsigned, ExactResult> exactResults;
  /// The loop indices of the linalg operations around.
  SmallVector<SmallVector<int64_t>> loopIndices;
  Term assumptions = pool.boolean(true);
  /// Under which condition the operation at hand is executed.
  Term path = pool.boolean(true);
  llvm::SmallSetVector<StringRef, 4> exclusions;
  std::string refusal;
  Operation *refused = nullptr;
  unsigned nesting = 0, numEvaluated = 0;
};

/// The place of a float in the order of all floats, and the bits of the float
/// that has a place.
Rational getOrderKey(const llvm::APFloat &value);
llvm::APInt getFloatOfKey(const Rational &key,
                          const llvm::fltSemantics &semantics);

/// The parts of an element: 2 for complex numbers.
inline unsigned getNumParts(Type element) {
  return isa<ComplexType>(element) ? 2 : 1;
}

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_REGIONTERMS_H
