//===- ExpandArith.cpp - Arithmetic that LLVM has no counterpart of -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDARITH
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// `type` with elements of type `element`.
Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

Value constantLike(OpBuilder &b, Location loc, Type type, int64_t value) {
  Attribute number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    number = DenseElementsAttr::get(shaped, number);
  return arith::ConstantOp::create(b, loc, type, cast<TypedAttr>(number));
}

/// `wide`, of f64, as an f32 that rounds to any narrower type as `wide` does:
/// rounded towards zero, with the last bit set where something was lost.
Value roundToOdd(OpBuilder &b, Location loc, Value wide) {
  Type single = withElement(wide.getType(), b.getF32Type());
  Type word = withElement(wide.getType(), b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, loc, single, wide);
  Value back = arith::ExtFOp::create(b, loc, wide.getType(), nearest);
  auto magnitude = [&](Value value) -> Value {
    Type bits = withElement(wide.getType(), b.getI64Type());
    Value mask = constantLike(b, loc, bits, INT64_MAX);
    return arith::AndIOp::create(
        b, loc, arith::BitcastOp::create(b, loc, bits, value), mask);
  };
  // Magnitudes are ordered as their bits are. A NaN compares as equal here.
  Value isLarger = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                         magnitude(back), magnitude(wide));
  Value isInexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, wide);
  Value bits = arith::BitcastOp::create(b, loc, word, nearest);
  Value one = constantLike(b, loc, word, 1);
  Value below = arith::SubIOp::create(b, loc, bits, one);
  Value towardsZero = arith::SelectOp::create(b, loc, isLarger, below, bits);
  Value odd = arith::OrIOp::create(b, loc, towardsZero, one);
  Value chosen = arith::SelectOp::create(b, loc, isInexact, odd, bits);
  return arith::BitcastOp::create(b, loc, single, chosen);
}

/// Takes conversions between bf16 and f64 through f32.
void splitConversion(Operation *op) {
  OpBuilder b(op);
  auto isF64 = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF64();
  };
  if (auto extend = dyn_cast<arith::ExtFOp>(op);
      extend && isBF16(extend.getIn().getType()) && isF64(extend.getOut()))
    extend.getInMutable().assign(arith::ExtFOp::create(
        b, op->getLoc(), withElement(extend.getType(), b.getF32Type()),
        extend.getIn()));
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && isBF16(truncate.getType()) && isF64(truncate.getIn()))
    truncate.getInMutable().assign(
        roundToOdd(b, op->getLoc(), truncate.getIn()));
}

/// LLVM's remainder of the smallest integer by -1 is undefined, and processors
/// stop the program there. It is 0, as is any by -1, or by 1.
void avoidOverflow(arith::RemSIOp op) {
  APInt divisor;
  if (matchPattern(op.getRhs(), m_ConstantInt(&divisor)) &&
      !divisor.isAllOnes())
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Value isMinusOne =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getRhs(),
                            constantLike(b, loc, type, -1));
  op.getRhsMutable().assign(arith::SelectOp::create(
      b, loc, isMinusOne, constantLike(b, loc, type, 1), op.getRhs()));
}

/// Lets the divisions that `op` becomes have its name: messages of the emulator
/// have those of the program (`getOriginalName`).
void markLocation(Operation *op) {
  Attribute name =
      StringAttr::get(op->getContext(), op->getName().getStringRef());
  op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc()}, name));
}

struct ScanExpandArith final
    : scan::impl::ScanExpandArithBase<ScanExpandArith> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        extend.removeFastmathAttr();
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        truncate.removeFastmathAttr();
    });

    getOperation()->walk(splitConversion);
    getOperation()->walk(avoidOverflow);
    getOperation()->walk([](Operation *op) {
      if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
        markLocation(op);
    });

    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>();
    target.addDynamicallyLegalOp<arith::ExtFOp>([](arith::ExtFOp op) {
      return !isBF16(op.getIn().getType()) ||
             !getElementTypeOrSelf(op.getType()).isF32();
    });
    target.addDynamicallyLegalOp<arith::TruncFOp>([](arith::TruncFOp op) {
      return !isBF16(op.getType()) ||
             !getElementTypeOrSelf(op.getIn().getType()).isF32();
    });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
