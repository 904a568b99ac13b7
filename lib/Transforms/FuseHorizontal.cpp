//===- FuseHorizontal.cpp - Two kernels that read the same become one -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "MergeKernels.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

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
  std::string why;
  if (!areAlike(first, second, why))
    return fail(why);
  if (first.getReverse() != second.getReverse())
    return fail("they scan in different directions");
  Operation *root = first->getParentOfType<FunctionOpInterface>();
  TrafficAnalysis traffic(root ? root : first->getParentOp(), first);
  if (!haveSameDomain(first, second, traffic.getExtents()))
    return fail("their extents are not known to be equal");
  Bytes bytes = traffic.getTraffic(first).bytes;
  bytes += traffic.getTraffic(second).bytes;
  Quantity saved = bytes.read - traffic.getDistinctReads({first, second});
  if (!isWorthMerging(saved, bytes.getTotal()))
    return fail("together they would read about as many bytes");
  if (failed(provideOperands(rewriter, first, second)))
    return fail("one of them depends on the other");
  mergeKernels(rewriter, first, second);
  return success();
}
