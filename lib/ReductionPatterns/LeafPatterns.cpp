//===- LeafPatterns.cpp - Scans over fewer leaves -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/CombineRegion.h"
#include "PatternFamilies.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

namespace {

/// Removes a leaf. Its elements stand for its results, and in the combine
/// region a leaf of the same type for it, or zero.
struct DropLeaf : NumberedPattern<AssociativeOp> {
  using NumberedPattern::NumberedPattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    unsigned leaves = op.getNumLeaves(), leaf = which;
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

    Location loc = op.getLoc();
    rewriter.replaceAllUsesWith(op.getResult(leaf), op.getInputs()[leaf]);
    llvm::SmallBitVector kept(leaves, true);
    kept.reset(leaf);
    keepLeaves(rewriter, op, kept, [&](BlockArgument gone) -> Value {
      if (zero)
        return arith::ConstantOp::create(rewriter, loc, zero);
      unsigned base = gone.getArgNumber() - leaf;
      return gone.getOwner()->getArgument(base + other);
    });
    return success();
  }
};

} // namespace

void scan::impl::addDropLeafPatterns(RewritePatternSet &patterns) {
  for (unsigned leaf = 0; leaf < kMaxAlternatives; ++leaf)
    addNamed<DropLeaf>(patterns, "scan-drop-leaf", leaf);
}
