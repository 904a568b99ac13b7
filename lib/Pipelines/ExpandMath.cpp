//===- ExpandMath.cpp - Functions as arithmetic on vectors ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of libm per element is what gated recurrences would spend most of
// their time on. Here is what they need as straight-line arithmetic, which
// works on vectors; scalars take the same way, so that a result does not depend
// on whether its element was in a vector or left over.
//
// exp and expm1: x = n*ln2 + r with |r| <= ln2/2, and exp(r) - 1 = r + r*r*P(r)
// with the polynomial P of Cephes' expf (S. Moshier).
// log: x = 2^e * (1 + f), and log(1 + f) = f - f*f/2 + f*f*f*Q(f) with the
// polynomial Q of Cephes' logf. tanh: from expm1. log1p: after Goldberg, What
// Every Computer Scientist Should Know About Floating-Point Arithmetic,
// theorem 4.
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <limits>

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDMATH
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

/// Arithmetic on f32 and i32, or on vectors of them.
class Emitter {
public:
  Emitter(PatternRewriter &rewriter, Value like, bool fuses)
      : b(like.getLoc(), rewriter), floats(like.getType()),
        ints(rewriter.getI32Type()), fuses(fuses) {
    if (auto vector = dyn_cast<VectorType>(floats))
      ints = vector.clone(ints);
  }

  Value constant(float value) {
    return splat(floats, b.getF32FloatAttr(value));
  }
  Value integer(int32_t value) {
    return splat(ints, b.getI32IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// x * y + z, rounded once or twice.
  Value mulAdd(Value x, Value y, Value z) {
    if (fuses)
      return math::FmaOp::create(b, x, y, z);
    return add(mul(x, y), z);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  /// `x` between `low` and `high`; NaN becomes `low`.
  Value clamp(Value x, float low, float high) {
    Value l = constant(low), h = constant(high);
    x = select(compare(arith::CmpFPredicate::OGT, x, l), x, l);
    return select(compare(arith::CmpFPredicate::OLT, x, h), x, h);
  }
  /// 2^n for an integer in the exponent range of normal numbers.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, n, integer(127));
    Value bits = arith::ShLIOp::create(b, biased, integer(23));
    return arith::BitcastOp::create(b, floats, bits);
  }

  /// n, as an integer, and exp(r) - 1 for x = n*ln2 + r.
  std::pair<Value, Value> reduce(Value x) {
    Value n = math::RoundEvenOp::create(b, mul(x, constant(0x1.715476p+0f)));
    // ln2 in two parts, the first of which times n is exact.
    Value r = mulAdd(n, constant(-0x1.63p-1f), x);
    r = mulAdd(n, constant(0x1.bd0106p-13f), r);
    Value p = constant(1.9875691500e-4f);
    for (float coefficient :
         {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
          1.6666665459e-1f, 5.0000001201e-1f})
      p = mulAdd(p, r, constant(coefficient));
    p = mulAdd(p, mul(r, r), r);
    return {arith::FPToSIOp::create(b, ints, n), p};
  }

  Value exp(Value x) {
    // Beyond these the result is zero and infinity.
    auto [n, p] = reduce(clamp(x, -104.0f, 89.0f));
    // In two steps, so that results below the normal numbers are rounded once
    // and those above overflow.
    Value half = arith::ShRSIOp::create(b, n, integer(1));
    Value rest = arith::SubIOp::create(b, n, half);
    Value scale = powerOfTwo(half);
    Value y = mul(mulAdd(p, scale, scale), powerOfTwo(rest));
    return keepNaN(x, y);
  }

  Value expm1(Value x) {
    // Below -20 the result is -1, above 89 it is infinity. Half of it has a
    // scale that is a finite number.
    auto [n, p] = reduce(clamp(x, -20.0f, 89.0f));
    Value scale = powerOfTwo(arith::SubIOp::create(b, n, integer(1)));
    Value y = mulAdd(p, scale, sub(scale, constant(0.5f)));
    y = add(y, y);
    // Keeps the sign of zero, which the sum above loses.
    Value zero = compare(arith::CmpFPredicate::OEQ, x, constant(0.0f));
    return keepNaN(x, select(zero, x, y));
  }

  Value tanh(Value x) {
    // Of the magnitude: 1 - exp(-2|x|) over 1 + exp(-2|x|), which loses no
    // digits near zero.
    Value magnitude = math::AbsFOp::create(b, x);
    Value t = expm1(mul(magnitude, constant(-2.0f)));
    Value y = arith::DivFOp::create(b, t, add(t, constant(2.0f)));
    return math::CopySignOp::create(b, y, x);
  }

  Value log(Value x) {
    // Numbers below the normal ones are scaled up first.
    Value isSmall = compare(arith::CmpFPredicate::OLT, x, constant(0x1p-126f));
    Value scaled = select(isSmall, mul(x, constant(0x1p23f)), x);
    Value bias = select(isSmall, integer(126 + 23), integer(126));
    // m * 2^e with sqrt(1/2) <= m < sqrt(2).
    Value bits = arith::BitcastOp::create(b, ints, scaled);
    Value mantissa = arith::AndIOp::create(b, bits, integer(0x7FFFFF));
    mantissa = arith::OrIOp::create(b, mantissa, integer(0x3F000000));
    Value m = arith::BitcastOp::create(b, floats, mantissa);
    Value exponent = arith::ShRUIOp::create(b, bits, integer(23));
    exponent = arith::SubIOp::create(b, exponent, bias);
    Value e = arith::SIToFPOp::create(b, floats, exponent);
    Value isLow =
        compare(arith::CmpFPredicate::OLT, m, constant(0x1.6a09e6p-1f));
    e = select(isLow, sub(e, constant(1.0f)), e);
    Value f = sub(select(isLow, add(m, m), m), constant(1.0f));

    Value p = constant(7.0376836292e-2f);
    for (float coefficient :
         {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
          1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f,
          -2.4999993993e-1f, 3.3333331174e-1f})
      p = mulAdd(p, f, constant(coefficient));
    Value square = mul(f, f);
    Value y = mul(p, mul(square, f));
    y = mulAdd(e, constant(-2.12194440e-4f), y);
    y = mulAdd(square, constant(-0.5f), y);
    y = mulAdd(e, constant(0.693359375f), add(f, y));

    constexpr float infinity = std::numeric_limits<float>::infinity();
    y = select(compare(arith::CmpFPredicate::OEQ, x, constant(infinity)), x, y);
    y = select(compare(arith::CmpFPredicate::OEQ, x, constant(0.0f)),
               constant(-infinity), y);
    Value isNegative = compare(arith::CmpFPredicate::OLT, x, constant(0.0f));
    y = select(isNegative, constant(std::numeric_limits<float>::quiet_NaN()),
               y);
    return keepNaN(x, y);
  }

  Value log1p(Value x) {
    // The rounding of u = 1 + x is undone by the factor x / (u - 1).
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Value u = add(x, constant(1.0f));
    Value rounded = sub(u, constant(1.0f));
    Value y = mul(x, arith::DivFOp::create(b, log(u), rounded));
    Value isTiny = compare(arith::CmpFPredicate::OEQ, rounded, constant(0.0f));
    Value isInfinite =
        compare(arith::CmpFPredicate::OEQ, u, constant(infinity));
    return select(arith::OrIOp::create(b, isTiny, isInfinite), x, y);
  }

private:
  Value splat(Type type, TypedAttr value) {
    TypedAttr attribute = value;
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, attribute);
  }
  Value keepNaN(Value x, Value y) {
    return select(compare(arith::CmpFPredicate::UNO, x, x), x, y);
  }

  ImplicitLocOpBuilder b;
  Type floats, ints;
  bool fuses;
};

template <typename OpTy, Value (Emitter::*expand)(Value)>
struct ExpandFunction final : OpRewritePattern<OpTy> {
  ExpandFunction(MLIRContext *context, bool fuses)
      : OpRewritePattern<OpTy>(context), fuses(fuses) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    Type type = operand.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    auto vector = dyn_cast<VectorType>(type);
    if (isa<ShapedType>(type) && (!vector || vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "expected a scalar or a vector");
    Emitter emitter(rewriter, operand, fuses);
    rewriter.replaceOp(op, (emitter.*expand)(operand));
    return success();
  }

  bool fuses;
};

struct ScanExpandMath final : scan::impl::ScanExpandMathBase<ScanExpandMath> {
  using ScanExpandMathBase::ScanExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandFunction<math::ExpOp, &Emitter::exp>,
                 ExpandFunction<math::ExpM1Op, &Emitter::expm1>,
                 ExpandFunction<math::LogOp, &Emitter::log>,
                 ExpandFunction<math::Log1pOp, &Emitter::log1p>,
                 ExpandFunction<math::TanhOp, &Emitter::tanh>>(
        &getContext(), fusedMultiplyAdd);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
