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
  Sort boolean = Sort::boolean();
  SmallVector<Part> all(in);
  llvm::append_range(all, out);
  for (auto [flag, test, what] :
       {std::tuple(arith::FastMathFlags::nnan, "fp.isNaN",
                   "a NaN that a fast-math flag excludes"),
        std::tuple(arith::FastMathFlags::ninf, "fp.isInfinite",
                   "an infinity that a fast-math flag excludes")}) {
    if (!bitEnumContainsAny(flags, flag))
      continue;
    for (Part part : all)
      if (pool.get(part.value).sort.kind == Sort::Float) {
        Term holds = pool.notOf(pool.apply(boolean, test, part.value));
        for (Part &result : out)
          result.defined = pool.andOf(result.defined, require(holds, what));
      }
  }
  return success();
}

LogicalResult RegionTerms::evaluateIEEE(Operation *op, ArrayRef<Part> in,
                                        Symbol &out) {
  Term x = in[0].value, y = in.back().value;
  Term defined = pool.andOf(in[0].defined, in.back().defined);
  Sort sort = pool.get(x).sort, boolean = Sort::boolean();
  auto test = [&](StringRef name, Term value) {
    return pool.apply(boolean, name, value);
  };
  auto compare = [&](StringRef name) {
    return pool.apply(boolean, name, {x, y});
  };
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };
  Term unordered = pool.boolean(false);
  if (op->getNumOperands() == 2)
    unordered = pool.orOf(test("fp.isNaN", x), test("fp.isNaN", y));

  if (auto comparison = dyn_cast<arith::CmpFOp>(op)) {
    using P = arith::CmpFPredicate;
    Term ordered = pool.notOf(unordered);
    Term equal = compare("fp.eq");
    switch (comparison.getPredicate()) {
    case P::AlwaysFalse:
      return add(pool.boolean(false));
    case P::AlwaysTrue:
      return add(pool.boolean(true));
    case P::ORD:
      return add(ordered);
    case P::UNO:
      return add(unordered);
    case P::OEQ:
      return add(equal);
    case P::OGT:
      return add(compare("fp.gt"));
    case P::OGE:
      return add(compare("fp.geq"));
    case P::OLT:
      return add(compare("fp.lt"));
    case P::OLE:
      return add(compare("fp.leq"));
    case P::ONE:
      return add(pool.andOf(ordered, pool.notOf(equal)));
    case P::UEQ:
      return add(pool.orOf(unordered, equal));
    case P::UGT:
      return add(pool.orOf(unordered, compare("fp.gt")));
    case P::UGE:
      return add(pool.orOf(unordered, compare("fp.geq")));
    case P::ULT:
      return add(pool.orOf(unordered, compare("fp.lt")));
    case P::ULE:
      return add(pool.orOf(unordered, compare("fp.leq")));
    case P::UNE:
      return add(pool.notOf(equal));
    }
  }
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (isMax || isa<arith::MinimumFOp, arith::MinNumFOp>(op)) {
    // fp.max and fp.min may return either zero of two: here -0 < +0.
    Term negativeX = test("fp.isNegative", x);
    Term ties = isMax ? pool.ifThenElse(negativeX, y, x)
                      : pool.ifThenElse(negativeX, x, y);
    Term chosen = pool.ifThenElse(
        compare("fp.eq"), ties,
        pool.ifThenElse(compare(isMax ? "fp.gt" : "fp.lt"), x, y));
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      return add(
          pool.ifThenElse(test("fp.isNaN", x), x,
                          pool.ifThenElse(test("fp.isNaN", y), y, chosen)));
    return add(
        pool.ifThenElse(test("fp.isNaN", x), y,
                        pool.ifThenElse(test("fp.isNaN", y), x, chosen)));
  }
  auto unary = [&](StringRef name, Term value) {
    return pool.apply(sort, name, value);
  };
  if (isa<arith::NegFOp>(op))
    return add(unary("fp.neg", x));
  if (isa<math::AbsFOp>(op))
    return add(unary("fp.abs", x));
  if (isa<math::CopySignOp>(op)) {
    // The sign of a NaN is not known.
    defined = pool.andOf(
        defined, require(pool.notOf(test("fp.isNaN", y)), "the sign of a NaN"));
    Term magnitude = unary("fp.abs", x);
    return add(pool.ifThenElse(test("fp.isNegative", y),
                               unary("fp.neg", magnitude), magnitude));
  }
  if (isa<math::IsNaNOp>(op))
    return add(test("fp.isNaN", x));
  if (isa<math::IsInfOp>(op))
    return add(test("fp.isInfinite", x));
  if (isa<math::IsNormalOp>(op))
    return add(test("fp.isNormal", x));
  if (isa<math::IsFiniteOp>(op))
    return add(
        pool.notOf(pool.orOf(test("fp.isNaN", x), test("fp.isInfinite", x))));
  if (isa<arith::ExtFOp>(op)) {
    Sort wide = *getSort(getElementTypeOrSelf(op->getResult(0).getType()));
    return add(pool.apply(wide,
                          pool.intern("(_ to_fp " + Twine(wide.width) + " " +
                                      Twine(wide.precision) + ") RNE"),
                          x));
  }
  return refuseUnknown(op);
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
Term RegionTerms::integerToReal(Term x, bool isSigned, unsigned depth) {
  constexpr unsigned maxDepth = 64;
  TermInfo info = pool.get(x);
  Term one = pool.real(1), zero = pool.real(0);
  if (info.sort == Sort::boolean())
    return pool.ifThenElse(x, isSigned ? pool.real(-1) : one, zero);
  unsigned width = info.sort.width;
  if (const Rational *value = pool.getValue(x)) {
    Rational limit(
        llvm::DynamicAPInt(APInt::getOneBitSet(width + 2, width - 1)));
    bool isNegative = isSigned && *value >= limit;
    return pool.real(isNegative ? *value - limit - limit : *value);
  }
  SmallVector<Term, 3> args(pool.getArguments(x));
  if (depth < maxDepth) {
    if (info.kind == TermKind::IfThenElse)
      return pool.ifThenElse(args[0],
                             integerToReal(args[1], isSigned, depth + 1),
                             integerToReal(args[2], isSigned, depth + 1));
    // A number that is extended without its sign is not negative.
    bool signExtended = info.text.starts_with("(_ sign_extend");
    if (info.kind == TermKind::Apply &&
        ((signExtended && isSigned) || info.text.starts_with("(_ zero_extend")))
      return integerToReal(args[0], signExtended, depth + 1);
    auto it = exactResults.find(x.id);
    if (it != exactResults.end()) {
      ExactResult exact = it->second;
      if (isSigned ? exact.isSigned : exact.isUnsigned) {
        Term a = integerToReal(exact.x, isSigned, depth + 1);
        Term b = integerToReal(exact.y, isSigned, depth + 1);
        return exact.isProduct      ? pool.multiply(a, b)
               : exact.isDifference ? pool.subtract(a, b)
                                    : pool.add(a, b);
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
  if (theory == FloatTheory::IEEE)
    return refuseUnknown(op);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    out.push_back(
        {integerToReal(x.value, isa<arith::SIToFPOp>(op)), x.defined});
    return success();
  }
  if (!isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return refuseUnknown(op);
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
