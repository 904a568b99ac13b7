//===- FloatTerms.cpp - Operations on floats as terms ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::associativity;

//===----------------------------------------------------------------------===//
// IEEE 754
//===----------------------------------------------------------------------===//

LogicalResult RegionTerms::evaluateFloat(Operation *op, ArrayRef<Part> in,
                                         Symbol &out) {
  if (theory == FloatTheory::Real)
    return evaluateReal(op, in, out);
  if (failed(evaluateIEEE(op, in, out)))
    return failure();
  auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fastMath || !fastMath.getFastMathFlagsAttr())
    return success();
  // Results are poison where an operand or the result is what a flag excludes.
  arith::FastMathFlags flags = fastMath.getFastMathFlagsAttr().getValue();
  auto type =
      cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  SmallVector<Part> all(in);
  llvm::append_range(all, out);
  for (auto [flag, what] :
       {std::pair(arith::FastMathFlags::nnan,
                  "a NaN that a fast-math flag excludes"),
        std::pair(arith::FastMathFlags::ninf,
                  "an infinity that a fast-math flag excludes")}) {
    if (!bitEnumContainsAny(flags, flag))
      continue;
    for (Part part : all)
      if (pool.get(part.value).sort.kind != Sort::Bool) {
        Term excluded = flag == arith::FastMathFlags::nnan
                            ? isNaN(part.value, type)
                            : isInfinite(part.value, type);
        for (Part &result : out)
          result.defined =
              pool.andOf(result.defined, require(pool.notOf(excluded), what));
      }
  }
  return success();
}

/// Whether a comparison holds, of which `unordered` says that an operand is
/// NaN.
Term RegionTerms::compareIEEE(arith::CmpFPredicate predicate, Term x, Term y,
                              FloatType type) {
  using P = arith::CmpFPredicate;
  Term unordered = pool.orOf(isNaN(x, type), isNaN(y, type));
  Term equal = isFloatEqual(x, y, type);
  switch (predicate) {
  case P::AlwaysFalse:
    return pool.boolean(false);
  case P::AlwaysTrue:
    return pool.boolean(true);
  case P::ORD:
    return pool.notOf(unordered);
  case P::UNO:
    return unordered;
  case P::OEQ:
    return equal;
  case P::OGT:
    return isFloatLess(y, x, type, false);
  case P::OGE:
    return isFloatLess(y, x, type, true);
  case P::OLT:
    return isFloatLess(x, y, type, false);
  case P::OLE:
    return isFloatLess(x, y, type, true);
  case P::ONE:
    return pool.andOf(pool.notOf(unordered), pool.notOf(equal));
  case P::UEQ:
    return pool.orOf(unordered, equal);
  case P::UGT:
    return pool.orOf(unordered, isFloatLess(y, x, type, false));
  case P::UGE:
    return pool.orOf(unordered, isFloatLess(y, x, type, true));
  case P::ULT:
    return pool.orOf(unordered, isFloatLess(x, y, type, false));
  case P::ULE:
    return pool.orOf(unordered, isFloatLess(x, y, type, true));
  case P::UNE:
    return pool.notOf(equal);
  }
  llvm_unreachable("all predicates are covered");
}

LogicalResult RegionTerms::evaluateIEEE(Operation *op, ArrayRef<Part> in,
                                        Symbol &out) {
  Term x = in[0].value, y = in.back().value;
  Term defined = pool.andOf(in[0].defined, in.back().defined);
  auto type =
      cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return add(compareIEEE(comparison.getPredicate(), x, y, type));
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (isMax || isa<arith::MinimumFOp, arith::MinNumFOp>(op)) {
    // fp.max and fp.min may return either zero of two: here -0 < +0.
    Term chosen;
    if (encoding == Encoding::Integers) {
      Term less = isLess(x, y);
      chosen =
          isMax ? pool.ifThenElse(less, y, x) : pool.ifThenElse(less, x, y);
    } else {
      Term negativeX = isNegativeFloat(x);
      Term ties = isMax ? pool.ifThenElse(negativeX, y, x)
                        : pool.ifThenElse(negativeX, x, y);
      Term isChosen = isMax ? isFloatLess(y, x, type, false)
                            : isFloatLess(x, y, type, false);
      chosen = pool.ifThenElse(isFloatEqual(x, y, type), ties,
                               pool.ifThenElse(isChosen, x, y));
    }
    bool passesNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    return add(pool.ifThenElse(
        isNaN(x, type), passesNaN ? x : y,
        pool.ifThenElse(isNaN(y, type), passesNaN ? y : x, chosen)));
  }
  Term negative = isNegativeFloat(x);
  Term magnitude = pool.ifThenElse(negative, negateFloat(x, type), x);
  if (isa<arith::NegFOp>(op))
    return add(negateFloat(x, type));
  if (isa<math::AbsFOp>(op))
    return add(magnitude);
  if (isa<math::CopySignOp>(op)) {
    // The sign of a NaN is not known.
    defined = pool.andOf(
        defined, require(pool.notOf(isNaN(y, type)), "the sign of a NaN"));
    return add(pool.ifThenElse(isNegativeFloat(y), negateFloat(magnitude, type),
                               magnitude));
  }
  if (isa<math::IsNaNOp>(op))
    return add(isNaN(x, type));
  if (isa<math::IsInfOp>(op))
    return add(isInfinite(x, type));
  if (isa<math::IsFiniteOp>(op))
    return add(pool.notOf(pool.orOf(isNaN(x, type), isInfinite(x, type))));
  if (isa<math::IsNormalOp>(op)) {
    Term smallest =
        ieee(llvm::APFloat::getSmallestNormalized(type.getFloatSemantics()));
    Term isLarge = isFloatLess(smallest, magnitude, type, true);
    return add(pool.andOf(isLarge, pool.notOf(isInfinite(x, type))));
  }
  if (isa<arith::ExtFOp>(op) && encoding == Encoding::Bits) {
    Sort wide = *getSort(getElementTypeOrSelf(op->getResult(0).getType()));
    return add(pool.apply(wide,
                          pool.intern("(_ to_fp " + Twine(wide.width) + " " +
                                      Twine(wide.precision) + ") RNE"),
                          x));
  }
  return theory == FloatTheory::Exact ? evaluateRounded(op, in, out)
                                      : refuseUnknown(op);
}

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

Term RegionTerms::absolute(Term x) {
  return pool.ifThenElse(pool.lessThan(x, pool.real(0)), pool.negate(x), x);
}

LogicalResult RegionTerms::evaluateReal(Operation *op, ArrayRef<Part> in,
                                        Symbol &out) {
  Term x = in[0].value, y = in.back().value;
  Term defined = in[0].defined;
  for (Part part : in.drop_front())
    defined = pool.andOf(defined, part.defined);
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };
  // A constant infinity may be compared with, as no number is one.
  bool compares =
      isa<arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, math::IsInfOp, math::IsFiniteOp, math::IsNaNOp,
          arith::NegFOp, math::ExpOp, math::Exp2Op>(op);
  for (Part part : in)
    if (const TermInfo &info = pool.get(part.value);
        info.isInfinite && !(compares && info.kind == TermKind::Infinity))
      return refuse(op,
                    "computes with an infinity, and floats that are computed "
                    "with are treated as real numbers");

  if (auto comparison = dyn_cast<arith::CmpFOp>(op)) {
    using P = arith::CmpFPredicate;
    switch (comparison.getPredicate()) {
    case P::AlwaysFalse:
    case P::UNO:
      return add(pool.boolean(false));
    case P::AlwaysTrue:
    case P::ORD:
      return add(pool.boolean(true));
    case P::OEQ:
    case P::UEQ:
      return add(pool.equal(x, y));
    case P::ONE:
    case P::UNE:
      return add(pool.notOf(pool.equal(x, y)));
    case P::OGT:
    case P::UGT:
      return add(pool.lessThan(y, x));
    case P::OGE:
    case P::UGE:
      return add(pool.lessEqual(y, x));
    case P::OLT:
    case P::ULT:
      return add(pool.lessThan(x, y));
    case P::OLE:
    case P::ULE:
      return add(pool.lessEqual(x, y));
    }
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return add(pool.ifThenElse(pool.lessThan(x, y), y, x));
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return add(pool.ifThenElse(pool.lessThan(y, x), y, x));
  if (isa<arith::AddFOp>(op))
    return add(pool.add(x, y));
  if (isa<arith::SubFOp>(op))
    return add(pool.subtract(x, y));
  if (isa<arith::MulFOp>(op))
    return add(pool.multiply(x, y));
  if (isa<arith::NegFOp>(op))
    return add(pool.negate(x));
  // Rounding is what a proof over the reals leaves out.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return add(x);
  if (isa<arith::DivFOp>(op)) {
    Term nonZero = pool.notOf(pool.equal(y, pool.real(0)));
    defined = pool.andOf(defined, require(nonZero, "a division by 0"));
    return add(pool.divide(x, y));
  }
  if (isa<math::MathDialect>(op->getDialect()))
    return evaluateRealMath(op, in, out);
  return refuseUnknown(op);
}

/// An integer that is added and multiplied without overflow is, as a real
/// number, the sum and the product of real numbers. Of others the solver knows
/// the sign.
Term RegionTerms::integerToReal(Term x, bool isSigned, unsigned operandWidth,
                                unsigned depth) {
  constexpr unsigned maxDepth = 64;
  TermInfo info = pool.get(x);
  Term one = pool.real(1), zero = pool.real(0);
  if (info.sort == Sort::boolean())
    return pool.ifThenElse(x, isSigned ? pool.real(-1) : one, zero);
  if (info.sort == Sort::integer())
    return pool.apply(Sort::real(), "to_real",
                      isSigned ? toSigned(x, operandWidth) : x);
  unsigned width = info.sort.width;
  if (const Rational *value = pool.getValue(x)) {
    Rational limit(
        llvm::DynamicAPInt(APInt::getOneBitSet(width + 2, width - 1)));
    bool isNegative = isSigned && *value >= limit;
    return pool.real(isNegative ? *value - limit - limit : *value);
  }
  SmallVector<Term, 3> args(pool.getArguments(x));
  Term whole = zero, isExact = pool.boolean(false);
  if (depth < maxDepth) {
    if (info.kind == TermKind::IfThenElse)
      return pool.ifThenElse(args[0],
                             integerToReal(args[1], isSigned, 0, depth + 1),
                             integerToReal(args[2], isSigned, 0, depth + 1));
    // A number that is extended without its sign is not negative.
    bool signExtended = info.text.starts_with("(_ sign_extend");
    if (info.kind == TermKind::Apply &&
        ((signExtended && isSigned) || info.text.starts_with("(_ zero_extend")))
      return integerToReal(args[0], signExtended, 0, depth + 1);
    auto it = exactResults.find(x.id);
    if (it != exactResults.end()) {
      ExactResult exact = it->second;
      if (isSigned ? exact.isSigned : exact.isUnsigned) {
        Term a = integerToReal(exact.x, isSigned, 0, depth + 1);
        Term b = integerToReal(exact.y, isSigned, 0, depth + 1);
        whole = exact.isProduct      ? pool.multiply(a, b)
                : exact.isDifference ? pool.subtract(a, b)
                                     : pool.add(a, b);
        isExact = exact.holds;
      }
    }
  }
  Term result = pool.uninterpreted(
      pool.intern((isSigned ? "signed_to_real_" : "unsigned_to_real_") +
                  Twine(width)),
      Sort::real(), x);
  Term isZero = pool.equal(x, bits(width, 0));
  assumptions =
      pool.andOf(assumptions, pool.equal(isZero, pool.equal(result, zero)));
  Term isPositive =
      compareBits(isSigned ? "bvslt" : "bvult", bits(width, 0), x);
  assumptions = pool.andOf(assumptions,
                           pool.equal(isPositive, pool.lessThan(zero, result)));
  return result;
}

LogicalResult RegionTerms::evaluateConversion(Operation *op, ArrayRef<Part> in,
                                              Symbol &out) {
  Part x = in[0];
  if (theory != FloatTheory::Real)
    return refuseUnknown(op);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    unsigned width = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
    out.push_back(
        {integerToReal(x.value, isa<arith::SIToFPOp>(op), width), x.defined});
    return success();
  }
  if (!isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return refuseUnknown(op);
  if (encoding == Encoding::Integers)
    return refuse(op, "has no translation to integers");
  bool isSigned = isa<arith::FPToSIOp>(op);
  Sort sort = *getSort(getElementTypeOrSelf(op->getResult(0).getType()));
  StringRef kind = isSigned ? "signed" : "unsigned";
  // Back from where it came.
  const TermInfo &info = pool.get(x.value);
  std::string inverse = (kind + "_to_real_" + std::to_string(sort.width)).str();
  if (info.kind == TermKind::Uninterpreted && info.text == inverse) {
    out.push_back({pool.getArguments(x.value)[0], x.defined});
    return success();
  }
  out.push_back(
      {pool.uninterpreted(
           pool.intern("real_to_" + kind + "_" +
                       Twine(sort.kind == Sort::Bool ? 1 : sort.width)),
           sort, x.value),
       x.defined});
  return success();
}
