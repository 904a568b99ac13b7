//===- Branches.cpp - Branches whose sides are both computed --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Branches.h"
#include "Extents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

bool scan::isKnownInBounds(Operation *op) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  Value tensor = isa<tensor::InsertSliceOp, tensor::InsertOp>(op)
                     ? op->getOperand(1)
                     : op->getOperand(0);
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t d = 0, rank = type.getRank(); d < rank; ++d) {
    std::optional<int64_t> offset, size;
    if (slice) {
      offset = getConstantIntValue(slice.getMixedOffsets()[d]);
      size = getConstantIntValue(slice.getMixedSizes()[d]);
    }
    bool isAll = slice && offset && *offset == 0 &&
                 isExtentOf(slice.getMixedSizes()[d], tensor, d);
    bool isPart = offset && size && *offset >= 0 && !type.isDynamicDim(d) &&
                  *offset + *size <= type.getDimSize(d);
    if (!isAll && !isPart)
      return false;
  }
  return true;
}

bool scan::canComputeBothSides(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return false;
  for (Region &region : branch->getRegions())
    for (Operation &op : region.front().without_terminator()) {
      bool isHarmless =
          isPure(&op) &&
          !op.walk([](Operation *inner) {
               bool isAccess =
                   isa<tensor::ExtractOp, tensor::InsertOp,
                       tensor::ExtractSliceOp, tensor::InsertSliceOp>(inner);
               return isa<LoopLikeOpInterface>(inner) ||
                              (isAccess && !isKnownInBounds(inner))
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             }).wasInterrupted();
      if (!isHarmless)
        return false;
    }
  return true;
}

void scan::replaceBySelections(RewriterBase &rewriter, scf::IfOp branch) {
  SmallVector<SmallVector<Value>, 2> yields;
  for (Region *region : branch.getRegions()) {
    Operation *yield = region->front().getTerminator();
    yields.emplace_back(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&region->front(), branch);
  }
  rewriter.setInsertionPoint(branch);
  SmallVector<Value> chosen;
  for (auto [yes, no] : llvm::zip_equal(yields[0], yields[1]))
    chosen.push_back(
        yes == no ? yes
                  : arith::SelectOp::create(rewriter, branch.getLoc(),
                                            branch.getCondition(), yes, no));
  rewriter.replaceOp(branch, chosen);
}

void scan::flattenControl(RewriterBase &rewriter, Operation *op) {
  // Inner ones first.
  SmallVector<scf::ForOp> loops;
  op->walk([&](scf::ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (loop != op && count && count->ule(kMostShortIterations))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    (void)loopUnrollFull(loop);
  SmallVector<scf::IfOp> branches;
  op->walk([&](scf::IfOp branch) {
    if (branch != op)
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    if (canComputeBothSides(branch))
      replaceBySelections(rewriter, branch);
}
