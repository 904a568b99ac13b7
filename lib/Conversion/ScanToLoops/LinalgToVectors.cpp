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
//     for columns in tiles of V vectors
//       for rows in tiles of R
//         acc = outputs                           R times V
//         for reductions
//           acc += R elements of one input times V vectors of the other
//         outputs = acc
//       the same for columns left over, a vector or one at a time
//     the same for rows left over, R/2, R/4, ... at a time
//
// in which the columns of the one input, the weights, are in the cache for all
// rows. Each element is added up in the order of the reduction loops, as by
// scalar code.
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

/// Vectors that accumulate. AVX-512 and SVE have 32 registers, others have 16;
/// as many again are left for what is added and the products: with fewer, LLVM,
/// which moves all loads to the front, spills.
static constexpr int64_t kAccumulators = 16, kFewAccumulators = 8;
static constexpr int64_t kMaxAccumulatedRows = 8, kMaxAccumulatedVectors = 8;
static constexpr unsigned kWideBits = 512;
/// What rows share, in elements, below which it is not worth code for several
/// numbers of rows: it stays in the first-level cache.
static constexpr int64_t kFewShared = 2048;

namespace {

class VectorNest {
public:
  VectorNest(linalg::LinalgOp op, unsigned vectorBits, bool fuses)
      : op(op), vectorBits(vectorBits), fuses(fuses),
        shape(op.getStaticLoopRanges()) {}

  /// Whether the operation can be computed by vectors; says how.
  bool plan();
  void emit(OpBuilder &builder);

private:
  bool isLaneLoop(unsigned loop);
  bool hasVectorBody();
  int64_t countLanes();
  void chooseRows();
  /// The vectors in a tile of so many rows.
  int64_t chooseVectors(int64_t rows);
  bool isParallel(unsigned loop) {
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
  }
  /// A part of a loop in steps of `step`.
  struct Part {
    Value begin, end;
    int64_t step;
  };
  /// Parts with `steps`, each of which takes what the ones before it have left
  /// over.
  SmallVector<Part> divide(OpBuilder &builder, unsigned loop,
                           ArrayRef<int64_t> steps);
  /// Opens a loop in which `point` has its index, and sets the insertion point
  /// into it.
  void openLoop(OpBuilder &builder, unsigned loop, Part part);
  void emitColumns(OpBuilder &builder, LinalgTile &code,
                   std::optional<Part> rows);

  linalg::LinalgOp op;
  unsigned vectorBits;
  bool fuses;
  SmallVector<int64_t> shape;
  unsigned laneLoop = 0;
  std::optional<unsigned> rowLoop;
  int64_t lanes = 1, mostRows = 1;
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
        inner.getNumResults() == 0 || getDivisionFaults(&inner) ||
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

/// Whether elements lie in a memref as in a vector, which is packed: of i1, a
/// memref has one byte each.
static bool hasVectorLayout(Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  return bits >= 8 && llvm::isPowerOf2_32(bits);
}

bool VectorNest::plan() {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() == 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!map.isProjectedPermutation() ||
        (type && !hasVectorLayout(type.getElementType())))
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
  lanes = countLanes();
  if (lanes < 2)
    return false;
  if (op.getNumReductionLoops() > 0)
    chooseRows();
  return true;
}

/// Rows share what does not vary with them, vectors share what is the same for
/// all lanes: many rows, so that the former is loaded seldom.
void VectorNest::chooseRows() {
  int64_t shared = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop == laneLoop || !isParallel(loop))
      shared = ShapedType::isDynamic(shape[loop])
                   ? kFewShared
                   : std::min(shared * shape[loop], kFewShared);
  if (shared < kFewShared)
    return;
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
  if (!rowLoop)
    return;
  mostRows =
      vectorBits >= kWideBits ? kMaxAccumulatedRows : kMaxAccumulatedRows / 2;
  if (!ShapedType::isDynamic(shape[*rowLoop]))
    mostRows =
        std::min<int64_t>(mostRows, llvm::bit_floor<uint64_t>(shape[*rowLoop]));
  mostRows = std::max<int64_t>(mostRows, 1);
}

int64_t VectorNest::chooseVectors(int64_t rows) {
  if (op.getNumReductionLoops() == 0)
    return 1;
  int64_t registers =
      vectorBits >= kWideBits ? kAccumulators : kFewAccumulators;
  int64_t most = kMaxAccumulatedVectors;
  if (!ShapedType::isDynamic(shape[laneLoop]))
    most = std::clamp<int64_t>(shape[laneLoop] / lanes, 1, most);
  return std::clamp<int64_t>(registers / (rows * op.getNumDpsInits()), 1, most);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<VectorNest::Part>
VectorNest::divide(OpBuilder &builder, unsigned loop, ArrayRef<int64_t> steps) {
  Location loc = op.getLoc();
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  OpFoldResult extent = op.createLoopRanges(builder, loc)[loop].size;
  std::optional<int64_t> known = getConstantIntValue(extent);
  SmallVector<Part> parts;
  Value begin = index(0);
  int64_t done = 0;
  for (int64_t step : steps) {
    Value end;
    if (known) {
      int64_t rest = (*known - done) % step;
      if (done == *known - rest)
        continue;
      done = *known - rest;
      end = index(done);
    } else {
      end = cast<Value>(extent);
      Value rest = arith::SubIOp::create(builder, loc, end, begin);
      rest = arith::RemUIOp::create(builder, loc, rest, index(step));
      end = arith::SubIOp::create(builder, loc, end, rest);
    }
    parts.push_back({begin, end, step});
    begin = end;
  }
  return parts;
}

void VectorNest::openLoop(OpBuilder &builder, unsigned loop, Part part) {
  Location loc = op.getLoc();
  auto opened = scf::ForOp::create(
      builder, loc, part.begin, part.end,
      arith::ConstantIndexOp::create(builder, loc, part.step));
  builder.setInsertionPointToStart(opened.getBody());
  point[loop] = opened.getInductionVar();
}

void VectorNest::emitColumns(OpBuilder &builder, LinalgTile &code,
                             std::optional<Part> rows) {
  int64_t count = rows ? rows->step : 1, vectors = chooseVectors(count);
  SmallVector<int64_t> steps = {vectors * lanes};
  if (vectors > 1)
    steps.push_back(lanes);
  steps.push_back(1);
  for (Part columns : divide(builder, laneLoop, steps)) {
    OpBuilder::InsertionGuard guard(builder);
    openLoop(builder, laneLoop, columns);
    if (rows)
      openLoop(builder, *rowLoop, *rows);
    if (columns.step == 1)
      code.emit(point, {count, /*vectors=*/1, /*lanes=*/1});
    else
      code.emit(point, {count, columns.step / lanes, lanes});
  }
}

void VectorNest::emit(OpBuilder &builder) {
  LinalgTile code(builder, op, laneLoop, rowLoop, fuses);
  point.resize(op.getNumLoops());
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!isParallel(loop) || loop == laneLoop || loop == rowLoop)
      continue;
    // An extent of 0, which not each of the operands has to tell.
    SmallVector<Part> parts = divide(builder, loop, {1});
    if (parts.empty())
      return;
    openLoop(builder, loop, parts.front());
  }
  if (!rowLoop)
    return emitColumns(builder, code, std::nullopt);
  SmallVector<int64_t> steps;
  for (int64_t count = mostRows; count > 0; count /= 2)
    steps.push_back(count);
  for (Part rows : divide(builder, *rowLoop, steps))
    emitColumns(builder, code, rows);
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
      VectorNest nest(op, vectorBits, fusedMultiplyAdd);
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
