//===- ShareSigmoids.cpp - Sigmoids from one exponential ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gates take most of the instructions of a gated recurrence: a sigmoid is an
// exponential and a division, whose rare cases are a call. 1 / (1 + exp(-x)) by
// itself has one rare case, a result below 2^-126 (GPUMath.cpp): what is left
// to be shared are pairs.
//
//===----------------------------------------------------------------------===//

#include "Analysis/FloatRange.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSHARESIGMOIDS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

/// 1 + exp(x), or 1 + exp(-x) if `isOfArgument`: divided by it, numerators are
/// multiplied by sigmoid(x) if so, else by sigmoid(-x).
struct Denominator {
  arith::AddFOp sum;
  math::ExpOp exponential;
  bool isOfArgument;
  /// Products with the exponential of what is divided by the sum, as
  /// derivatives have them, and these divisions.
  SmallVector<std::pair<arith::MulFOp, arith::DivFOp>> products;
};

/// The denominators of a block with one argument.
using Denominators = llvm::MapVector<Value, SmallVector<Denominator>>;

} // namespace

static bool isOne(Value value) { return matchPattern(value, m_OneFloat()); }

/// What `value` is the negation of, if it is one, and whether it is.
static std::pair<Value, bool> stripNegations(Value value) {
  bool isNegated = false;
  while (auto negation = value.getDefiningOp<arith::NegFOp>()) {
    value = negation.getOperand();
    isNegated = !isNegated;
  }
  return {value, isNegated};
}

/// A division by `sum` that is a factor of `value`, one that nobody else needs
/// if there is such.
static arith::DivFOp findDivision(Value value, Value sum) {
  Operation *op = value.getDefiningOp();
  if (auto division = dyn_cast_if_present<arith::DivFOp>(op))
    return division.getRhs() == sum ? division : nullptr;
  if (!isa_and_present<arith::NegFOp, arith::MulFOp>(op))
    return nullptr;
  for (bool isOnlyUse : {true, false})
    for (Value operand : op->getOperands())
      if (operand.hasOneUse() == isOnlyUse)
        if (arith::DivFOp division = findDivision(operand, sum))
          return division;
  return nullptr;
}

/// Lists the products among the uses of `denominator`; fails at other ones.
static LogicalResult listProducts(Denominator &denominator) {
  Value power = denominator.exponential, sum = denominator.sum;
  for (Operation *user : power.getUsers()) {
    if (user == denominator.sum)
      continue;
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product || product.getLhs() == product.getRhs())
      return failure();
    bool isFirst = product.getLhs() == power;
    arith::DivFOp division =
        findDivision(isFirst ? product.getRhs() : product.getLhs(), sum);
    // One division turns one exponential into the other sigmoid.
    if (!division ||
        llvm::is_contained(llvm::make_second_range(denominator.products),
                           division))
      return failure();
    denominator.products.push_back({product, division});
  }
  return success();
}

/// Adds `sum` if it is one.
static void addDenominator(arith::AddFOp sum, Denominators &denominators) {
  if (!sum.getType().isF32() || sum->use_empty() ||
      !(isOne(sum.getLhs()) || isOne(sum.getRhs())))
    return;
  Value other = isOne(sum.getLhs()) ? sum.getRhs() : sum.getLhs();
  auto exponential = other.getDefiningOp<math::ExpOp>();
  if (!exponential || exponential->getBlock() != sum->getBlock())
    return;
  for (OpOperand &use : sum->getUses())
    if (!isa<arith::DivFOp>(use.getOwner()) || use.getOperandNumber() != 1 ||
        use.getOwner()->getBlock() != sum->getBlock())
      return;
  auto [argument, isNegated] = stripNegations(exponential.getOperand());
  Denominator denominator{sum, exponential, isNegated, {}};
  if (succeeded(listProducts(denominator)))
    denominators[argument].push_back(std::move(denominator));
}

/// Whether a denominator by itself takes fewer instructions than what it would
/// be replaced by.
static bool isFast(const Denominator &denominator) {
  math::ExpOp exponential = denominator.exponential;
  arith::AddFOp sum = denominator.sum;
  auto allows = [](arith::FastMathFlags flags, arith::FastMathFlags flag) {
    return bitEnumContainsAll(flags, flag);
  };
  return allows(exponential.getFastmath(), arith::FastMathFlags::afn) ||
         llvm::any_of(sum->getUsers(), [&](Operation *user) {
           return allows(cast<arith::DivFOp>(user).getFastmath(),
                         arith::FastMathFlags::arcp);
         });
}

/// `value`, of which `division` is a factor, with the factor `sigmoid` instead
/// of the reciprocal that the division multiplies by. Others may need what is
/// in between as it is.
static Value replaceDivision(RewriterBase &rewriter, Value value,
                             arith::DivFOp division, Value sigmoid) {
  Operation *op = value.getDefiningOp();
  if (op == division)
    return isOne(division.getLhs())
               ? sigmoid
               : arith::MulFOp::create(rewriter, op->getLoc(),
                                       division.getLhs(), sigmoid,
                                       division.getFastmathAttr());
  Value sum = division.getRhs();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (findDivision(operand, sum) == division) {
      mapping.map(operand,
                  replaceDivision(rewriter, operand, division, sigmoid));
      break;
    }
  return rewriter.clone(*op, mapping)->getResult(0);
}

/// Whether `value` is a constant whose product with a number below 2^-126 is
/// not much larger, so that it needs no more bits.
static bool isSmallConstant(Value value) {
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         std::abs(constant.convertToDouble()) <= 2;
}

/// Whether the instruction for reciprocals is all that `denominator` takes:
/// below 2^-126 reciprocals have fewer bits than products of them with large
/// numbers should have.
static bool isOfReciprocals(const Denominator &denominator) {
  arith::AddFOp sum = denominator.sum;
  return denominator.products.empty() &&
         llvm::all_of(sum->getUsers(), [](Operation *user) {
           return isSmallConstant(cast<arith::DivFOp>(user).getLhs());
         });
}

/// Whether sigmoids of both signs are among those of one argument.
static bool isPair(ArrayRef<Denominator> denominators) {
  return llvm::any_of(denominators, [&](const Denominator &other) {
    return other.isOfArgument != denominators.front().isOfArgument;
  });
}

/// Whether `denominators`, all of those with one argument, take more than an
/// exponential and a reciprocal.
static bool needsBoth(ArrayRef<Denominator> denominators) {
  return isPair(denominators) || (llvm::none_of(denominators, isFast) &&
                                  !llvm::all_of(denominators, isOfReciprocals));
}

/// Whether sigmoids of both signs are needed of the argument of `denominators`,
/// all of those with one.
static bool areBothNeeded(ArrayRef<Denominator> denominators) {
  return isPair(denominators) ||
         llvm::any_of(denominators, [](const Denominator &denominator) {
           return !denominator.products.empty();
         });
}

/// Replaces divisions by `denominators`, all of those with one argument in the
/// order of their block, by products with sigmoids that divisions with `flags`
/// compute.
static void share(RewriterBase &rewriter, ArrayRef<Denominator> denominators,
                  arith::FastMathFlags flags) {
  arith::AddFOp first = denominators.front().sum;
  math::ExpOp exponential = denominators.front().exponential;
  // It may be a sigmoid that has been replaced.
  Value argument = stripNegations(exponential.getOperand()).first;
  Location loc = first.getLoc();
  rewriter.setInsertionPoint(first);
  auto makeConstant = [&](float value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getF32FloatAttr(value));
  };
  // That of the negated argument is divided by itself where it is the only one.
  bool isDividedOfArgument =
      llvm::any_of(denominators, [](const Denominator &denominator) {
        return denominator.isOfArgument;
      });
  Value exponent = argument;
  if (isDividedOfArgument)
    exponent = arith::NegFOp::create(rewriter, loc, argument);
  Value power =
      math::ExpOp::create(rewriter, loc, exponent, exponential.getFastmath());
  Value one = makeConstant(1);
  Value sum = arith::AddFOp::create(rewriter, loc, power, one);
  Value sigmoid = arith::DivFOp::create(rewriter, loc, one, sum, flags);
  Value ofNegation;
  auto getSigmoid = [&](bool isOfArgument) {
    if (isOfArgument == isDividedOfArgument)
      return sigmoid;
    if (!ofNegation) {
      // The difference has lost nothing where it is a half or more, and the
      // factors of the product are finite where it is not.
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(sigmoid);
      Value large = arith::SubFOp::create(rewriter, loc, one, sigmoid);
      Value small = arith::MulFOp::create(rewriter, loc, power, sigmoid);
      Value isSmall = arith::CmpFOp::create(
          rewriter, loc, arith::CmpFPredicate::OGE, sigmoid, makeConstant(0.5));
      ofNegation =
          arith::SelectOp::create(rewriter, loc, isSmall, small, large);
    }
    return ofNegation;
  };
  auto multiply = [&](arith::DivFOp division, Value factor) {
    rewriter.setInsertionPoint(division);
    if (isOne(division.getLhs()))
      rewriter.replaceOp(division, factor);
    else
      rewriter.replaceOpWithNewOp<arith::MulFOp>(
          division, division.getLhs(), factor, division.getFastmathAttr());
  };
  for (const Denominator &denominator : denominators) {
    // exp(-x) sigmoid(x) is sigmoid(-x).
    for (auto [product, division] : denominator.products) {
      arith::MulFOp op = product;
      Value power = denominator.exponential->getResult(0);
      Value quotient = op.getLhs() == power ? op.getRhs() : op.getLhs();
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(
          op, replaceDivision(rewriter, quotient, division,
                              getSigmoid(!denominator.isOfArgument)));
    }
    arith::AddFOp used = denominator.sum;
    for (Operation *user : llvm::make_early_inc_range(used->getUsers()))
      multiply(cast<arith::DivFOp>(user), getSigmoid(denominator.isOfArgument));
    rewriter.eraseOp(used);
    rewriter.eraseOp(denominator.exponential);
  }
}

/// Multiplies by the reciprocal of 1 + exp(x) instead of dividing by it:
/// constants, and anything where it is at most 2, as the derivative of a
/// softplus does by 1 + exp(-|x|).
static void multiplyByReciprocals(RewriterBase &rewriter, arith::AddFOp sum) {
  if (!sum.getType().isF32() || !isOne(sum.getRhs()) ||
      !sum.getLhs().getDefiningOp<math::ExpOp>())
    return;
  bool isAtMostTwo = scan::FloatRanges().get(sum).upper <= 2;
  auto isQuotient = [&](Operation *user) {
    return isa<arith::DivFOp>(user) && user->getOperand(1) == sum &&
           !isOne(user->getOperand(0)) &&
           (isAtMostTwo || isSmallConstant(user->getOperand(0)));
  };
  if (llvm::none_of(sum->getUsers(), isQuotient))
    return;
  Location loc = sum.getLoc();
  rewriter.setInsertionPointAfter(sum);
  Value one =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(1));
  Value reciprocal = arith::DivFOp::create(rewriter, loc, one, sum);
  for (Operation *user : llvm::make_early_inc_range(sum->getUsers())) {
    if (!isQuotient(user))
      continue;
    auto division = cast<arith::DivFOp>(user);
    rewriter.setInsertionPoint(division);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(
        division, division.getLhs(), reciprocal, division.getFastmathAttr());
  }
}

namespace {

struct ScanShareSigmoids final
    : scan::impl::ScanShareSigmoidsBase<ScanShareSigmoids> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      SmallVector<Denominators> ofBlocks;
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          ofBlocks.emplace_back();
          for (auto sum : block.getOps<arith::AddFOp>())
            addDenominator(sum, ofBlocks.back());
        }
      // A backward pass computes in one region of its kernel what the other one
      // does, too, and in the same form both share it.
      bool isForBoth = llvm::any_of(ofBlocks, [](Denominators &ofBlock) {
        return llvm::any_of(
            ofBlock, [](auto &entry) { return needsBoth(entry.second); });
      });
      // As reciprocals sigmoids are zero below 2^-126, where those of the other
      // sign, as products, are in any case.
      bool areReciprocals = llvm::any_of(ofBlocks, [](Denominators &ofBlock) {
        return llvm::any_of(
            ofBlock, [](auto &entry) { return areBothNeeded(entry.second); });
      });
      auto flags = areReciprocals ? arith::FastMathFlags::arcp
                                  : arith::FastMathFlags::none;
      for (Denominators &ofBlock : ofBlocks)
        for (auto &[argument, found] : ofBlock)
          if (isPair(found) || (isForBoth && llvm::none_of(found, isFast)))
            share(rewriter, found, flags);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (auto sum :
               llvm::make_early_inc_range(block.getOps<arith::AddFOp>()))
            multiplyByReciprocals(rewriter, sum);
    });
  }
};

} // namespace
