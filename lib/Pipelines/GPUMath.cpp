//===- GPUMath.cpp - Functions in f32 by few instructions -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of gates, whose arguments have bounds that libdevice does not
// know of. Kernels over elements of 16 bits are bound by the instructions that
// gates take, and not by memory.
//
//===----------------------------------------------------------------------===//

#include "GPUMath.h"
#include "Analysis/FloatRange.h"
#include "IR/Exponentials.h"
#include "IR/Sigmoids.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

static Value makeConstant(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// 2^x by the instruction for it, which flushes what is below 2^-126.
static Value emitPowerOfTwo(ImplicitLocOpBuilder &b, Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
             ValueRange(x))
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

/// 1 / ln 2 in 16 bits, whose product with a number in bf16 is exact, and what
/// the exponential of a number has to be corrected by for each unit of it.
static constexpr float kNarrowLog2e = 0x1.7154p+0f;
static constexpr float kNarrowRest =
    1.0 - double(kNarrowLog2e) * llvm::numbers::ln2;

/// The largest number in bf16 whose exponential is finite in f32.
static constexpr float kMaxExponent = 88.5f;

/// exp(x) = e + e d for a number x that was bf16, where e is the power of 2 to
/// the product of x and 1 / ln 2 in 16 bits, and d what 16 bits leave out.
/// libdevice finds the nearest integer to the product first.
static Value emitNarrowExponential(ImplicitLocOpBuilder &b, Value x) {
  // So that no instruction negates what was extended.
  float sign = 1;
  if (auto negation = x.getDefiningOp<arith::NegFOp>()) {
    x = negation.getOperand();
    sign = -1;
  }
  // Zero times minus infinity is not a number; the correction of a power that
  // is infinite is positive.
  Value limit = makeConstant(b, -sign * kMaxExponent);
  x = sign < 0 ? arith::MinimumFOp::create(b, x, limit).getResult()
               : arith::MaximumFOp::create(b, x, limit).getResult();
  Value product =
      arith::MulFOp::create(b, x, makeConstant(b, sign * kNarrowLog2e));
  Value rest = arith::MulFOp::create(b, x, makeConstant(b, sign * kNarrowRest));
  Value power = emitPowerOfTwo(b, product);
  return math::FmaOp::create(b, power, rest, power);
}

/// The constant that `value` is, if it is a power of two, or its negation,
/// whose products with what a kernel computes are exact but for those below
/// 2^-126.
static std::optional<float> getExactFactor(Value value) {
  APFloat constant(0.0f);
  if (!value.getType().isF32() ||
      !matchPattern(value, m_ConstantFloat(&constant)) ||
      !constant.getExactInverse(nullptr) ||
      std::abs(constant.getExactLog2()) > 10)
    return std::nullopt;
  return constant.convertToFloat();
}

/// The only user of `value`, if it is a product, and its other factor.
static std::pair<arith::MulFOp, Value> getOnlyProduct(Value value) {
  if (!value.hasOneUse())
    return {};
  auto product = dyn_cast<arith::MulFOp>(*value.user_begin());
  if (!product)
    return {};
  bool isFirst = product.getLhs() == value;
  return {product, isFirst ? product.getRhs() : product.getLhs()};
}

/// Whether `value` is computed from what other blocks compute, as everything is
/// that LLVM takes out of the loop whose body `block` is.
static bool comesFromElsewhere(Value value, Block *block) {
  SmallVector<Value> left = {value};
  DenseSet<Value> seen;
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (next.getParentBlock() != block || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || !isPure(op))
      return false;
    llvm::append_range(left, op->getOperands());
  }
  return true;
}

/// Multiplies `value`, a factor of `product`, by one more `factor`, which is at
/// most 1, unless that is one more instruction for each step: it has such a
/// factor already, or is computed before a loop. The product with a sigmoid,
/// which is at most 1 as well, is off by two units in the last place of numbers
/// below 2^-126 at worst.
static bool absorbFactor(RewriterBase &rewriter, arith::MulFOp product,
                         Value value, float factor) {
  Operation *op = value.getDefiningOp();
  if (!op || matchPattern(op, m_Constant()))
    return false;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(op);
  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  if (auto inner = dyn_cast<arith::MulFOp>(op); inner && inner->hasOneUse())
    if (std::optional<float> other = getExactFactor(inner.getRhs());
        other && std::abs(*other * factor) <= 1) {
      rewriter.replaceOpWithNewOp<arith::MulFOp>(
          inner, inner.getLhs(), makeConstant(b, *other * factor));
      return true;
    }
  if (!comesFromElsewhere(value, product->getBlock()))
    return false;
  Value scaled = arith::MulFOp::create(b, value, makeConstant(b, factor));
  rewriter.modifyOpInPlace(product,
                           [&] { product->replaceUsesOfWith(value, scaled); });
  return true;
}

/// Takes the instruction for a reciprocal, which is within one unit in the last
/// place and flushes results below 2^-126. Of a quarter of a divisor that may
/// be so large that it `mayFlush` it flushes none, and a quarter of that is
/// exact: a factor that others may have already.
static void shortenDivision(RewriterBase &rewriter, arith::DivFOp division,
                            bool mayFlush) {
  constexpr float kScale = 0.25;
  rewriter.setInsertionPoint(division);
  ImplicitLocOpBuilder b(division.getLoc(), rewriter);
  Value divisor = division.getRhs();
  auto takeReciprocal = [&] {
    return NVVM::RcpApproxFtzF32Op::create(b, division.getType(), divisor);
  };
  if (!mayFlush)
    return rewriter.replaceOp(division, takeReciprocal());
  Value power = divisor.getDefiningOp<arith::AddFOp>().getLhs();
  Value scale = makeConstant(b, kScale);
  divisor = math::FmaOp::create(b, power, scale, scale);
  Value result = takeReciprocal();
  float factor = kScale;
  rewriter.replaceOp(division, result);
  auto [product, other] = getOnlyProduct(result);
  for (std::optional<float> constant;
       product && (constant = getExactFactor(other));
       std::tie(product, other) = getOnlyProduct(result)) {
    factor *= *constant;
    rewriter.replaceOp(product, result);
  }
  if (product && std::abs(factor) <= 1 &&
      absorbFactor(rewriter, product, other, factor))
    return;
  b.setInsertionPointAfter(result.getDefiningOp());
  auto scaled = arith::MulFOp::create(b, result, makeConstant(b, factor));
  rewriter.replaceAllUsesExcept(result, scaled, scaled);
}

static void shortenSigmoids(RewriterBase &rewriter, Operation *module) {
  // What sigmoids are told by is gone when the first has changed.
  FloatRanges ranges;
  SmallVector<math::ExpOp> exponentials;
  SmallVector<std::pair<arith::DivFOp, bool>> divisions;
  module->walk([&](Operation *op) {
    if (auto exponential = dyn_cast<math::ExpOp>(op);
        exponential && isOfNarrowSigmoids(exponential))
      exponentials.push_back(exponential);
    if (isSigmoid(op)) {
      auto division = cast<arith::DivFOp>(op);
      bool mayFlush = ranges.get(division.getRhs()).upper > 0x1p126 &&
                      !bitEnumContainsAll(division.getFastmath(),
                                          arith::FastMathFlags::arcp);
      divisions.push_back({division, mayFlush});
    }
  });
  for (auto [division, mayFlush] : divisions)
    shortenDivision(rewriter, division, mayFlush);
  for (math::ExpOp op : exponentials) {
    rewriter.setInsertionPoint(op);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitNarrowExponential(b, op.getOperand()));
  }
}

//===----------------------------------------------------------------------===//
// Other functions
//===----------------------------------------------------------------------===//

static SmallVector<math::ExpOp> listOfInexactProducts(Operation *module) {
  SmallVector<math::ExpOp> exponentials;
  module->walk([&](math::ExpOp op) {
    if (isOfInexactProduct(op) &&
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      exponentials.push_back(op);
  });
  return exponentials;
}

/// The square of 2^(x / (2 ln 2)): three instructions, where libdevice's
/// function takes eight. A power of half the exponent is flushed only where the
/// square of it is zero in f32.
static void shortenExponentials(RewriterBase &rewriter,
                                ArrayRef<math::ExpOp> exponentials) {
  for (math::ExpOp op : exponentials) {
    rewriter.setInsertionPoint(op);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value exponent = arith::MulFOp::create(
        b, op.getOperand(), makeConstant(b, llvm::numbers::log2ef / 2));
    Value root = emitPowerOfTwo(b, exponent);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, root, root);
  }
}

/// Takes the instruction for a square root or its reciprocal, which takes what
/// is below 2^-126 for zero, of products with at least 2^23, which are never
/// that small (--scan-simplify-gates).
static void shortenRoots(RewriterBase &rewriter, Operation *module) {
  module->walk([&](Operation *op) {
    if (!isa<math::SqrtOp, math::RsqrtOp>(op) ||
        !op->getResult(0).getType().isF32())
      return;
    auto product = op->getOperand(0).getDefiningOp<arith::MulFOp>();
    APFloat factor(0.0f);
    if (!product || !matchPattern(product.getRhs(), m_ConstantFloat(&factor)) ||
        std::abs(factor.convertToFloat()) < 0x1p23f)
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op->getResult(0).getType(),
        rewriter.getStringAttr(isa<math::SqrtOp>(op)
                                   ? "llvm.nvvm.sqrt.approx.ftz.f"
                                   : "llvm.nvvm.rsqrt.approx.ftz.f"),
        op->getOperands());
  });
}

/// log1p(x) = x + x x (c0 + x (c1 + ...)) for x in [0, 1]: a fit that makes the
/// largest relative error least, 0.5 units in the last place before anything is
/// rounded, and 1.4 after that.
static constexpr float kLog1pCoefficients[] = {
    -0x1.ffff14p-2f, 0x1.5535d8p-2f, -0x1.fd1318p-3f, 0x1.884434p-3f,
    -0x1.19ad4ap-3f, 0x1.446b66p-4f, -0x1.ec97a4p-6f, 0x1.5f9562p-8f};

/// Takes a polynomial for log1p of what is known to be in [0, 1], as exp(-|x|)
/// is in a softplus: nine instructions, where libdevice's function takes 25.
/// Until now the function said more of its result than the polynomial would.
static void shortenLogarithms(RewriterBase &rewriter, Operation *module) {
  FloatRanges ranges;
  module->walk([&](math::Log1pOp op) {
    Value x = op.getOperand();
    if (!op.getType().isF32() || !ranges.get(x).isWithin(0, 1))
      return;
    rewriter.setInsertionPoint(op);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ArrayRef<float> coefficients = kLog1pCoefficients;
    Value sum = makeConstant(b, coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = math::FmaOp::create(b, sum, x, makeConstant(b, coefficient));
    Value square = arith::MulFOp::create(b, x, x);
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, square, sum, x);
  });
}

/// Of two numbers in bf16 that were loaded as a word the upper one, with its
/// lower bits cleared, is its value in f32: one instruction, where LLVM brings
/// it down to 16 bits and up again.
static void extendUpperHalves(RewriterBase &rewriter, Operation *module) {
  module->walk([&](arith::ExtFOp extension) {
    Value number = extension.getIn();
    if (!number.getType().isBF16() || !extension.getType().isF32())
      return;
    auto bits = number.getDefiningOp<arith::BitcastOp>();
    auto half = bits ? bits.getIn().getDefiningOp<arith::TruncIOp>() : nullptr;
    auto shift = half ? half.getIn().getDefiningOp<arith::ShRUIOp>() : nullptr;
    APInt distance;
    if (!shift || !shift.getType().isInteger(32) ||
        !matchPattern(shift.getRhs(), m_ConstantInt(&distance)) ||
        distance != 16)
      return;
    rewriter.setInsertionPoint(extension);
    Value mask = arith::ConstantOp::create(
        rewriter, extension.getLoc(), rewriter.getI32IntegerAttr(-0x10000));
    Value upper = arith::AndIOp::create(rewriter, extension.getLoc(),
                                        shift.getLhs(), mask);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(extension,
                                                  rewriter.getF32Type(), upper);
  });
}

void mlir::scan::shortenMath(RewriterBase &rewriter, Operation *module) {
  // Arguments are told by the functions that they are of.
  SmallVector<math::ExpOp> ofProducts = listOfInexactProducts(module);
  shortenLogarithms(rewriter, module);
  shortenSigmoids(rewriter, module);
  shortenExponentials(rewriter, ofProducts);
  shortenRoots(rewriter, module);
  extendUpperHalves(rewriter, module);
}
