//===- LoopPlan.cpp - How the CPU walks a kernel --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "PartialSums.h"
#include "RowBlocks.h"
#include "RowNest.h"
#include "ThreadParts.h"
#include "VectorRow.h"

using namespace mlir;
using namespace mlir::scan;

/// What a column keeps counts as so many bytes at most: shorter runs of memory
/// in each step cost more than a state outside of the first-level cache.
static constexpr int64_t kMostBytesOfColumn = 256;

/// Columns in a block at most.
static constexpr int64_t kMostColumns = 4096;

std::optional<unsigned> mlir::scan::chooseLaneDim(KernelOp kernel) {
  SmallVector<int64_t> votes(kernel.getDomainRank(), 0);
  auto vote = [&](ArrayRef<AffineMap> maps, bool withReductions = true) {
    for (AffineMap map : maps)
      if (map.getNumResults() != 0 && (withReductions || map.isPermutation()))
        if (auto last = dyn_cast<AffineDimExpr>(map.getResults().back()))
          ++votes[last.getPosition()];
  };
  vote(kernel.getInputMaps());
  vote(kernel.getOutputMaps(), /*withReductions=*/false);
  // Scalar inputs do not count, and all outputs may be reductions, which are
  // small.
  if (llvm::all_of(votes, [](int64_t count) { return count == 0; })) {
    vote(kernel.getFinalMaps());
    vote(kernel.getOutputMaps());
  }

  std::optional<unsigned> best;
  SmallVector<int64_t> shape = kernel.getStaticDomainShape();
  for (unsigned d = 0; d < votes.size(); ++d)
    // A single row, as tiling leaves it, is walked with its state in registers.
    if (d != kernel.getDim() && votes[d] != 0 && shape[d] != 1 &&
        votes[d] >= votes[kernel.getDim()] &&
        (!best || votes[d] > votes[*best]))
      best = d;
  return best;
}

ColumnPlan mlir::scan::planColumns(KernelEmitter &emitter, unsigned laneDim,
                                   const ConvertScanToLoopsOptions &options) {
  int64_t columns = emitter.getStaticSizes()[laneDim];
  bool isStatic = !ShapedType::isDynamic(columns);
  ColumnPlan plan;
  if (emitter.isVectorizable(laneDim)) {
    plan.lanes = emitter.getLanes(options.vectorBits);
    if (isStatic)
      plan.lanes = std::min<int64_t>(
          plan.lanes, llvm::bit_floor(std::max<uint64_t>(columns, 1)));
  }

  int64_t bytes = 0;
  for (auto [type, isCarried] : llvm::zip_equal(
           emitter.getKernel().getLeafTypes(), emitter.getCarried()))
    if (isCarried)
      bytes += getStorageBits(type) / 8;
  for (Type type : emitter.getInvariantTypes())
    bytes += getStorageBits(type) / 8;
  int64_t block = std::min<int64_t>(
      options.stateBytes / std::clamp<int64_t>(bytes, 1, kMostBytesOfColumn),
      kMostColumns);
  block = std::max(block - block % plan.lanes, plan.lanes);
  if (isStatic && columns < block)
    block = std::max<int64_t>(columns, 1);
  plan.block = block;
  plan.stateBytes = block * bytes;
  return plan;
}

LoopPlan LoopPlan::get(OpBuilder &builder, KernelOp kernel,
                       const ConvertScanToLoopsOptions &options) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  KernelEmitter emitter(builder, kernel);
  LoopPlan plan;
  plan.laneDim = chooseLaneDim(kernel);
  if (plan.laneDim) {
    plan.columns = planColumns(emitter, *plan.laneDim, options);
  } else {
    plan.lanes = chooseRowLanes(emitter, options);
    if (plan.lanes > 1) {
      plan.vectors = chooseRowVectors(emitter, plan.lanes);
    } else {
      plan.rows = chooseRows(kernel, options.rows);
      RowNest nest(builder, emitter, chooseRowGroups(emitter, options),
                   [](MutableArrayRef<Point>) {});
      if (RowGroup group = nest.getGroup(); group.lanes > 1) {
        plan.rows = group.rows;
        plan.rowLanes = group.lanes;
        plan.rowDim = nest.getRowDim();
      }
    }
  }
  if (plan.getLanes() == 1) {
    plan.scalarReason =
        emitter.describeScalar(plan.laneDim.value_or(kernel.getDim()));
    if (plan.scalarReason.empty())
      plan.scalarReason =
          kernel.getOrder() == Order::Sequential && !plan.laneDim
              ? "the order is sequential"
              : "there is too little for vectors";
  }
  plan.threadDims = getThreadDims(emitter, options);
  if (plan.laneDim && needsPartialSums(emitter, *plan.laneDim, options)) {
    plan.threadDims = {*plan.laneDim};
    plan.hasPartialSums = true;
  }
  plan.pointWork = getPointWork(emitter);
  plan.cutsRows = !plan.laneDim && mayCutRows(emitter, plan.lanes, options);
  emitter.completePlan(plan);
  return plan;
}
