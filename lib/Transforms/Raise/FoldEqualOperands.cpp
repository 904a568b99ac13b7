//===- FoldEqualOperands.cpp - Constants of dynamic shape -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Transforms/Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFOLDEQUALOPERANDS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// What `value` is once upstream has folded minima, maxima and the like of a
/// value with itself.
static Value lookThrough(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::AndIOp, arith::OrIOp, arith::MinSIOp, arith::MinUIOp,
             arith::MaxSIOp, arith::MaxUIOp>(op) ||
        lookThrough(op->getOperand(0)) != lookThrough(op->getOperand(1)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static bool areSame(Value a, Value b) {
  return lookThrough(a) == lookThrough(b);
}

/// What upstream folds `op` into, an integer; nothing if that is no constant.
static std::optional<int64_t> foldElement(Operation *op) {
  if (!isa<arith::XOrIOp, arith::CmpIOp>(op) ||
      !areSame(op->getOperand(0), op->getOperand(1)))
    return std::nullopt;
  if (isa<arith::XOrIOp>(op))
    return 0;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(1, 0),
                                    APInt(1, 0));
  return std::nullopt;
}

/// Of (x - y) - x the y, since upstream takes it for 0 - y; else null.
static Value getNegated(Operation *op) {
  auto outer = dyn_cast<arith::SubIOp>(op);
  if (!outer)
    return Value();
  auto inner = lookThrough(outer.getLhs()).getDefiningOp<arith::SubIOp>();
  return inner && areSame(inner.getLhs(), outer.getRhs()) ? inner.getRhs()
                                                          : Value();
}

/// A tensor of this type and of the extents of `like`, of equal elements.
static Value createSplat(OpBuilder &b, Location loc, RankedTensorType type,
                         Value like, int64_t element) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, like, d));
  Value scalar = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type.getElementType(), element));
  return tensor::SplatOp::create(b, loc, type, scalar, sizes);
}

namespace {
struct ScanFoldEqualOperands
    : scan::impl::ScanFoldEqualOperandsBase<ScanFoldEqualOperands> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      std::optional<int64_t> element = foldElement(op);
      Value negated = getNegated(op);
      if (!element && !negated)
        return;
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (!type || type.hasStaticShape())
        return;
      rewriter.setInsertionPoint(op);
      Location loc = op->getLoc();
      Value splat = createSplat(rewriter, loc, type,
                                negated ? negated : op->getOperand(0),
                                element.value_or(0));
      if (negated)
        rewriter.replaceOpWithNewOp<arith::SubIOp>(op, splat, negated);
      else
        rewriter.replaceOp(op, splat);
    });
  }
};
} // namespace
