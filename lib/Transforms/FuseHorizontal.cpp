//===- FuseHorizontal.cpp - Two kernels that read the same become one -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "Scan/Analysis/Traffic.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// A thread keeps the state of all leaves, and often their new values, in
/// registers.
static constexpr unsigned kMaxLeaves = 16;
/// Two kernels that share a vector of coefficients among large tensors gain
/// nothing worth the registers: this part of the bytes has to be saved.
static constexpr int64_t kLeastSavedPart = 16;

/// True if both kernels run over the same extents.
static bool haveSameDomain(KernelOp first, KernelOp second,
                           ExtentTable &extents) {
  for (unsigned d = 0, e = first.getDomainRank(); d < e; ++d) {
    auto [firstOperand, firstDim] = first.getDomainDimSource(d);
    auto [secondOperand, secondDim] = second.getDomainDimSource(d);
    if (extents.getExtent(firstOperand->get(), firstDim) !=
        extents.getExtent(secondOperand->get(), secondDim))
      return false;
  }
  return true;
}

/// Moves the code of `from` to the end of `to`, whose new arguments (at
/// `positions`, in the order of the arguments of `from`) stand for those of
/// `from`, and yields what both have yielded.
static void appendBlock(RewriterBase &rewriter, Block &to, Block &from,
                        ArrayRef<unsigned> positions) {
  SmallVector<Value> arguments;
  for (auto [argument, position] :
       llvm::zip_equal(from.getArguments(), positions))
    arguments.push_back(
        to.insertArgument(position, argument.getType(), argument.getLoc()));
  Operation *yield = to.getTerminator(), *other = from.getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  rewriter.inlineBlockBefore(&from, yield, arguments);
  llvm::append_range(yields, other->getOperands());
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });
  rewriter.eraseOp(other);
}

/// `count` numbers from `first` on.
static void addRange(SmallVector<unsigned> &positions, unsigned first,
                     unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    positions.push_back(first + i);
}

LogicalResult scan::fuseHorizontally(RewriterBase &rewriter, KernelOp first,
                                     KernelOp second) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(second, "not merged: " + reason);
  };
  if (!first.hasPureTensorSemantics() || !second.hasPureTensorSemantics())
    return fail("one of them works on buffers");
  if (first == second || first->getBlock() != second->getBlock() ||
      !first->isBeforeInBlock(second))
    return fail("they are not in one block, in this order");
  if (first.getDomainRank() != second.getDomainRank() ||
      first.getDim() != second.getDim() ||
      first.getReverse() != second.getReverse())
    return fail("they scan along different dimensions or directions");
  if (first.getOrderAttr() != second.getOrderAttr() ||
      first.getScheduleAttr() != second.getScheduleAttr() ||
      first->getDiscardableAttrDictionary() !=
          second->getDiscardableAttrDictionary())
    return fail("their attributes differ");
  if (first.hasInit() != second.hasInit())
    return fail("only one of them has initial states");
  unsigned leaves = first.getNumLeaves(), others = second.getNumLeaves();
  if (leaves + others > kMaxLeaves)
    return fail("there would be more than " + Twine(kMaxLeaves) + " leaves");
  Operation *root = first->getParentOfType<FunctionOpInterface>();
  TrafficAnalysis traffic(root ? root : first->getParentOp(), first);
  if (!haveSameDomain(first, second, traffic.getExtents()))
    return fail("their extents are not known to be equal");
  Bytes bytes = traffic.getTraffic(first).bytes;
  bytes += traffic.getTraffic(second).bytes;
  Quantity saved = bytes.read - traffic.getDistinctReads({first, second});
  if (saved.isZero() || !bytes.getTotal().isAtMostForLargeExtents(
                            saved * Quantity(kLeastSavedPart)))
    return fail("together they would read about as many bytes");

  // What the second one needs must not depend on the first one.
  SmallVector<Value> needed;
  for (Value operand : second->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (def && def->getBlock() == first->getBlock() &&
        !def->isBeforeInBlock(first))
      needed.push_back(operand);
  }
  if (!needed.empty() && failed(moveValueDefinitions(rewriter, needed, first)))
    return fail("one of them depends on the other");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(first);
  KernelParts parts(first), added(second);
  unsigned outputs = parts.outputs.size(), finals = parts.finals.size();
  unsigned inputs = parts.inputs.size();
  for (unsigned i = 0; i < added.inputs.size(); ++i)
    parts.addInput(added.inputs[i], added.inputMaps[i], added.shifts[i],
                   added.boundaries[i] + (added.isShifted(i) ? inputs : 0));
  llvm::append_range(parts.inits, added.inits);
  llvm::append_range(parts.initMaps, added.initMaps);
  llvm::append_range(parts.outputs, added.outputs);
  llvm::append_range(parts.outputMaps, added.outputMaps);
  llvm::append_range(parts.finals, added.finals);
  llvm::append_range(parts.finalMaps, added.finalMaps);
  KernelOp merged = parts.rebuild(rewriter, first);

  auto append = [&](Region &to, Region &from, ArrayRef<unsigned> positions) {
    appendBlock(rewriter, to.front(), from.front(), positions);
  };
  auto behind = [](Region &to, Region &from) {
    SmallVector<unsigned> positions;
    addRange(positions, to.getNumArguments(), from.getNumArguments());
    return positions;
  };
  append(merged.getLoad(), second.getLoad(),
         behind(merged.getLoad(), second.getLoad()));
  append(merged.getInitialize(), second.getInitialize(),
         behind(merged.getInitialize(), second.getInitialize()));
  append(merged.getFinalize(), second.getFinalize(),
         behind(merged.getFinalize(), second.getFinalize()));
  // Two groups of values for the leaves; then, in `store`, the inputs.
  SmallVector<unsigned> positions;
  addRange(positions, leaves, others);
  addRange(positions, 2 * leaves + others, others);
  append(merged.getCombine(), second.getCombine(), positions);
  addRange(positions, merged.getStore().getNumArguments() + 2 * others,
           second.getStore().getNumArguments() - 2 * others);
  append(merged.getStore(), second.getStore(), positions);

  SmallVector<Value> firstResults, secondResults;
  ResultRange results = merged.getResults();
  unsigned newOutputs = second.getOutputs().size();
  llvm::append_range(firstResults, results.take_front(outputs));
  llvm::append_range(secondResults, results.slice(outputs, newOutputs));
  llvm::append_range(firstResults, results.slice(outputs + newOutputs, finals));
  llvm::append_range(secondResults,
                     results.drop_front(outputs + newOutputs + finals));
  rewriter.replaceOp(second, secondResults);
  rewriter.replaceOp(first, firstResults);
  return success();
}
