//===- KernelCanonicalization.cpp - Simplifies scan.kernel ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastOperands.h"
#include "CombineRegion.h"
#include "KernelParts.h"
#include "ScatteredOutputs.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

namespace {

/// Outputs and finals whose results nobody uses are not computed.
struct DropUnusedResults : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    return eraseUnusedResults(rewriter, op);
  }
};

/// Leaves that reach no output are not computed.
struct DropDeadKernelLeaves : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<bool> live = op.getLiveLeaves();
    unsigned leaves = live.size();
    if (llvm::all_of(live, [](bool isLive) { return isLive; }))
      return rewriter.notifyMatchFailure(op, "every leaf is needed");
    // An op whose outputs do not depend on the scan still needs a leaf.
    if (llvm::none_of(live, [](bool isLive) { return isLive; })) {
      if (leaves == 1)
        return rewriter.notifyMatchFailure(op, "the only leaf stays");
      live[0] = true;
      llvm::SmallBitVector needed =
          getNeededArguments(op.getCombine().front(), 0);
      needed.reset(0).reset(leaves);
      if (needed.any())
        return rewriter.notifyMatchFailure(op, "no leaf stands alone");
    }
    llvm::BitVector dead(leaves);
    for (unsigned i = 0; i < leaves; ++i)
      if (!live[i])
        dead.set(i);
    eraseLeaves(rewriter, op, dead);
    return success();
  }
};

/// Inputs that no region looks at are not read; an input that is given twice
/// under the same map, with the same shift, boundary and places, is read once.
struct SimplifyInputs : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    KernelParts parts(op);
    unsigned numInputs = parts.inputs.size(), leaves = op.getNumLeaves();
    Block &load = op.getLoad().front(), &store = op.getStore().front();
    // The numbers of the elements of input i: [firsts[i], firsts[i + 1]).
    SmallVector<unsigned> firsts = {0};
    for (auto [value, map] : llvm::zip_equal(parts.inputs, parts.inputMaps))
      firsts.push_back(firsts.back() + KernelOp::getNumElements(value, map));
    // Those that other inputs refer to, as boundaries or places.
    llvm::SmallBitVector isReferred(numInputs), erased(numInputs);
    for (SmallVector<int64_t> *numbers : {&parts.boundaries, &parts.gathers})
      for (int64_t number : *numbers)
        if (number >= 0)
          isReferred.set(number);
    // How many operands say the extent of each domain dimension.
    SmallVector<unsigned> numSaying(op.getDomainRank());
    for (OpOperand &operand : op->getOpOperands())
      countDims(operand.get(), op.getIndexingMap(operand), numSaying, 1);
    // The inputs so far that stay, by what is read.
    llvm::DenseMap<std::pair<Value, AffineMap>, SmallVector<unsigned, 1>> known;
    for (unsigned i = 0; i < numInputs; ++i) {
      SmallVector<unsigned, 1> &alike =
          known[{parts.inputs[i], parts.inputMaps[i]}];
      const unsigned *same = llvm::find_if(alike, [&](unsigned j) {
        return parts.shifts[i] == parts.shifts[j] &&
               parts.boundaries[i] == parts.boundaries[j] &&
               parts.segmentOffsets[i] == parts.segmentOffsets[j] &&
               parts.gathers[i] == parts.gathers[j];
      });
      if (same != alike.end()) {
        // Who refers to the one refers to the other.
        if (isReferred.test(i)) {
          for (SmallVector<int64_t> *numbers :
               {&parts.boundaries, &parts.gathers})
            llvm::replace(*numbers, static_cast<int64_t>(i),
                          static_cast<int64_t>(*same));
          isReferred.set(*same);
        }
        for (unsigned k = firsts[i]; k < firsts[i + 1]; ++k) {
          unsigned other = firsts[*same] + k - firsts[i];
          rewriter.replaceAllUsesWith(load.getArgument(k),
                                      load.getArgument(other));
          rewriter.replaceAllUsesWith(store.getArgument(2 * leaves + k),
                                      store.getArgument(2 * leaves + other));
        }
        erased.set(i);
        countDims(parts.inputs[i], parts.inputMaps[i], numSaying, -1);
        continue;
      }
      bool isUsed = isReferred.test(i);
      for (unsigned k = firsts[i]; k < firsts[i + 1] && !isUsed; ++k)
        isUsed = !load.getArgument(k).use_empty() ||
                 !store.getArgument(2 * leaves + k).use_empty();
      // An input may be the only operand to say an extent.
      if (isUsed ||
          !countDims(parts.inputs[i], parts.inputMaps[i], numSaying, -1)) {
        alike.push_back(i);
        continue;
      }
      erased.set(i);
    }
    if (erased.none())
      return rewriter.notifyMatchFailure(op, "every input is used once");
    eraseInputs(op, rewriter, parts, erased, firsts);
    return success();
  }

  /// Adds `change` to the numbers of operands that say the extents of the
  /// dimensions of `value`. Does nothing and returns false if one would be 0.
  static bool countDims(Value value, AffineMap map,
                        MutableArrayRef<unsigned> numSaying, int change) {
    if (!isa<ShapedType>(value.getType()))
      return true;
    SmallVector<unsigned> dims;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.push_back(dim.getPosition());
    if (llvm::any_of(dims,
                     [&](unsigned d) { return numSaying[d] + change == 0; }))
      return false;
    for (unsigned d : dims)
      numSaying[d] += change;
    return true;
  }

  static void eraseInputs(KernelOp op, PatternRewriter &rewriter,
                          KernelParts &parts,
                          const llvm::SmallBitVector &erased,
                          ArrayRef<unsigned> firsts) {
    unsigned leaves = op.getNumLeaves();
    llvm::BitVector fromLoad(op.getLoad().getNumArguments()),
        fromStore(op.getStore().getNumArguments());
    SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
    for (unsigned i = erased.size(); i-- > 0;) {
      if (!erased.test(i))
        continue;
      parts.eraseInput(i);
      maps.erase(maps.begin() + i);
      fromLoad.set(firsts[i], firsts[i + 1]);
      fromStore.set(2 * leaves + firsts[i], 2 * leaves + firsts[i + 1]);
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.setInputShifts(parts.shifts, parts.boundaries);
      op.setInputSegmentOffsets(parts.segmentOffsets);
      op.setInputGathers(parts.gathers);
      op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
      op.getInputsMutable().assign(parts.inputs);
      op.getLoad().front().eraseArguments(fromLoad);
      op.getStore().front().eraseArguments(fromStore);
    });
  }
};

/// The attributes of a kernel none of whose inputs is shifted say nothing.
struct DropZeroShifts : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ArrayRef<int64_t>> shifts = op.getShifts();
    if (!shifts || llvm::any_of(*shifts, [](int64_t s) { return s != 0; }))
      return rewriter.notifyMatchFailure(op, "an input is shifted, or no "
                                             "attribute says that none is");
    rewriter.modifyOpInPlace(op, [&] { op.setInputShifts({}, {}); });
    return success();
  }
};

/// The attribute of a kernel none of whose inputs is a list of segment offsets,
/// neither.
struct DropUnusedSegmentOffsets : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasSegmentOffsets() ||
        llvm::is_contained(*op.getSegmentOffsets(), true))
      return rewriter.notifyMatchFailure(
          op, "an input is a list of segment offsets, or "
              "no attribute says that none is");
    rewriter.modifyOpInPlace(op, [&] { op.setInputSegmentOffsets({}); });
    return success();
  }
};

/// Replaces the operands before `end` that are casts by what these cast, where
/// that says more static extents.
template <typename Replace>
bool readKernelThroughCasts(KernelOp op, unsigned end, Replace replace) {
  SmallVector<Value> operands(op->getOperands());
  if (!readThroughCasts(IndexedScan(op), operands))
    return false;
  bool changed = false;
  for (unsigned i = 0; i < end; ++i) {
    OpOperand &operand = op->getOpOperand(i);
    if (operand.get() == operands[i])
      continue;
    replace(operand, operands[i]);
    changed = true;
  }
  return changed;
}

/// Reads through a tensor.cast that hides static extents. (Destinations have an
/// upstream pattern for that.)
struct FoldInputCasts : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "buffers are folded");
    unsigned ins = op.getInputs().size() + op.getInits().size();
    return success(
        readKernelThroughCasts(op, ins, [&](OpOperand &operand, Value source) {
          rewriter.modifyOpInPlace(op, [&] { operand.set(source); });
        }));
  }
};

} // namespace

/// Reads and writes through a memref.cast that hides static extents or strides.
/// One that adds extents stays: trailing and broadcast dimensions have to be
/// static (C3, C4).
LogicalResult KernelOp::fold(FoldAdaptor adaptor,
                             SmallVectorImpl<OpFoldResult> &results) {
  return success(hasPureBufferSemantics() &&
                 readKernelThroughCasts(*this, getNumOperands(),
                                        [](OpOperand &operand, Value source) {
                                          operand.set(source);
                                        }));
}

void KernelOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropUnusedResults, DropDeadKernelLeaves, SimplifyInputs,
               DropZeroShifts, DropUnusedSegmentOffsets, FoldInputCasts>(
      context);
}
