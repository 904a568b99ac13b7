//===- ScanPatterns.cpp - Scans without their extras ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternFamilies.h"
#include "ReductionPatterns.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

namespace {

/// Removes an attribute that an operation is valid without.
struct DropAttribute : RewritePattern {
  DropAttribute(MLIRContext *context, StringRef operation, StringRef attribute)
      : RewritePattern(operation, 1, context), attribute(attribute) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<Attribute> value = op->getInherentAttr(attribute);
    if (!value || !*value)
      return rewriter.notifyMatchFailure(op, "no such attribute");
    rewriter.modifyOpInPlace(op, [&] { op->removeAttr(attribute); });
    return success();
  }
  StringRef attribute;
};

SmallVector<Value> getScanned(AssociativeOp op) { return op.getInputs(); }
SmallVector<Value> getScanned(LinearRecurrenceOp op) { return {op.getB()}; }
MutableOperandRange getInits(AssociativeOp op) { return op.getInitsMutable(); }
MutableOperandRange getInits(LinearRecurrenceOp op) {
  return op.getInitMutable();
}

/// A scan without its initial values.
template <typename OpTy> struct DropInit : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    MutableOperandRange inits = getInits(op);
    if (op.getExclusive())
      return rewriter.notifyMatchFailure(op, "an exclusive scan needs it");
    if (inits.empty())
      return rewriter.notifyMatchFailure(op, "no init");
    rewriter.modifyOpInPlace(op, [&] { inits.clear(); });
    return success();
  }
};

/// One walk instead of one per segment.
template <typename OpTy> struct DropSegments : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getSegments())
      return rewriter.notifyMatchFailure(op, "no segments");
    if (op.hasSegmentOffsets() && op->getNumResults() > getScanned(op).size())
      return rewriter.notifyMatchFailure(op, "one final state per segment");
    for (auto [i, init] : llvm::enumerate(OperandRange(getInits(op)))) {
      auto type = dyn_cast<RankedTensorType>(init.getType());
      auto leaf = cast<RankedTensorType>(op->getResult(i).getType());
      if (type && type.getRank() == leaf.getRank())
        return rewriter.notifyMatchFailure(op, "one init per segment or step");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getSegmentsMutable().clear(); });
    return success();
  }
};

/// A combine region that adds, whatever it did before.
template <typename OpTy> struct SimplifyCombine : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Block &block = op.getCombine().front();
    unsigned leaves = op.getNumLeaves();
    if (block.getOperations().size() <= leaves + 1)
      return rewriter.notifyMatchFailure(op, "nothing to save");
    for (Type type : op.getLeafTypes())
      if (!getElementTypeOrSelf(type).isIntOrFloat() && !isa<ComplexType>(type))
        return rewriter.notifyMatchFailure(op, "no sum of this type");

    Operation *yield = block.getTerminator();
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> sums;
    for (unsigned i = 0; i < leaves; ++i) {
      Value acc = block.getArgument(i), next = block.getArgument(leaves + i);
      Type element = getElementTypeOrSelf(acc.getType());
      Location loc = op.getLoc();
      if (isa<ComplexType>(element))
        sums.push_back(complex::AddOp::create(rewriter, loc, acc, next));
      else if (isa<FloatType>(element))
        sums.push_back(arith::AddFOp::create(rewriter, loc, acc, next));
      else
        sums.push_back(arith::AddIOp::create(rewriter, loc, acc, next));
    }
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(sums); });
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&inner))
        rewriter.eraseOp(&inner);
    return success();
  }
};

/// The elements themselves instead of their scan.
template <typename OpTy> struct ReplaceByInput : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs = getScanned(op);
    for (Value final : op->getResults().drop_front(inputs.size()))
      if (!final.use_empty())
        return rewriter.notifyMatchFailure(op, "a final state is used");
    rewriter.replaceAllUsesWith(op->getResults().take_front(inputs.size()),
                                inputs);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The tensor itself instead of what it is shifted to.
struct DropShift : OpRewritePattern<ShiftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ShiftOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
};

struct ScanReductionPatterns : DialectReductionPatternInterface {
  ScanReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    populateScanReductionPatterns(patterns);
  }
};

} // namespace

/// Adds the canonicalisations of the operation, as one way among the others to
/// remove what is not used.
template <typename OpTy>
static void addCanonicalizations(RewritePatternSet &patterns) {
  RewritePatternSet own(patterns.getContext());
  OpTy::getCanonicalizationPatterns(own, patterns.getContext());
  for (std::unique_ptr<RewritePattern> &pattern : own.getNativePatterns()) {
    pattern->setDebugName("scan-canonicalize");
    patterns.add(std::move(pattern));
  }
}

template <typename OpTy>
static void addDropAttribute(RewritePatternSet &patterns, StringRef attribute,
                             StringRef name) {
  addNamed<DropAttribute>(patterns, name, OpTy::getOperationName(), attribute);
}

void scan::populateScanReductionPatterns(RewritePatternSet &patterns) {
  addNamed<ReplaceByInput<AssociativeOp>>(patterns, "scan-to-input");
  addNamed<ReplaceByInput<LinearRecurrenceOp>>(patterns, "scan-to-input");
  addNamed<DropShift>(patterns, "scan-drop-shift");
  addCanonicalizations<AssociativeOp>(patterns);
  addCanonicalizations<LinearRecurrenceOp>(patterns);
  addCanonicalizations<KernelOp>(patterns);
  addDropLeafPatterns(patterns);
  addNamed<SimplifyCombine<AssociativeOp>>(patterns, "scan-simplify-combine");
  addNamed<SimplifyCombine<KernelOp>>(patterns, "scan-simplify-combine");
  addDropAttribute<AssociativeOp>(patterns, "exclusive", "scan-drop-exclusive");
  addDropAttribute<LinearRecurrenceOp>(patterns, "exclusive",
                                       "scan-drop-exclusive");
  addNamed<DropInit<AssociativeOp>>(patterns, "scan-drop-init");
  addNamed<DropInit<LinearRecurrenceOp>>(patterns, "scan-drop-init");
  addNamed<DropSegments<AssociativeOp>>(patterns, "scan-drop-segments");
  addNamed<DropSegments<LinearRecurrenceOp>>(patterns, "scan-drop-segments");
  addKernelPatterns(patterns);
  addDropAttribute<AssociativeOp>(patterns, "reverse", "scan-drop-reverse");
  addDropAttribute<LinearRecurrenceOp>(patterns, "reverse",
                                       "scan-drop-reverse");
  addDropAttribute<KernelOp>(patterns, "reverse", "scan-drop-reverse");
  for (StringRef name : {"schedule", "order", "accumulators", "compensated"})
    addDropAttribute<AssociativeOp>(patterns, name, "scan-drop-attribute");
  for (StringRef name : {"schedule", "order", "accumulator"})
    addDropAttribute<LinearRecurrenceOp>(patterns, name, "scan-drop-attribute");
  for (StringRef name : {"schedule", "order", "bidirectional"})
    addDropAttribute<KernelOp>(patterns, name, "scan-drop-attribute");
}

void scan::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, ScanDialect *dialect) {
    dialect->addInterfaces<ScanReductionPatterns>();
  });
}
