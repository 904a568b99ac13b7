//===- LinalgToVectors.cpp - Structured operations to vector loops --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that no scan was fused with, as the steps of recurrences are: their
// contractions with weights, and what is computed element by element of these.
// A contraction is computed in tiles that stay in registers over all of the
// reduction,
//
//   for other parallel dimensions
//     for columns in tiles of V vectors           what is left over: vectors,
//       for rows in tiles of R                    scalars, fewer rows
//         acc = outputs                           R times V
//         for reductions
//           acc += R elements of one input times V vectors of the other
//         outputs = acc
//
// in which the columns of the one input, the weights, are in the cache for all
// rows. Each element is added up in the order of the reduction loops, as by
// scalar code: results are the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "IR/Divisions.h"
#include "IR/MatchCounts.h"
#include "LinalgTile.h"
#include "OperandAccess.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANLINALGTOVECTORS
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Vectors that accumulate: the others are needed for what is added. AVX-512
/// and SVE have 32 registers, others have 16.
static constexpr int64_t kAccumulators = 24, kFewAccumulators = 12;
static constexpr int64_t kMaxRows = 8, kMaxVectors = 8;

namespace {

class VectorNest {
public:
  VectorNest(linalg::LinalgOp op, unsigned vectorBits)
      : op(op), vectorBits(vectorBits), shape(op.getStaticLoopRanges()) {}

  /// Whether the operation can be computed by vectors; says how.
  bool plan();
  void emit(OpBuilder &builder);

private:
  bool isLaneLoop(unsigned loop);
  bool hasVectorBody();
  int64_t countLanes();
  void chooseTile();
  bool isParallel(unsigned loop) {
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
  }
  /// Emits loops over all of a dimension in steps of `steps`, each of which
  /// takes what the ones before it have left over.
  void forTiles(OpBuilder &builder, unsigned loop, ArrayRef<int64_t> steps,
                function_ref<void(size_t)> each);
  void emitColumns(OpBuilder &builder, LinalgTile &code);

  linalg::LinalgOp op;
  unsigned vectorBits;
  SmallVector<int64_t> shape;
  unsigned laneLoop = 0;
  std::optional<unsigned> rowLoop;
  TileShape tile;
  SmallVector<Value> point;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which operations, and how
//===----------------------------------------------------------------------===//

/// Whether neighbours along the loop are neighbours in memory, or the same.
bool VectorNest::isLaneLoop(unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isOutput = op.isDpsInit(&operand);
    if (!map.isFunctionOfDim(loop)) {
      if (isOutput)
        return false;
      continue;
    }
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last || last.getPosition() != loop ||
        !cast<MemRefType>(operand.get().getType()).isLastDimUnitStride())
      return false;
  }
  return true;
}

/// Whether all of the body has a meaning for vectors, and for points that are
/// computed in another order.
bool VectorNest::hasVectorBody() {
  auto fits = [](Type type) {
    return isa<IntegerType, IndexType, FloatType>(type);
  };
  Block &body = *op.getBlock();
  if (!llvm::all_of(body.getArgumentTypes(), fits))
    return false;
  for (Operation &inner : body.without_terminator()) {
    bool isMappable = isa<arith::ConstantOp, linalg::IndexOp>(inner) ||
                      OpTrait::hasElementwiseMappableTraits(&inner);
    if (!isMappable || inner.getNumRegions() != 0 ||
        inner.getNumResults() == 0 || hasUnsafeOperation(&inner) ||
        !llvm::all_of(inner.getResultTypes(), fits))
      return false;
  }
  return true;
}

int64_t VectorNest::countLanes() {
  int64_t widest = 8;
  for (Type type : op.getBlock()->getArgumentTypes())
    widest = std::max(widest, getStorageBits(type));
  for (Operation &inner : op.getBlock()->without_terminator())
    for (Type type : inner.getResultTypes())
      widest = std::max(widest, getStorageBits(type));
  int64_t lanes = llvm::bit_floor<uint64_t>(vectorBits / widest);
  if (!ShapedType::isDynamic(shape[laneLoop]))
    lanes =
        std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(shape[laneLoop]));
  return lanes;
}

bool VectorNest::plan() {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() == 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    // A vector of i1 is packed to bits, a memref of i1 has one byte each.
    if (!map.isProjectedPermutation() ||
        (type && type.getElementType().isInteger(1)))
      return false;
    if (!op.isDpsInit(&operand))
      continue;
    // All points of a reduction add to one element, which is read.
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop) != isParallel(loop))
        return false;
    if (op.getNumReductionLoops() > 0 &&
        op.getMatchingBlockArgument(&operand).use_empty())
      return false;
  }
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map.getNumResults() == 0)
    return false;
  laneLoop = cast<AffineDimExpr>(map.getResults().back()).getPosition();
  if (!isLaneLoop(laneLoop) || !hasVectorBody())
    return false;
  tile.lanes = countLanes();
  if (tile.lanes < 2)
    return false;
  if (op.getNumReductionLoops() > 0)
    chooseTile();
  return true;
}

/// Rows share what does not vary with them, vectors share what is the same for
/// all lanes: many rows, so that the former is loaded seldom.
void VectorNest::chooseTile() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (loop == laneLoop || !isParallel(loop) || shape[loop] == 1)
      continue;
    bool isShared =
        llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
          AffineMap map = op.getMatchingIndexingMap(operand);
          return map.isFunctionOfDim(laneLoop) && !map.isFunctionOfDim(loop);
        });
    if (isShared)
      rowLoop = loop;
  }
  int64_t accumulators = vectorBits >= 512 ? kAccumulators : kFewAccumulators;
  accumulators = std::max<int64_t>(accumulators / op.getNumDpsInits(), 1);
  if (rowLoop) {
    tile.rows = vectorBits >= 512 ? kMaxRows : kMaxRows / 2;
    if (!ShapedType::isDynamic(shape[*rowLoop]))
      tile.rows = std::min<int64_t>(tile.rows,
                                    llvm::bit_floor<uint64_t>(shape[*rowLoop]));
    tile.rows = std::max<int64_t>(std::min(tile.rows, accumulators), 1);
  }
  tile.vectors = std::clamp<int64_t>(accumulators / tile.rows, 1, kMaxVectors);
  if (!ShapedType::isDynamic(shape[laneLoop]))
    tile.vectors =
        std::clamp<int64_t>(shape[laneLoop] / tile.lanes, 1, tile.vectors);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void VectorNest::forTiles(OpBuilder &builder, unsigned loop,
                          ArrayRef<int64_t> steps,
                          function_ref<void(size_t)> each) {
  Location loc = op.getLoc();
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  OpFoldResult extent = op.createLoopRanges(builder, loc)[loop].size;
  Value begin = index(0);
  int64_t done = 0;
  std::optional<int64_t> known = getConstantIntValue(extent);
  for (auto [i, step] : llvm::enumerate(steps)) {
    Value end;
    if (known) {
      int64_t last = done + (*known - done) / step * step;
      if (last == done)
        continue;
      end = index(last);
      done = last;
    } else {
      end = cast<Value>(extent);
      if (step > 1) {
        Value rest = arith::SubIOp::create(builder, loc, end, begin);
        rest = arith::RemUIOp::create(builder, loc, rest, index(step));
        end = arith::SubIOp::create(builder, loc, end, rest);
      }
    }
    auto tiles = scf::ForOp::create(builder, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(tiles.getBody());
    point[loop] = tiles.getInductionVar();
    each(i);
    begin = end;
  }
}

void VectorNest::emitColumns(OpBuilder &builder, LinalgTile &code) {
  SmallVector<TileShape> columns = {tile};
  if (tile.vectors > 1)
    columns.push_back({tile.rows, 1, tile.lanes});
  columns.push_back({tile.rows, 1, 1});
  SmallVector<int64_t> rows, steps;
  for (int64_t count = tile.rows; count > 0; count /= 2)
    rows.push_back(count);
  for (TileShape part : columns)
    steps.push_back(part.getColumns());
  forTiles(builder, laneLoop, steps, [&](size_t i) {
    if (!rowLoop)
      return code.emit(point, columns[i]);
    forTiles(builder, *rowLoop, rows, [&](size_t j) {
      code.emit(point, {rows[j], columns[i].vectors, columns[i].lanes});
    });
  });
}

void VectorNest::emit(OpBuilder &builder) {
  LinalgTile code(builder, op, laneLoop, rowLoop);
  point.resize(op.getNumLoops());
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!isParallel(loop) || loop == laneLoop || loop == rowLoop)
      continue;
    auto outer = scf::ForOp::create(
        builder, op.getLoc(),
        arith::ConstantIndexOp::create(builder, op.getLoc(), 0),
        code.getSize(loop),
        arith::ConstantIndexOp::create(builder, op.getLoc(), 1));
    builder.setInsertionPointToStart(outer.getBody());
    point[loop] = outer.getInductionVar();
  }
  emitColumns(builder, code);
}

namespace {

struct ScanLinalgToVectors final
    : scan::impl::ScanLinalgToVectorsBase<ScanLinalgToVectors> {
  using ScanLinalgToVectorsBase::ScanLinalgToVectorsBase;

  void runOnOperation() override {
    ConvertScanToLoopsOptions options;
    options.vectorBits = vectorBits;
    if (failed(checkLoopOptions(options, [&] {
          return emitError(getOperation()->getLoc()) << getArgument() << ": ";
        })))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    OpBuilder builder(&getContext());
    uint64_t count = 0;
    for (linalg::LinalgOp op : ops) {
      VectorNest nest(op, vectorBits);
      if (!nest.plan())
        continue;
      builder.setInsertionPoint(op);
      nest.emit(builder);
      op.erase();
      ++count;
    }
    numVectorized += count;
    addMatchCounts(getOperation(), getArgument(),
                   {{"operations-vectorized", count}});
  }
};

} // namespace
