//===- IntegerTerms.cpp - Integer operations as terms ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan::associativity;
using llvm::APInt;
using llvm::SmallString;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Term RegionTerms::toBits(Term x) {
  if (pool.get(x).sort.kind == Sort::Bits)
    return x;
  return pool.ifThenElse(x, bits(1, 1), bits(1, 0));
}

Term RegionTerms::toBool(Term bit) {
  Term one = bits(1, 1), zero = bits(1, 0);
  if (pool.get(bit).kind == TermKind::IfThenElse) {
    ArrayRef<Term> args = pool.getArguments(bit);
    if (args[1] == one && args[2] == zero)
      return args[0];
  }
  return pool.equal(bit, one);
}

Term RegionTerms::extendBits(Term x, unsigned width, bool isSigned) {
  x = toBits(x);
  unsigned from = pool.get(x).sort.width;
  if (width <= from)
    return truncateBits(x, width);
  StringRef name = isSigned ? "sign" : "zero";
  return pool.apply(
      Sort::bits(width),
      pool.intern("(_ " + name + "_extend " + Twine(width - from) + ")"), x);
}

Term RegionTerms::truncateBits(Term x, unsigned width) {
  if (pool.get(x).sort.width == width)
    return x;
  return pool.apply(Sort::bits(width),
                    pool.intern("(_ extract " + Twine(width - 1) + " 0)"), x);
}

/// The largest number that a bit vector can be, as an unsigned one, where
/// masks, extensions and shifts by constants say so.
APInt RegionTerms::getUpperBound(Term x, unsigned depth) const {
  constexpr unsigned maxDepth = 16;
  const TermInfo &info = pool.get(x);
  APInt all = APInt::getAllOnes(info.sort.width);
  unsigned width = info.sort.width;
  auto getConstantBits = [&](Term term) -> std::optional<APInt> {
    const Rational *value = pool.getValue(term);
    if (!value)
      return std::nullopt;
    SmallString<32> digits;
    llvm::raw_svector_ostream(digits) << value->num;
    return APInt(width, digits, 10);
  };
  if (std::optional<APInt> value = getConstantBits(x))
    return *value;
  ArrayRef<Term> args = pool.getArguments(x);
  if (depth == maxDepth)
    return all;
  if (info.kind == TermKind::IfThenElse)
    return llvm::APIntOps::umax(getUpperBound(args[1], depth + 1),
                                getUpperBound(args[2], depth + 1));
  if (info.kind != TermKind::Apply)
    return all;
  if (info.text.starts_with("(_ zero_extend"))
    return getUpperBound(args[0], depth + 1).zext(width);
  if (info.text == "bvand")
    return llvm::APIntOps::umin(getUpperBound(args[0], depth + 1),
                                getUpperBound(args[1], depth + 1));
  std::optional<APInt> amount =
      args.size() == 2 ? getConstantBits(args[1]) : std::nullopt;
  if (!amount || amount->uge(width))
    return all;
  APInt bound = getUpperBound(args[0], depth + 1);
  if (info.text == "bvlshr")
    return bound.lshr(*amount);
  if (info.text == "bvshl" && amount->ule(bound.countl_zero()))
    return bound.shl(*amount);
  return all;
}

/// The operation of SMT-LIB that computes what `op` does of two bit vectors.
static StringRef getBitsOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp, arith::AddUIExtendedOp>([](auto) { return "bvadd"; })
      .Case<arith::SubIOp>([](auto) { return "bvsub"; })
      .Case<arith::MulIOp>([](auto) { return "bvmul"; })
      .Case<arith::AndIOp>([](auto) { return "bvand"; })
      .Case<arith::OrIOp>([](auto) { return "bvor"; })
      .Case<arith::XOrIOp>([](auto) { return "bvxor"; })
      .Case<arith::DivUIOp>([](auto) { return "bvudiv"; })
      .Case<arith::DivSIOp>([](auto) { return "bvsdiv"; })
      .Case<arith::RemUIOp>([](auto) { return "bvurem"; })
      .Case<arith::RemSIOp>([](auto) { return "bvsrem"; })
      .Case<arith::ShLIOp>([](auto) { return "bvshl"; })
      .Case<arith::ShRUIOp>([](auto) { return "bvlshr"; })
      .Case<arith::ShRSIOp>([](auto) { return "bvashr"; })
      .Default([](Operation *) { return ""; });
}

static StringRef getRelation(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return "bvslt";
  case arith::CmpIPredicate::sle:
    return "bvsle";
  case arith::CmpIPredicate::sgt:
    return "bvsgt";
  case arith::CmpIPredicate::sge:
    return "bvsge";
  case arith::CmpIPredicate::ult:
    return "bvult";
  case arith::CmpIPredicate::ule:
    return "bvule";
  case arith::CmpIPredicate::ugt:
    return "bvugt";
  case arith::CmpIPredicate::uge:
    return "bvuge";
  default:
    return "";
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult RegionTerms::evaluateInteger(Operation *op, ArrayRef<Part> in,
                                           Symbol &out) {
  if (isa<math::MathDialect>(op->getDialect()))
    return evaluateIntegerMath(op, in, out);
  Term defined = in[0].defined;
  for (Part part : in.drop_front())
    defined = pool.andOf(defined, part.defined);
  Term x = in[0].value, y = in.back().value;
  Sort boolean = Sort::boolean();
  bool isBool = pool.get(x).sort == boolean;
  bool toBoolean =
      op->getResult(0).getType().isInteger(1) ||
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };

  // Comparisons, and what truth values have without being bits.
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (compare.getPredicate() == arith::CmpIPredicate::eq)
      return add(pool.equal(x, y));
    if (compare.getPredicate() == arith::CmpIPredicate::ne)
      return add(pool.notOf(pool.equal(x, y)));
    return add(
        compareBits(getRelation(compare.getPredicate()), toBits(x), toBits(y)));
  }
  if (isBool && isa<arith::AndIOp>(op))
    return add(pool.andOf(x, y));
  if (isBool && isa<arith::OrIOp>(op))
    return add(pool.orOf(x, y));
  if (isBool && isa<arith::XOrIOp>(op))
    return add(pool.notOf(pool.equal(x, y)));

  // Conversions.
  unsigned width =
      toBoolean
          ? 1
          : getSort(getElementTypeOrSelf(op->getResult(0).getType()))->width;
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    x = extendBits(x, width, /*isSigned=*/true);
  else if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    x = extendBits(x, width, /*isSigned=*/false);
  else if (auto truncate = dyn_cast<arith::TruncIOp>(op)) {
    Term whole = x;
    unsigned from = pool.get(x).sort.width;
    x = truncateBits(x, width);
    using Flags = arith::IntegerOverflowFlags;
    for (bool isSigned : {false, true})
      if (bitEnumContainsAny(truncate.getOverflowFlags(),
                             isSigned ? Flags::nsw : Flags::nuw))
        defined = pool.andOf(
            defined, require(pool.equal(extendBits(x, from, isSigned), whole),
                             "a truncation that loses bits its flags exclude"));
  }
  if (op->getNumOperands() == 1 && !isa<arith::BitcastOp>(op)) {
    if (!isa<arith::ExtSIOp, arith::IndexCastOp, arith::ExtUIOp,
             arith::IndexCastUIOp, arith::TruncIOp>(op))
      return refuseUnknown(op);
    return add(toBoolean ? toBool(x) : x);
  }
  if (isa<arith::BitcastOp>(op))
    return add(x);

  // Everything else is done on bits.
  x = toBits(x);
  y = toBits(y);
  width = pool.get(x).sort.width;
  Sort sort = Sort::bits(width);
  auto addBits = [&](Term value) {
    return add(toBoolean ? toBool(value) : value);
  };
  auto choose = [&](StringRef relation) {
    return addBits(pool.ifThenElse(compareBits(relation, x, y), x, y));
  };
  if (isa<arith::MaxSIOp>(op))
    return choose("bvsge");
  if (isa<arith::MinSIOp>(op))
    return choose("bvsle");
  if (isa<arith::MaxUIOp>(op))
    return choose("bvuge");
  if (isa<arith::MinUIOp>(op))
    return choose("bvule");

  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    bool isSigned = isa<arith::MulSIExtendedOp>(op);
    Term product = pool.apply(Sort::bits(2 * width), "bvmul",
                              {extendBits(x, 2 * width, isSigned),
                               extendBits(y, 2 * width, isSigned)});
    (void)addBits(truncateBits(product, width));
    return addBits(pool.apply(sort,
                              pool.intern("(_ extract " + Twine(2 * width - 1) +
                                          " " + Twine(width) + ")"),
                              product));
  }
  bool isDivision =
      isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
  Term zero = bits(width, 0), minusOne = bits(width, ~uint64_t(0));
  Term smallest = pool.bits(APInt::getSignedMinValue(width));
  if (isDivision) {
    // Undefined behaviour, not poison.
    assume(pool.notOf(pool.equal(y, zero)), "an integer division by 0");
    if (isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      assume(pool.notOf(
                 pool.andOf(pool.equal(x, smallest), pool.equal(y, minusOne))),
             "the division of the smallest integer by -1");
  }
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) {
    bool isSigned = !isa<arith::CeilDivUIOp>(op);
    bool isFloor = isa<arith::FloorDivSIOp>(op);
    Term quotient = pool.apply(sort, isSigned ? "bvsdiv" : "bvudiv", {x, y});
    Term remainder = pool.apply(sort, isSigned ? "bvsrem" : "bvurem", {x, y});
    Term adjust = pool.notOf(pool.equal(remainder, zero));
    if (isSigned) {
      Term sameSign = pool.equal(compareBits("bvslt", x, zero),
                                 compareBits("bvslt", y, zero));
      adjust = pool.andOf(adjust, isFloor ? pool.notOf(sameSign) : sameSign);
    }
    return addBits(pool.ifThenElse(adjust,
                                   pool.apply(sort, isFloor ? "bvsub" : "bvadd",
                                              {quotient, bits(width, 1)}),
                                   quotient));
  }
  StringRef name = getBitsOperator(op);
  if (name.empty())
    return refuseUnknown(op);
  Term result = pool.apply(sort, name, {x, y});
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) &&
      getUpperBound(y).uge(width))
    defined =
        pool.andOf(defined, require(compareBits("bvult", y, bits(width, width)),
                                    "a shift by the bit width or more"));
  if (isa<arith::ShLIOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    defined = pool.andOf(defined, noOverflow(op, x, y, result));
  if (auto exact = op->getAttrOfType<UnitAttr>("isExact")) {
    // No bit, and no remainder, is lost.
    Term back = pool.apply(sort, isDivision ? "bvmul" : "bvshl", {result, y});
    defined = pool.andOf(
        defined, require(pool.equal(back, x), "a result that is not exact"));
  }
  (void)addBits(result);
  if (isa<arith::AddUIExtendedOp>(op))
    return add(compareBits("bvult", result, x));
  return success();
}

/// Where the flags of `op` leave `result` without poison.
Term RegionTerms::noOverflow(Operation *op, Term x, Term y, Term result) {
  using Flags = arith::IntegerOverflowFlags;
  auto flags =
      cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr();
  unsigned width = pool.get(x).sort.width;
  Term defined = pool.boolean(true);
  ExactResult exact{isa<arith::MulIOp>(op),
                    isa<arith::SubIOp>(op),
                    false,
                    false,
                    x,
                    y,
                    defined};
  for (bool isSigned : {false, true}) {
    if (!bitEnumContainsAny(flags.getValue(),
                            isSigned ? Flags::nsw : Flags::nuw))
      continue;
    Term holds;
    if (isa<arith::ShLIOp>(op)) {
      Term back = pool.apply(Sort::bits(width), isSigned ? "bvashr" : "bvlshr",
                             {result, y});
      holds = pool.equal(back, x);
    } else {
      (isSigned ? exact.isSigned : exact.isUnsigned) = true;
      // In a type that holds all results it is the extended result.
      unsigned wide = isa<arith::MulIOp>(op) ? 2 * width : width + 1;
      Term whole = pool.apply(
          Sort::bits(wide), getBitsOperator(op),
          {extendBits(x, wide, isSigned), extendBits(y, wide, isSigned)});
      holds = pool.equal(extendBits(result, wide, isSigned), whole);
    }
    defined = pool.andOf(
        defined, require(holds, "an overflow that the flags of an operation "
                                "exclude"));
  }
  exact.holds = defined;
  if (exact.isSigned || exact.isUnsigned)
    exactResults.try_emplace(result.id, exact);
  return defined;
}

LogicalResult RegionTerms::evaluateIntegerMath(Operation *op, ArrayRef<Part> in,
                                               Symbol &out) {
  Term x = toBits(in[0].value);
  unsigned width = pool.get(x).sort.width;
  Sort sort = Sort::bits(width);
  Term zero = bits(width, 0), result;
  auto bit = [&](unsigned i) {
    return pool.apply(
        Sort::bits(1),
        pool.intern("(_ extract " + Twine(i) + " " + Twine(i) + ")"), x);
  };
  if (isa<math::AbsIOp>(op)) {
    result = pool.ifThenElse(compareBits("bvslt", x, zero),
                             pool.apply(sort, "bvneg", x), x);
  } else if (isa<math::CtPopOp>(op)) {
    result = zero;
    for (unsigned i = 0; i < width; ++i)
      result =
          pool.apply(sort, "bvadd", {result, extendBits(bit(i), width, false)});
  } else if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op)) {
    // The bit that counts most is looked at last.
    bool isLeading = isa<math::CountLeadingZerosOp>(op);
    result = bits(width, width);
    for (unsigned i = 0; i < width; ++i) {
      unsigned at = isLeading ? i : width - 1 - i;
      result =
          pool.ifThenElse(toBool(bit(at)),
                          bits(width, isLeading ? width - 1 - at : at), result);
    }
  } else {
    return refuseUnknown(op);
  }
  if (pool.get(in[0].value).sort == Sort::boolean())
    result = toBool(result);
  out.push_back({result, in[0].defined});
  return success();
}
