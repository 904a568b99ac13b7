//===- BatchTile.cpp - Batch indices of one thread block ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchTile.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "BlockAccesses.h"
#include "IR/OperandMemory.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether `input` is a weight of a contraction: all steps read the same, at
/// different places along a reduction.
static bool isWeight(linalg::LinalgOp op, OpOperand &input,
                     scf::ForallOp blocks) {
  if (!isa<MemRefType>(input.get().getType()) ||
      blocks->isAncestor(
          getBuffer(input.get()).getParentBlock()->getParentOp()))
    return false;
  Operation *where = input.get().getParentBlock()->getParentOp();
  if (where != blocks && blocks->isAncestor(where))
    return false;
  AffineMap map = op.getMatchingIndexingMap(&input);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction && map.isFunctionOfDim(loop))
      return true;
  return false;
}

/// The dimensions of the loop over blocks along which `memref` has parts.
static llvm::SmallBitVector getOwnDims(Value memref, scf::ForallOp blocks) {
  llvm::SmallBitVector dims(blocks.getRank());
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    for (Value operand : view->getOperands())
      for (auto [dim, index] : llvm::enumerate(blocks.getInductionVars()))
        if (operand == index)
          dims.set(dim);
    memref = view.getViewSource();
  }
  return dims;
}

/// Tiles lie along the dimensions that the largest weights do not have.
BatchTile::BatchTile(scf::ForallOp blocks, int64_t rows)
    : blocks(blocks), rows(rows) {
  llvm::SmallBitVector own(blocks.getRank());
  int64_t most = 0;
  blocks->walk([&](linalg::LinalgOp op) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isWeight(op, *input, blocks))
        continue;
      auto type = cast<MemRefType>(input->get().getType());
      int64_t bytes = std::numeric_limits<int64_t>::max();
      if (type.hasStaticShape())
        bytes = type.getNumElements() * getStorageBytes(type.getElementType());
      hasWeights = true;
      if (bytes < most)
        continue;
      most = bytes;
      own = getOwnDims(input->get(), blocks);
    }
  });
  // A tile of one index needs no dimension of its own.
  for (unsigned dim = 0, e = blocks.getRank(); dim < e; ++dim)
    (rows > 1 && own.test(dim) ? apart : tiled).push_back(dim);
}

std::optional<int64_t> BatchTile::countStatic(ArrayRef<unsigned> dims) const {
  int64_t count = 1;
  for (unsigned dim : dims) {
    std::optional<int64_t> extent =
        getConstantIntValue(blocks.getMixedUpperBound()[dim]);
    if (!extent)
      return std::nullopt;
    if (llvm::MulOverflow(count, *extent, count))
      count = std::numeric_limits<int64_t>::max();
  }
  return count;
}

LogicalResult BatchTile::check() const {
  std::optional<int64_t> count = countStatic(tiled);
  if (rows == 1 || !count || *count >= rows)
    return success();
  return blocks.emitOpError()
         << "cannot have thread blocks with rows = " << rows
         << " of the schedule of a scan.recurrence: expected at most " << *count
         << ", the indices of the dimensions that no step reads across and the "
            "weights do not have";
}

int64_t BatchTile::choose(const BlockPlan &plan, int64_t sharedMemory,
                          int64_t processors) const {
  if (!hasWeights || processors == 0 || plan.temporaries != 0)
    return 1;
  // Where the weights of each index are its own there is nothing to share.
  BatchTile several(blocks, 2);
  std::optional<int64_t> count = several.countStatic(several.tiled);
  std::optional<int64_t> others = several.countStatic(several.apart);
  if (!count || !others)
    return 1;
  int64_t bytes = plan.sharedBytes + plan.weightBytes;
  auto getRegisters = [&](int64_t rows) {
    return BlockPlan::getRegisterBudget(plan.threads, rows);
  };
  // Blocks of which a multiprocessor holds several take turns. Those that read
  // weights in each step do so at the same time.
  int64_t held = 1;
  if (plan.streamedWeights == 0) {
    constexpr int64_t others = 64, registers = 65536, threads = 1536;
    held =
        std::min(registers / (plan.threads * (plan.weightRegisters + others)),
                 threads / plan.threads);
    if (bytes > 0)
      held = std::min(held, sharedMemory / bytes);
    held = std::max<int64_t>(held, 1);
  }
  auto fits = [&](int64_t rows) {
    // What is unrolled; what is loaded ahead; what has to move from registers
    // to shared memory.
    constexpr int64_t mostUnrolled = kMostUnrolledRows / kMostUnrolled;
    constexpr int64_t mostAhead = 32;
    if (plan.weightRegisters > 0 && rows > mostUnrolled)
      return false;
    if (plan.prefetchedRows * plan.prefetchedSteps * rows > mostAhead)
      return false;
    // Half of the registers are left to weights: rows also have addresses.
    if (getRegisters(rows) * 2 < getRegisters(1))
      return false;
    int64_t moved =
        plan.threads * 4 *
        std::max<int64_t>(0, plan.weightRegisters - getRegisters(rows));
    // Where weights are read in each step in any case, more of them may be, if
    // that is less for each row.
    if (plan.streamedBytes > 0)
      return plan.sharedBytes * rows <= sharedMemory &&
             moved < plan.streamedBytes;
    return plan.sharedBytes * rows + plan.weightBytes + moved <= sharedMemory;
  };
  int64_t best = 1;
  while (*others * llvm::divideCeilSigned(*count, best) > processors * held &&
         best * 2 <= std::min(kMostRows, *count) && fits(best * 2))
    best *= 2;
  return best;
}

Value BatchTile::createBlockCount(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> extents) const {
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(
      multiplyExtents(b, extents, tiled), indexConstant(b, rows));
  return b.createOrFold<arith::MulIOp>(multiplyExtents(b, extents, apart),
                                       tiles);
}

AffineMap BatchTile::getGrid(ArrayRef<int64_t> domain) const {
  MLIRContext *context = blocks.getContext();
  SmallVector<AffineExpr> extents = getSymbolicExtents(domain, context);
  auto multiply = [&](ArrayRef<unsigned> dims) {
    AffineExpr count = getAffineConstantExpr(1, context);
    for (unsigned dim : dims)
      count = count * extents[dim];
    return count;
  };
  return getGridMap(multiply(apart) * multiply(tiled).ceilDiv(rows),
                    llvm::count_if(domain, ShapedType::isDynamic));
}

void BatchTile::createRows(ImplicitLocOpBuilder &b, Value block,
                           ArrayRef<Value> extents, BlockRows &of) const {
  Value count = multiplyExtents(b, extents, tiled);
  // The tiles are one more dimension, behind those that stand apart.
  SmallVector<Value> bounds(extents), point(extents.size() + 1);
  bounds.push_back(
      b.createOrFold<arith::CeilDivUIOp>(count, indexConstant(b, rows)));
  SmallVector<unsigned> dims(apart);
  dims.push_back(extents.size());
  createCoordinates(b, block, bounds, dims, point);
  Value first = mulConstant(b, point.back(), rows);
  std::optional<int64_t> known = getConstantIntValue(count);
  of.forEach([&] {
    Value number = addConstant(b, first, of.getNumber());
    if (of.getNumber() > 0 && (!known || *known % rows != 0)) {
      of.setPresent(compare(b, arith::CmpIPredicate::ult, number, count));
      number =
          b.createOrFold<arith::MinUIOp>(number, addConstant(b, count, -1));
    }
    createCoordinates(b, number, extents, tiled, point);
    for (auto [dim, index] : llvm::enumerate(blocks.getInductionVars()))
      of.map(index, point[dim]);
  });
}
