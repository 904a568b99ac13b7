//===- FuseHorizontal.cpp - Two kernels that read the same become one -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "MergeKernels.h"
#include "Plan/OneTileSchedule.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether `kernel` may become one with a scan in the opposite direction that
/// reads the same, by blocks that hold rows or columns.
static bool hasOpposite(KernelOp kernel, MergeFacts &facts) {
  return llvm::any_of(kernel->getBlock()->getOps<KernelOp>(),
                      [&](KernelOp other) {
                        std::string why;
                        return other.getReverse() != kernel.getReverse() &&
                               areAlike(kernel, other, why) &&
                               !facts.dependsOn(kernel, other) &&
                               !facts.dependsOn(other, kernel) &&
                               getTileNeeds({kernel, other}) &&
                               facts.haveSameDomain(kernel, other) &&
                               facts.isWorthMerging(kernel, other);
                      });
}

LogicalResult scan::fuseHorizontally(RewriterBase &rewriter, KernelOp first,
                                     KernelOp second, MergeFactsCache &cache) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(second, "not merged: " + reason);
  };
  if (!first.hasPureTensorSemantics() || !second.hasPureTensorSemantics())
    return fail("one of them works on buffers");
  if (first == second || first->getBlock() != second->getBlock() ||
      !first->isBeforeInBlock(second))
    return fail("they are not in one block, in this order");
  std::string why;
  if (!areAlike(first, second, why, /*mayGiveInit=*/true))
    return fail(why);
  if (first.getReverse() != second.getReverse())
    return fail("they scan in different directions");
  MergeFacts &facts = cache.get(*first->getBlock());
  // The later one may read in `store` what the other one has stored there.
  SmallVector<unsigned> chained = getInputsFrom(first, second);
  if (facts.dependsOn(second, first) &&
      (chained.empty() || !llvm::all_of(chained, [&](unsigned input) {
         return isReadWhereStored(first, second, input);
       })))
    return fail("one of them depends on the other");
  if (!facts.haveSameDomain(first, second))
    return fail("their extents are not known to be equal");
  if (!facts.isWorthMerging(first, second, chained))
    return fail("together they would move about as many bytes");
  if (first.hasInit() != second.hasInit() &&
      (hasOpposite(first, facts) || hasOpposite(second, facts)))
    return fail("one of them has initial states, and a scan in the opposite "
                "direction reads the same");
  if (failed(provideOperands(rewriter, first, second, chained)))
    return fail("what the later one needs cannot be moved");
  if (!first.hasInit() && second.hasInit())
    first = beginAtIdentity(rewriter, first, second);
  else if (first.hasInit() && !second.hasInit())
    second = beginAtIdentity(rewriter, second, first);
  mergeKernels(rewriter, first, second, chained);
  return success();
}
