//===- CollapseLoops.cpp - Loops that are one in memory become one --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's collapseOpIterationDims takes the reassociation of the loops for
// that of every memref, which one with fewer dimensions has not.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

/// The dimensions of an operand with the indexing map `map`, those together
/// that one of `runs` joins. The runs have to be in the map whole or not at
/// all.
static SmallVector<ReassociationIndices>
groupDimensions(AffineMap map, ArrayRef<ReassociationIndices> runs) {
  SmallVector<ReassociationIndices> groups;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    int64_t loop = cast<AffineDimExpr>(expr).getPosition();
    bool isFirst = llvm::any_of(runs, [&](const ReassociationIndices &run) {
      return run.front() == loop;
    });
    if (isFirst)
      groups.emplace_back();
    groups.back().push_back(position);
  }
  return groups;
}

/// Whether the loops of `run` are one in every operand of `op`.
static bool isOneLoop(linalg::LinalgOp op, const ReassociationIndices &run) {
  if (!linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), {run}))
    return false;
  SmallVector<ReassociationIndices> runs;
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop) {
    if (loop == run.front())
      runs.push_back(run);
    else if (!llvm::is_contained(run, loop))
      runs.push_back({loop});
  }
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    return !type || memref::CollapseShapeOp::isGuaranteedCollapsible(
                        type, groupDimensions(
                                  op.getMatchingIndexingMap(&operand), runs));
  });
}

static SmallVector<ReassociationIndices> findRuns(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> runs;
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!runs.empty() && kinds[loop] == kinds[loop - 1]) {
      ReassociationIndices longer = runs.back();
      longer.push_back(loop);
      if (isOneLoop(op, longer)) {
        runs.back() = longer;
        continue;
      }
    }
    runs.push_back({loop});
  }
  return runs;
}

linalg::LinalgOp mlir::scan::collapseLoops(RewriterBase &rewriter,
                                           linalg::LinalgOp op) {
  if (op.hasIndexSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  SmallVector<ReassociationIndices> runs = findRuns(op);
  if (runs.size() == op.getNumLoops())
    return op;

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<AffineExpr> newLoop(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds;
  for (auto [number, run] : llvm::enumerate(runs)) {
    kinds.push_back(op.getIteratorTypesArray()[run.front()]);
    newLoop[run.front()] = rewriter.getAffineDimExpr(number);
  }
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      if (AffineExpr loop = newLoop[cast<AffineDimExpr>(expr).getPosition()])
        results.push_back(loop);
    maps.push_back(
        AffineMap::get(runs.size(), 0, results, rewriter.getContext()));
    Value value = operand.get();
    if (results.size() != map.getNumResults())
      value = memref::CollapseShapeOp::create(rewriter, op.getLoc(), value,
                                              groupDimensions(map, runs));
    (op.isDpsInit(&operand) ? outputs : inputs).push_back(value);
  }
  auto collapsed = linalg::GenericOp::create(rewriter, op.getLoc(), inputs,
                                             outputs, maps, kinds);
  collapsed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op->getRegion(0), collapsed.getRegion(),
                              collapsed.getRegion().begin());
  rewriter.eraseOp(op);
  return collapsed;
}
