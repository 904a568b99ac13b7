//===- KernelPatterns.cpp - Kernels with fewer operands -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "IR/ScatteredOutputs.h"
#include "PatternFamilies.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

namespace {

/// A kernel without its initial values: what its outputs read of the state
/// before an element, they read of the state after it.
struct DropKernelInit : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasInit())
      return rewriter.notifyMatchFailure(op, "no init");
    KernelParts parts(op);
    parts.inits.clear();
    parts.initMaps.clear();
    if (!parts.coversDomain())
      return rewriter.notifyMatchFailure(op, "an init says an extent");
    unsigned leaves = op.getNumLeaves();
    KernelOp kernel = parts.rebuild(rewriter, op);
    Block &store = kernel.getStore().front();
    for (unsigned i = 0; i < leaves; ++i)
      rewriter.replaceAllUsesWith(store.getArgument(leaves + i),
                                  store.getArgument(i));
    rewriter.eraseBlock(&kernel.getInitialize().front());
    kernel.addEmptyMaps(rewriter);
    rewriter.replaceOp(op, kernel.getResults());
    return success();
  }
};

/// A kernel without one of its outputs or finals. On tensors, what the kernel
/// was to overwrite stands for the result.
struct DropKernelResult : NumberedPattern<KernelOp> {
  using NumberedPattern::NumberedPattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    KernelParts parts(op);
    unsigned outputs = parts.outputs.size();
    if (outputs + parts.finals.size() == 1 ||
        which >= outputs + parts.finals.size())
      return rewriter.notifyMatchFailure(op, "no such result to spare");
    bool isOutput = which < outputs;
    unsigned index = isOutput ? which : which - outputs;
    SmallVector<Value> &operands = isOutput ? parts.outputs : parts.finals;
    SmallVector<AffineMap> &maps =
        isOutput ? parts.outputMaps : parts.finalMaps;
    std::optional<unsigned> place;
    if (isOutput && isScattered(op, index))
      place = getPlaceNumber(op, index);
    Value destination = operands[index];
    auto [first, count] = getElementRange(operands, maps, index);
    operands.erase(operands.begin() + index);
    maps.erase(maps.begin() + index);
    if (!parts.coversDomain())
      return rewriter.notifyMatchFailure(op, "it says an extent");

    KernelOp kernel = parts.rebuild(rewriter, op);
    Region &region = isOutput ? kernel.getStore() : kernel.getFinalize();
    rewriter.modifyOpInPlace(kernel, [&, first = first, count = count] {
      if (place)
        region.front().back().eraseOperands(*place, 1);
      region.front().back().eraseOperands(first, count);
    });
    SmallVector<Value> results(kernel.getResults());
    if (op.hasPureTensorSemantics())
      results.insert(results.begin() + which, destination);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A kernel without one of its inputs: zeros stand for its elements.
struct DropKernelInput : NumberedPattern<KernelOp> {
  using NumberedPattern::NumberedPattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    KernelParts parts(op);
    if (which >= parts.inputs.size())
      return rewriter.notifyMatchFailure(op, "no such input");
    auto [first, count] = getElementRange(parts.inputs, parts.inputMaps, which);
    Type type = op.getLoad().front().getArgument(first).getType();
    TypedAttr zero = type.isIntOrFloat() ? rewriter.getZeroAttr(type) : nullptr;
    if (!zero)
      return rewriter.notifyMatchFailure(op, "no zero of this type");
    if (op.isBoundary(which))
      return rewriter.notifyMatchFailure(op, "a shifted input continues with "
                                             "it");
    if (op.isPlaces(which))
      return rewriter.notifyMatchFailure(op, "it holds the places of another");
    parts.eraseInput(which);
    if (!parts.coversDomain())
      return rewriter.notifyMatchFailure(op, "it says an extent");

    unsigned leaves = op.getNumLeaves();
    KernelOp kernel = parts.rebuild(rewriter, op);
    eraseArguments(rewriter, kernel.getLoad().front(), first, count, zero);
    eraseArguments(rewriter, kernel.getStore().front(), 2 * leaves + first,
                   count, zero);
    rewriter.replaceOp(op, kernel.getResults());
    return success();
  }

  static void eraseArguments(PatternRewriter &rewriter, Block &block,
                             unsigned first, unsigned count, TypedAttr zero) {
    Value constant;
    for (unsigned i = first; i < first + count; ++i) {
      BlockArgument argument = block.getArgument(i);
      if (argument.use_empty())
        continue;
      if (!constant) {
        rewriter.setInsertionPointToStart(&block);
        constant = arith::ConstantOp::create(rewriter, argument.getLoc(), zero);
      }
      rewriter.replaceAllUsesWith(argument, constant);
    }
    rewriter.modifyOpInPlace(block.getParentOp(),
                             [&] { block.eraseArguments(first, count); });
  }
};

/// A kernel whose input is not shifted any more.
struct DropKernelShift : NumberedPattern<KernelOp> {
  using NumberedPattern::NumberedPattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    if (which >= op.getInputs().size() || op.getShift(which) == 0)
      return rewriter.notifyMatchFailure(op, "no such shifted input");
    KernelParts parts(op);
    parts.shifts[which] = 0;
    parts.boundaries[which] = -1;
    rewriter.modifyOpInPlace(
        op, [&] { op.setInputShifts(parts.shifts, parts.boundaries); });
    return success();
  }
};

} // namespace

void scan::impl::addKernelPatterns(RewritePatternSet &patterns) {
  addNamed<DropKernelInit>(patterns, "scan-drop-init");
  // Finals, which take a region of their own, come after the outputs.
  for (unsigned i = kMaxAlternatives; i-- > 0;) {
    addNamed<DropKernelResult>(patterns, "scan-drop-result", i);
    addNamed<DropKernelInput>(patterns, "scan-drop-input", i);
    addNamed<DropKernelShift>(patterns, "scan-drop-shift", i);
  }
}
