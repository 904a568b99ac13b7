//===- ScalarTensors.cpp - Tensors without dimensions become scalars ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPreparation.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

static bool isScalarTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && !tensor.getEncoding();
}

static Value extract(OpBuilder &builder, Location loc, Value value) {
  return isScalarTensor(value.getType())
             ? tensor::ExtractOp::create(builder, loc, value, ValueRange())
                   .getResult()
             : value;
}

static Value wrap(OpBuilder &builder, Location loc, Type type, Value value) {
  return isScalarTensor(type)
             ? tensor::FromElementsOp::create(
                   builder, loc, cast<RankedTensorType>(type), value)
                   .getResult()
             : value;
}

namespace {

/// A linalg operation without loops is its body.
struct LinalgToScalars : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumLoops() != 0 || !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "has loops, or memrefs");
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands())
      mapping.map(op.getMatchingBlockArgument(&operand),
                  extract(rewriter, op.getLoc(), operand.get()));
    for (Operation &inner : op.getBlock()->without_terminator())
      rewriter.clone(inner, mapping);
    SmallVector<Value> results;
    for (auto [yielded, type] :
         llvm::zip(op.getBlock()->getTerminator()->getOperands(),
                   op->getResultTypes()))
      results.push_back(
          wrap(rewriter, op.getLoc(), type, mapping.lookupOrDefault(yielded)));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// An elementwise operation on tensors without dimensions is one on scalars.
struct ElementwiseToScalars : RewritePattern {
  explicit ElementwiseToScalars(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        op->getNumResults() != 1 || !isScalarTensor(op->getResult(0).getType()))
      return failure();
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.addOperands(extract(rewriter, op->getLoc(), operand));
    Type type = op->getResult(0).getType();
    state.addTypes(getElementTypeOrSelf(type));
    state.addAttributes(op->getAttrs());
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOp(
        op, wrap(rewriter, op->getLoc(), type, scalar->getResult(0)));
    return success();
  }
};

/// Replaces the arguments of a block that are tensors without dimensions.
void unwrapArguments(PatternRewriter &rewriter, Block &block) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&block);
  for (BlockArgument argument : block.getArguments()) {
    Type type = argument.getType();
    if (!isScalarTensor(type))
      continue;
    argument.setType(getElementTypeOrSelf(type));
    auto wrapped = tensor::FromElementsOp::create(
        rewriter, argument.getLoc(), cast<RankedTensorType>(type), argument);
    rewriter.replaceAllUsesExcept(argument, wrapped.getResult(), wrapped);
  }
}

/// Replaces operands of a terminator that are tensors without dimensions.
void unwrapYielded(PatternRewriter &rewriter, Operation *terminator) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(terminator);
  rewriter.modifyOpInPlace(terminator, [&] {
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(extract(rewriter, terminator->getLoc(), operand.get()));
  });
}

/// A loop that carries tensors without dimensions carries scalars.
template <typename Loop> struct CarryScalars : OpRewritePattern<Loop> {
  using OpRewritePattern<Loop>::OpRewritePattern;

  LogicalResult matchAndRewrite(Loop loop,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(
            loop.getInits(),
            [](Value init) { return isScalarTensor(init.getType()); }) &&
        llvm::none_of(loop->getResultTypes(), isScalarTensor))
      return rewriter.notifyMatchFailure(loop, "carries no such tensor");
    Location loc = loop.getLoc();
    SmallVector<Type> types(loop->getResultTypes());
    OperationState state(loc, loop->getName());
    for (Value operand : loop->getOperands())
      state.addOperands(extract(rewriter, loc, operand));
    for (Type type : types)
      state.addTypes(isScalarTensor(type) ? getElementTypeOrSelf(type) : type);
    for (unsigned i = 0, e = loop->getNumRegions(); i < e; ++i)
      state.addRegion();
    state.addAttributes(loop->getAttrs());
    Operation *copy = rewriter.create(state);
    for (auto [from, to] : llvm::zip(loop->getRegions(), copy->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      unwrapArguments(rewriter, to.front());
      unwrapYielded(rewriter, to.front().getTerminator());
    }
    SmallVector<Value> results;
    for (auto [type, result] : llvm::zip(types, copy->getResults()))
      results.push_back(wrap(rewriter, loc, type, result));
    rewriter.replaceOp(loop, results);
    return success();
  }
};

} // namespace

void scan::populateScalarTensorPatterns(RewritePatternSet &patterns) {
  patterns.add<LinalgToScalars, ElementwiseToScalars, CarryScalars<scf::ForOp>,
               CarryScalars<scf::WhileOp>>(patterns.getContext());
}
