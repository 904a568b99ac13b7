//===- SimplifyGates.cpp - Functions of gates in fewer instructions -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gated recurrences and their derivatives compute beside sigmoids: expm1
// of twice what they need the exponential of, the two sides of a tanh, and
// quotients by square roots. libdevice has each of them by itself, right for
// all arguments; here one follows from another.
//
//===----------------------------------------------------------------------===//

#include "Analysis/FloatRange.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <cmath>

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSIMPLIFYGATES
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// The largest argument of the polynomial for expm1: the logarithm of 2. Beyond
/// it a difference of exponentials loses less than two bits.
static constexpr float kMostOfPolynomial = 0x1.62e43p-1f;

/// expm1(x) = x (1 + x (c0 + x (c1 + ...))) for |x| up to there: a fit that
/// makes the largest relative error least, 0.5 units in the last place before
/// anything is rounded.
static constexpr float kCoefficients[] = {0x1.000008p-1f,  0x1.55553cp-3f,
                                          0x1.554b5ep-5f,  0x1.1118ccp-7f,
                                          0x1.71783ap-10f, 0x1.a0647ap-13f};

/// The same where x is negative: half of the range takes one coefficient less,
/// for a largest error of 0.3 units.
static constexpr float kOfNegative[] = {0x1.ffffd4p-2f, 0x1.554e66p-3f,
                                        0x1.549e5p-5f, 0x1.08b1ecp-7f,
                                        0x1.10482ap-10f};

static bool isConstant(Value value, double number) {
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.convertToDouble() == number;
}

static Value makeConstant(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// x, if `value` is 2 x; null otherwise.
static Value getHalf(Value value) {
  if (auto sum = value.getDefiningOp<arith::AddFOp>())
    return sum.getLhs() == sum.getRhs() ? sum.getLhs() : Value();
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return Value();
  if (isConstant(product.getLhs(), 2))
    return product.getRhs();
  return isConstant(product.getRhs(), 2) ? product.getLhs() : Value();
}

/// 2 x, of a product with a constant that with twice the constant.
static Value makeTwice(ImplicitLocOpBuilder &b, Value x) {
  auto product = x.getDefiningOp<arith::MulFOp>();
  APFloat constant(0.0f);
  if (!product || !product->hasOneUse() ||
      !matchPattern(product.getRhs(), m_ConstantFloat(&constant)) ||
      (constant + constant).isInfinity())
    return arith::AddFOp::create(b, x, x);
  return arith::MulFOp::create(
      b, product.getLhs(),
      makeConstant(b, (constant + constant).convertToFloat()));
}

/// Whether the square root of a multiple of -`value` is taken, where `value` is
/// at most zero.
static bool hasRootOfNegation(Value value) {
  auto hasRoot = [](Operation *op) {
    return llvm::any_of(op->getUsers(), llvm::IsaPred<math::SqrtOp>);
  };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<arith::NegFOp>(user) &&
           (hasRoot(user) || llvm::any_of(user->getUsers(), [&](Operation *op) {
              return isa<arith::MulFOp>(op) && hasRoot(op);
            }));
  });
}

/// Whether somebody needs exp(value) in `block`.
static bool hasExponential(Value value, Block *block) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<math::ExpOp>(user) && user->getBlock() == block;
  });
}

/// tanh(x), if `op` is 1 + tanh(x) or 1 - tanh(x); null otherwise.
static math::TanhOp findTanh(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return nullptr;
  Value one = op->getOperand(0), tanh = op->getOperand(1);
  if (isa<arith::AddFOp>(op) && isConstant(tanh, 1))
    std::swap(one, tanh);
  return isConstant(one, 1) ? tanh.getDefiningOp<math::TanhOp>() : nullptr;
}

namespace {

/// expm1(x) is a polynomial where x is small, and exp(x) - 1 elsewhere: with
/// exp(x / 2) at hand its square less 1, if x is negative. Squares of what is
/// larger than 1 are too far off.
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of a number in f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(), minusOne = makeConstant(b, -1);
    Value large, half = getHalf(x);
    if (half && hasRootOfNegation(op) && hasExponential(half, op->getBlock())) {
      Value power = math::ExpOp::create(b, half, op.getFastmath());
      large = math::FmaOp::create(b, power, power, minusOne);
    } else {
      Value power = math::ExpOp::create(b, x, op.getFastmath());
      large = arith::AddFOp::create(b, power, minusOne);
    }
    // Of 2 y it is a polynomial in y with the same bits.
    Value argument = half ? half : x;
    float unit = half ? 2 : 1;
    ArrayRef<float> coefficients = kCoefficients;
    if (scan::FloatRanges().get(x).upper <= 0)
      coefficients = kOfNegative;
    float scale = std::pow(unit, coefficients.size() + 1);
    Value sum = makeConstant(b, scale * coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back())) {
      scale /= unit;
      sum = math::FmaOp::create(b, sum, argument,
                                makeConstant(b, scale * coefficient));
    }
    sum = math::FmaOp::create(b, sum, argument, makeConstant(b, unit));
    // The last product keeps the sign of zero.
    Value small = arith::MulFOp::create(b, argument, sum);
    Value isSmall = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, argument),
        makeConstant(b, kMostOfPolynomial / unit));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, small, large);
    return success();
  }
};

/// 1 + tanh(x) is 2 sigmoid(2 x), and 1 - tanh(x) is 2 sigmoid(-2 x), without
/// what is lost where the sum is close to zero. tanh itself takes a polynomial
/// besides the exponential.
template <typename OpTy> struct TanhToSigmoid : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of numbers in f32");
    auto tanh = findTanh(op);
    if (!tanh || !llvm::all_of(tanh->getUsers(), [&](Operation *user) {
          return user->getBlock() == op->getBlock() && findTanh(user) == tanh;
        }))
      return rewriter.notifyMatchFailure(op, "no side of a tanh, or one that "
                                             "is needed by itself");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value exponent = makeTwice(b, tanh.getOperand());
    if (isa<arith::AddFOp>(op))
      exponent = arith::NegFOp::create(b, exponent);
    Value power = math::ExpOp::create(b, exponent, tanh.getFastmath());
    Value sum = arith::AddFOp::create(b, power, makeConstant(b, 1));
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, makeConstant(b, 2), sum);
    return success();
  }
};

/// x / sqrt(y) and x / (c sqrt(y)), with a power of two as the constant c, are
/// products with the reciprocal square root, which is an instruction where a
/// division is a call at worst.
struct RootQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of numbers in f32");
    Value divisor = op.getRhs();
    APFloat factor(1.0f), inverse(1.0f), constant(1.0f);
    while (auto product = divisor.getDefiningOp<arith::MulFOp>()) {
      bool isLast = matchPattern(product.getRhs(), m_ConstantFloat(&constant));
      if (!isLast &&
          !matchPattern(product.getLhs(), m_ConstantFloat(&constant)))
        return rewriter.notifyMatchFailure(op, "not by a multiple of a root");
      factor = factor * constant;
      divisor = isLast ? product.getLhs() : product.getRhs();
    }
    auto root = divisor.getDefiningOp<math::SqrtOp>();
    if (!root || !factor.getExactInverse(&inverse))
      return rewriter.notifyMatchFailure(op, "not by a multiple of a root");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value reciprocal =
        math::RsqrtOp::create(b, root.getOperand(), root.getFastmath());
    if (!inverse.isExactlyValue(1))
      reciprocal = arith::MulFOp::create(
          b, reciprocal, makeConstant(b, inverse.convertToFloat()));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal,
                                               op.getFastmathAttr());
    return success();
  }
};

/// Square roots of what is at most 1 are those of multiples, which are not
/// below 2^-126 unless they are zero: the instructions for roots flush what is.
/// Powers of 4 are exact factors, so that what else a derivative needs of the
/// number, 1 less it, is had of the multiple: only that is kept in a register.
struct ScaleRoot : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!op.getType().isF32() || scan::FloatRanges().get(x).upper > 1)
      return rewriter.notifyMatchFailure(op, "not of what is at most 1 in f32");
    constexpr float kScale = 0x1p24f, kRoot = 0x1p12f;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value scaled = arith::MulFOp::create(b, x, makeConstant(b, kScale));
    if (auto negation = x.getDefiningOp<arith::NegFOp>())
      for (Operation *user :
           llvm::make_early_inc_range(negation.getOperand().getUsers()))
        if (isa<arith::AddFOp>(user) && isConstant(user->getOperand(1), 1) &&
            user->getBlock() == op->getBlock() && op->isBeforeInBlock(user)) {
          rewriter.setInsertionPoint(user);
          rewriter.replaceOpWithNewOp<math::FmaOp>(
              user, scaled, makeConstant(b, -1 / kScale), user->getOperand(1));
        }
    rewriter.setInsertionPoint(op);
    Value root = math::SqrtOp::create(b, scaled, op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, root,
                                               makeConstant(b, 1 / kRoot));
    return success();
  }
};

struct ScanSimplifyGates final
    : scan::impl::ScanSimplifyGatesBase<ScanSimplifyGates> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet ofRoots(context), ofOthers(context);
    ofRoots.add<ScaleRoot>(context);
    ofOthers.add<ExpandExpM1, TanhToSigmoid<arith::AddFOp>,
                 TanhToSigmoid<arith::SubFOp>, RootQuotient>(context);
    roots = FrozenRewritePatternSet(std::move(ofRoots));
    others = FrozenRewritePatternSet(std::move(ofOthers));
    return success();
  }

  void runOnOperation() override {
    // What functions are in the end says less of their results.
    walkAndApplyPatterns(getOperation(), roots);
    walkAndApplyPatterns(getOperation(), others);
  }

private:
  FrozenRewritePatternSet roots, others;
};

} // namespace
