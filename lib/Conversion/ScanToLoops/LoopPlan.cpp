//===- LoopPlan.cpp - How the CPU walks a kernel --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "KernelGroups.h"
#include "PartialSums.h"
#include "Plan/CachedColumns.h"
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

int64_t
mlir::scan::chooseSharedBlock(MutableArrayRef<KernelEmitter> kernels,
                              unsigned laneDim,
                              const ConvertScanToLoopsOptions &options) {
  int64_t width = 1, block = std::numeric_limits<int64_t>::max();
  SmallVector<KernelOp> ops;
  for (KernelEmitter &each : kernels) {
    ColumnPlan plan = planColumns(each, laneDim, options);
    width = std::max(width, plan.lanes);
    block = std::min(block, plan.block);
    ops.push_back(each.getKernel());
  }
  if (ops.size() > 1 && !isGroup(ops))
    if (std::optional<int64_t> cached = getCachedColumns(ops))
      block = std::min(block, *cached);
  // Where there are several, blocks are multiples of each kernel's width.
  int64_t columns = kernels.front().getStaticSizes()[laneDim];
  if (ShapedType::isDynamic(columns) || block < columns)
    block = std::max(width, block / width * width);
  return block;
}

LoopPlan LoopPlan::getAlone(OpBuilder &builder, KernelEmitter &emitter,
                            const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = emitter.getKernel();
  LoopPlan plan;
  plan.laneDim = chooseLaneDim(kernel);
  if (plan.laneDim) {
    plan.columns = planColumns(emitter, *plan.laneDim, options);
  } else {
    plan.lanes = chooseRowLanes(emitter, options);
    if (plan.lanes > 1) {
      plan.vectors = chooseRowVectors(emitter, plan.lanes);
      plan.masksEnd = canMaskRow(emitter);
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
  emitter.completePlan(plan);
  return plan;
}

std::vector<LoopPlan> LoopPlan::get(OpBuilder &builder,
                                    ArrayRef<KernelOp> kernels,
                                    const ConvertScanToLoopsOptions &options) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<KernelEmitter, 0> emitters;
  std::vector<LoopPlan> plans;
  SmallVector<int64_t> lanes;
  for (KernelOp kernel : kernels) {
    builder.setInsertionPoint(kernel);
    emitters.emplace_back(builder, kernel);
    plans.push_back(getAlone(builder, emitters.back(), options));
    lanes.push_back(plans.back().lanes);
  }
  std::optional<unsigned> laneDim = plans.front().laneDim;
  SmallVector<unsigned> threadDims = getThreadDims(emitters, options);
  bool hasPartialSums =
      laneDim && needsPartialSums(emitters, *laneDim, options);
  if (hasPartialSums)
    threadDims = {*laneDim};
  for (LoopPlan &plan : plans) {
    plan.threadDims = threadDims;
    plan.hasPartialSums = hasPartialSums;
    plan.pointWork = getPointWork(emitters);
    if (!laneDim) {
      plan.cutsRows = mayCutRows(emitters, lanes, options);
      continue;
    }
    int64_t block = chooseSharedBlock(emitters, *laneDim, options);
    plan.columns.stateBytes =
        plan.columns.stateBytes / plan.columns.block * block;
    plan.columns.block = block;
  }
  return plans;
}
