//===- BidirectionalChoice.cpp - One kernel or two, by extents ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BidirectionalChoice.h"
#include "IR/StepsRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

/// The fill of new memory that `operand` is; null for anything else.
static linalg::FillOp getNewFill(OpOperand &operand) {
  auto fill = operand.get().getDefiningOp<linalg::FillOp>();
  return fill && fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>()
             ? fill
             : linalg::FillOp();
}

std::string scan::findChoiceObstacle(KernelOp first, KernelOp second) {
  for (auto [kernel, name] : {std::pair(first, "first"), {second, "second"}})
    for (OpOperand &operand : kernel.getDpsInitsMutable())
      if (!operand.get().getDefiningOp<tensor::EmptyOp>() &&
          !getNewFill(operand))
        return ("destination #" + Twine(operand.getOperandNumber()) +
                " of the " + name +
                " scan is not new memory, which one kernel and two could write "
                "alike (tensor.empty, or a fill of one)")
            .str();
  return "";
}

/// Fills that something else than both kernels reads would be copied, in each
/// branch to another place: repeats them for the kernels.
static void takeOwnFills(RewriterBase &rewriter, KernelOp first,
                         KernelOp second) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (KernelOp kernel : {first, second})
    for (OpOperand &operand : kernel.getDpsInitsMutable()) {
      linalg::FillOp fill = getNewFill(operand);
      if (!fill || llvm::all_of(fill->getUsers(), [&](Operation *user) {
            return user == first || user == second;
          }))
        continue;
      rewriter.setInsertionPoint(fill);
      IRMapping mapping;
      rewriter.clone(*fill.getOutputs().front().getDefiningOp(), mapping);
      Operation *own = rewriter.clone(*fill, mapping);
      rewriter.modifyOpInPlace(kernel, [&] { operand.set(own->getResult(0)); });
    }
}

/// Results of either kernel that something else than these two reads.
static SmallVector<OpResult> getResultsFor(KernelOp first, KernelOp second) {
  SmallVector<OpResult> results;
  for (KernelOp kernel : {first, second})
    for (OpResult result : kernel->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return user != second.getOperation();
          }))
        results.push_back(result);
  return results;
}

/// One kernel where `condition` holds; else the two. `setRange` says of the
/// copies for either case (true: one kernel) what they are run with.
static void choose(RewriterBase &rewriter, KernelOp first, KernelOp second,
                   ArrayRef<unsigned> chained, Value condition,
                   function_ref<void(KernelOp, bool)> setRange) {
  Location location = second.getLoc();
  takeOwnFills(rewriter, first, second);
  SmallVector<OpResult> results = getResultsFor(first, second);
  SmallVector<Type> types;
  for (OpResult result : results)
    types.push_back(result.getType());
  auto choice = scf::IfOp::create(rewriter, location, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);

  auto cloneInto = [&](Block *block, bool isMerged) {
    rewriter.setInsertionPointToEnd(block);
    IRMapping mapping;
    std::pair<KernelOp, KernelOp> copies;
    copies.first = cast<KernelOp>(rewriter.clone(*first, mapping));
    copies.second = cast<KernelOp>(rewriter.clone(*second, mapping));
    setRange(copies.first, isMerged);
    setRange(copies.second, isMerged);
    SmallVector<Value> yielded;
    for (OpResult result : results)
      yielded.push_back(mapping.lookup(result));
    scf::YieldOp::create(rewriter, location, yielded);
    return copies;
  };
  auto [one, other] = cloneInto(choice.thenBlock(), /*isMerged=*/true);
  unsigned leaves = other.getNumLeaves();
  mergeKernels(rewriter, one, other, chained).setBidirectional(leaves);
  cloneInto(choice.elseBlock(), /*isMerged=*/false);

  for (auto [result, chosen] : llvm::zip_equal(results, choice.getResults()))
    rewriter.replaceAllUsesWith(result, chosen);
  rewriter.eraseOp(second);
  rewriter.eraseOp(first);
}

void scan::chooseBidirectional(RewriterBase &rewriter, KernelOp first,
                               KernelOp second, ArrayRef<unsigned> chained,
                               int64_t most) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(first);
  Location location = second.getLoc();
  Value extent = getValueOrCreateConstantIndexOp(
      rewriter, location,
      first.getDomainSizes(rewriter, location)[first.getDim()]);
  Value condition = arith::CmpIOp::create(
      rewriter, location, arith::CmpIPredicate::ule, extent,
      arith::ConstantIndexOp::create(rewriter, location, most));
  choose(rewriter, first, second, chained, condition,
         [&](KernelOp kernel, bool isMerged) {
           setStepsRange(kernel,
                         isMerged ? StepsRange{0, most} : StepsRange{most + 1});
         });
}

void scan::chooseByScans(RewriterBase &rewriter, KernelOp first,
                         KernelOp second, ArrayRef<unsigned> chained,
                         int64_t least) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(first);
  Location location = second.getLoc();
  Value scans;
  for (auto [dim, size] :
       llvm::enumerate(first.getDomainSizes(rewriter, location))) {
    if (dim == first.getDim())
      continue;
    Value extent = getValueOrCreateConstantIndexOp(rewriter, location, size);
    scans = scans ? arith::MulIOp::create(rewriter, location, scans, extent)
                  : extent;
  }
  Value condition = arith::CmpIOp::create(
      rewriter, location, arith::CmpIPredicate::uge, scans,
      arith::ConstantIndexOp::create(rewriter, location, least));
  choose(rewriter, first, second, chained, condition,
         [&](KernelOp kernel, bool isMerged) {
           setScansRange(kernel, isMerged ? StepsRange{least}
                                          : StepsRange{0, least - 1});
         });
}
