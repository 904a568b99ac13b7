//===- LeafPatterns.cpp - Scans over fewer leaves -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternFamilies.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Removes a leaf. Its elements stand for its results, and in the combine
/// region a leaf of the same type for it, or zero.
struct DropLeaf : OpRewritePattern<AssociativeOp> {
  DropLeaf(MLIRContext *context, unsigned leaf)
      : OpRewritePattern(context), leaf(leaf) {}

  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    unsigned leaves = op.getNumLeaves();
    if (leaves == 1 || leaf >= leaves)
      return rewriter.notifyMatchFailure(op, "no such leaf to spare");
    if (op.getFinalStates() && !op.getResult(leaves + leaf).use_empty())
      return rewriter.notifyMatchFailure(op, "its final state is used");
    Type type = op.getLeafTypes()[leaf];
    unsigned other = 0;
    while (other < leaves &&
           (other == leaf || op.getLeafTypes()[other] != type))
      ++other;
    TypedAttr zero;
    if (other == leaves)
      zero = rewriter.getZeroAttr(type);
    if (other == leaves && !zero)
      return rewriter.notifyMatchFailure(op, "nothing to replace it with");

    AssociativeOp smaller = createWithoutLeaf(op, rewriter);
    Block &body = smaller.getCombine().front();
    rewriter.modifyOpInPlace(smaller, [&] {
      body.back().eraseOperand(leaf);
      for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
        if (isOpTriviallyDead(&inner))
          rewriter.eraseOp(&inner);
      // The new element first: the numbers of the others stay.
      for (unsigned base : {leaves, 0u}) {
        BlockArgument gone = body.getArgument(base + leaf);
        if (!gone.use_empty()) {
          rewriter.setInsertionPointToStart(&body);
          Value substitute =
              zero ? arith::ConstantOp::create(rewriter, op.getLoc(), zero)
                         .getResult()
                   : body.getArgument(base + other);
          rewriter.replaceAllUsesWith(gone, substitute);
        }
      }
      body.eraseArgument(leaves + leaf);
      body.eraseArgument(leaf);
    });
    rewriter.replaceAllUsesWith(op.getResult(leaf), op.getInputs()[leaf]);
    rewriter.replaceAllUsesWith(without(op.getResults(), leaves),
                                smaller.getResults());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The values but those of the leaf: `leaves` of them belong together.
  SmallVector<Value> without(ValueRange values, unsigned leaves) const {
    SmallVector<Value> kept;
    for (auto [i, value] : llvm::enumerate(values))
      if (i % leaves != leaf)
        kept.push_back(value);
    return kept;
  }

  /// The scan over the other leaves, whose region still has all arguments.
  AssociativeOp createWithoutLeaf(AssociativeOp op,
                                  PatternRewriter &rewriter) const {
    unsigned leaves = op.getNumLeaves();
    SmallVector<Value> inputs = without(op.getInputs(), leaves),
                       inits = without(op.getInits(), leaves);
    OperationState state(op.getLoc(), op->getName());
    state.addOperands(inputs);
    state.addOperands(inits);
    if (Value segments = op.getSegments())
      state.addOperands(segments);
    state.addTypes(ValueRange(without(op.getResults(), leaves)).getTypes());
    AssociativeOp::Properties &properties =
        state.getOrAddProperties<AssociativeOp::Properties>();
    properties = op.getProperties();
    properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                      static_cast<int32_t>(inits.size()),
                                      op.getSegments() ? 1 : 0};
    if (std::optional<ArrayAttr> accumulators = op.getAccumulators()) {
      SmallVector<Attribute> kept(accumulators->getValue());
      kept.erase(kept.begin() + leaf);
      properties.accumulators = rewriter.getArrayAttr(kept);
    }
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    state.addRegion();
    auto smaller = cast<AssociativeOp>(rewriter.create(state));
    rewriter.inlineRegionBefore(op.getCombine(), smaller.getCombine(),
                                smaller.getCombine().end());
    return smaller;
  }

  unsigned leaf;
};

} // namespace

void scan::impl::addDropLeafPatterns(RewritePatternSet &patterns) {
  for (unsigned leaf = 0; leaf < kMaxAlternatives; ++leaf) {
    auto pattern = std::make_unique<DropLeaf>(patterns.getContext(), leaf);
    pattern->setDebugName("scan-drop-leaf");
    patterns.add(std::move(pattern));
  }
}
