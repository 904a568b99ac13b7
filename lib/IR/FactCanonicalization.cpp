//===- FactCanonicalization.cpp - Simplifies scans of known operators -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the facts of an operator f (OperatorFacts.h) make simpler. No result
// changes, to the bit.
//
//  *   An init that is the identity is not needed.
//  *   With f(a, a) = a all states of a scan over equal elements are that
//      element.
//  *   With f(a, a) = a a scan of a scan is the scan: with y_t = f(y_{t-1},
//  x_t)
//      f(y_{t-1}, y_t) = f(f(y_{t-1}, y_{t-1}), x_t) = y_t, and so on.
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "OperatorFacts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

struct DropProvedIdentityInit : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInits().empty() || op.getExclusive())
      return rewriter.notifyMatchFailure(op, "the init is needed");
    OperatorFacts facts = getOperatorFacts(op);
    if (facts.identity.empty())
      return rewriter.notifyMatchFailure(op, "no identity is known");
    // The final state of an empty scan is the init.
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    int64_t extent = type.getDimSize(op.getDim());
    if (op.getFinalStates() &&
        (op.getSegments() || ShapedType::isDynamic(extent) || extent == 0))
      return rewriter.notifyMatchFailure(op, "the final state may be the init");
    if (!llvm::all_of_zip(op.getInits(), facts.identity, isConstantOf))
      return rewriter.notifyMatchFailure(op, "an init is not the identity");
    rewriter.modifyOpInPlace(op, [&] { op.getInitsMutable().clear(); });
    return success();
  }
};

/// Whether all elements of `tensor` along dimension `dim` are equal.
bool isUniform(Value tensor, int64_t dim) {
  Attribute constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return isa<SplatElementsAttr>(constant);
  Operation *def = tensor.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(def))
    return llvm::is_contained(broadcast.getDimensions(), dim);
  return isa_and_nonnull<tensor::SplatOp, linalg::FillOp>(def);
}

struct FoldUniformInputs : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInits().empty() || op.getFinalStates())
      return rewriter.notifyMatchFailure(op, "there are inits or final states");
    if (!getOperatorFacts(op).isIdempotent)
      return rewriter.notifyMatchFailure(op, "it is not known as idempotent");
    if (!llvm::all_of(op.getInputs(), [&](Value input) {
          return isUniform(input, op.getDim());
        }))
      return rewriter.notifyMatchFailure(op, "the elements differ");
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

struct FoldScanOfScan : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInits().empty() || op.getFinalStates() || op.getSegments())
      return rewriter.notifyMatchFailure(
          op, "there are inits, final states or segments");
    if (!getOperatorFacts(op).isIdempotent)
      return rewriter.notifyMatchFailure(op, "it is not known as idempotent");
    auto inner = op.getInputs().front().getDefiningOp<AssociativeOp>();
    if (!inner || inner.getExclusive() || inner.getSegments() ||
        inner.getDim() != op.getDim() ||
        inner.getReverse() != op.getReverse() ||
        inner.getAccumulatorsAttr() != op.getAccumulatorsAttr() ||
        inner.getCompensated() || op.getCompensated())
      return rewriter.notifyMatchFailure(op, "not the states of such a scan");
    if (inner.getNumLeaves() != op.getNumLeaves() ||
        !llvm::equal(op.getInputs(),
                     inner.getResults().take_front(inner.getNumLeaves())))
      return rewriter.notifyMatchFailure(op, "not all states of one scan");
    if (!OperationEquivalence::isRegionEquivalentTo(
            &op.getCombine(), &inner.getCombine(),
            OperationEquivalence::IgnoreLocations))
      return rewriter.notifyMatchFailure(op, "the operators differ");
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

} // namespace

void scan::impl::addFactPatterns(RewritePatternSet &patterns) {
  patterns.add<DropProvedIdentityInit, FoldUniformInputs, FoldScanOfScan>(
      patterns.getContext());
}
