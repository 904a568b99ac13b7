//===- BatchToThreads.cpp - Steps over time on parts of a batch -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   checks of all steps
//   scf.parallel part = 0 to parts
//     for t
//       operations of the step on indices begin to end of the batch dimension
//
// Operations take slices of what they worked on. Temporaries of a step are
// those of the whole batch, of which each part has its slice: nothing is
// allocated in the parallel loop, and nothing stops there.
//
//===----------------------------------------------------------------------===//

#include "BatchRows.h"
#include "IR/ExpensiveOps.h"
#include "IR/MatchCounts.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "ThreadParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANBATCHTOTHREADS
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// The fewest indices of a part: as many rows as share the loads of a weight,
/// and a few vectors where neighbours lie in one.
static constexpr int64_t kPartRows = 4, kPartLanes = 64;

namespace {

class BatchParts {
public:
  BatchParts(scf::ForOp loop, const BatchRows &rows, int64_t threadWork)
      : builder(loop), loc(loop.getLoc()), loop(loop), rows(rows),
        threadWork(threadWork) {}

  /// Whether it is known that one thread is enough.
  bool isSmall();
  void emit();

private:
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  SmallVector<OpFoldResult> getWork(Operation *op);
  Value createWork();
  void emitChecks();
  Value createCount();
  Value createPartCount(Value count);
  /// Indices of a part.
  struct Range {
    OpFoldResult begin, size;
  };
  void takePart(Value begin, Value end, OpFoldResult size);
  void slice(Operation *op, Range range);

  OpBuilder builder;
  Location loc;
  scf::ForOp loop;
  const BatchRows &rows;
  int64_t threadWork;
  SmallVector<OpFoldResult> extents;
};

} // namespace

/// The factors of the operations of `op` in one step; an extent that is not
/// known in front of the loop is not among them.
SmallVector<OpFoldResult> BatchParts::getWork(Operation *op) {
  int64_t points = 1;
  SmallVector<OpFoldResult> factors;
  auto add = [&](Value memref, unsigned dim) {
    if (OpFoldResult size = rows.getSize(memref, dim))
      factors.push_back(size);
    else if (loop.isDefinedOutsideOfLoop(memref))
      factors.push_back(
          memref::DimOp::create(builder, loc, memref, dim).getResult());
  };
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim)
      add(copy.getTarget(), dim);
  } else {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    for (Operation &inner : linalgOp.getBlock()->without_terminator())
      points += isExpensive(&inner) ? kExpensiveWork : 1;
    for (unsigned number = 0; number < linalgOp.getNumLoops(); ++number) {
      Value memref;
      unsigned dim = 0;
      // Outputs are last, and their extents are known best.
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<unsigned> found =
                linalgOp.getMatchingIndexingMap(&operand).getResultPosition(
                    builder.getAffineDimExpr(number))) {
          memref = operand.get();
          dim = *found;
        }
      if (memref)
        add(memref, dim);
    }
  }
  factors.push_back(builder.getIndexAttr(points));
  return factors;
}

/// About the operations of all steps.
Value BatchParts::createWork() {
  Value work = index(0);
  for (Operation *op : rows.getOperations()) {
    Value product = index(1);
    for (OpFoldResult factor : getWork(op))
      product = builder.createOrFold<arith::MulIOp>(
          loc, product, getValueOrCreateConstantIndexOp(builder, loc, factor));
    work = builder.createOrFold<arith::AddIOp>(loc, work, product);
  }
  Value steps = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(),
                                                    loop.getLowerBound());
  steps = builder.createOrFold<arith::CeilDivSIOp>(loc, steps, loop.getStep());
  steps = builder.createOrFold<arith::MaxSIOp>(loc, steps, index(0));
  return builder.createOrFold<arith::MulIOp>(loc, work, steps);
}

bool BatchParts::isSmall() {
  std::optional<APInt> steps = loop.getStaticTripCount();
  if (!steps)
    return false;
  std::optional<int64_t> work = 0;
  for (Operation *op : rows.getOperations()) {
    std::optional<int64_t> product = steps->getSExtValue();
    for (OpFoldResult factor : getWork(op)) {
      std::optional<int64_t> known = getConstantIntValue(factor);
      if (!known || !(product = llvm::checkedMul(*product, *known)))
        return false;
    }
    if (!(work = llvm::checkedAdd(*work, *product)))
      return false;
  }
  return *work < threadWork;
}

/// Steps that check only. What would fail in a later step fails in front of the
/// first.
void BatchParts::emitChecks() {
  if (rows.getChecks().empty())
    return;
  auto checked = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                    loop.getUpperBound(), loop.getStep());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(checked.getBody());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), checked.getInductionVar());
  for (Operation *op : rows.getCheckedCode())
    builder.clone(*op, mapping);
  for (cf::AssertOp check : rows.getChecks()) {
    builder.clone(*check, mapping);
    check.erase();
  }
}

/// How many indices of the batch dimension some operation has. All have as many
/// by what was checked; they need not say so.
Value BatchParts::createCount() {
  for (Operation *op : rows.getOperations())
    if (OpFoldResult extent = rows.getExtent(op);
        !llvm::is_contained(extents, extent))
      extents.push_back(extent);
  Value count;
  for (OpFoldResult extent : extents) {
    Value size = getValueOrCreateConstantIndexOp(builder, loc, extent);
    count =
        count ? builder.createOrFold<arith::MaxUIOp>(loc, count, size) : size;
  }
  return count;
}

/// How many parts there are. Extents alone decide.
Value BatchParts::createPartCount(Value count) {
  Value isLarge = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, createWork(), index(threadWork));
  Value few = builder.createOrFold<arith::MinUIOp>(loc, count, index(2));
  Value parts = builder.createOrFold<arith::DivUIOp>(
      loc, count, index(rows.isInnermost() ? kPartLanes : kPartRows));
  parts = builder.createOrFold<arith::MaxUIOp>(loc, parts, few);
  parts = builder.createOrFold<arith::MinUIOp>(loc, parts, index(kMaxParts));
  return builder.createOrFold<arith::SelectOp>(loc, isLarge, parts, index(1));
}

void BatchParts::slice(Operation *op, Range range) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> dim = rows.getDim(operand.get());
    if (!dim)
      continue;
    auto type = cast<MemRefType>(operand.get().getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(builder, loc, operand.get());
    offsets[*dim] = range.begin;
    sizes[*dim] = range.size;
    operand.set(memref::SubViewOp::create(builder, loc, operand.get(), offsets,
                                          sizes, strides));
  }
}

/// Has the operations of the loop compute the indices from `begin` to `end`
/// that they have: `size` of them where all have as many.
void BatchParts::takePart(Value begin, Value end, OpFoldResult size) {
  SmallVector<Range> ranges;
  for (OpFoldResult extent : extents) {
    if (extents.size() == 1) {
      ranges.push_back({begin, size});
      continue;
    }
    Value most = getValueOrCreateConstantIndexOp(builder, loc, extent);
    Value from = arith::MinUIOp::create(builder, loc, begin, most);
    Value to = arith::MinUIOp::create(builder, loc, end, most);
    ranges.push_back(
        {from, arith::SubIOp::create(builder, loc, to, from).getResult()});
  }
  // Which range an operation has is asked for in front of all changes.
  auto ofOperations =
      llvm::map_to_vector(rows.getOperations(), [&](Operation *op) {
        return ranges[std::distance(extents.begin(),
                                    llvm::find(extents, rows.getExtent(op)))];
      });
  for (auto [op, range] : llvm::zip_equal(rows.getOperations(), ofOperations))
    slice(op, range);
}

void BatchParts::emit() {
  for (memref::AllocOp alloc : rows.getAllocs()) {
    for (OpOperand &size : alloc->getOpOperands())
      size.set(getValueOrCreateConstantIndexOp(builder, loc,
                                               rows.getKnown(size.get())));
    alloc->moveBefore(loop);
  }
  emitChecks();
  Value count = createCount(), parts = createPartCount(count);
  std::optional<int64_t> knownCount = getConstantIntValue(count);
  std::optional<int64_t> knownParts = getConstantIntValue(parts);
  emitThreadParts(builder, loc, parts, count, [&](Value begin, Value end) {
    loop->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    builder.setInsertionPoint(loop);
    OpFoldResult size;
    if (knownCount && knownParts && *knownCount % *knownParts == 0)
      size = builder.getIndexAttr(*knownCount / *knownParts);
    else
      size = arith::SubIOp::create(builder, loc, end, begin).getResult();
    takePart(begin, end, size);
  });
}

namespace {

struct ScanBatchToThreads final
    : scan::impl::ScanBatchToThreadsBase<ScanBatchToThreads> {
  using ScanBatchToThreadsBase::ScanBatchToThreadsBase;

  void runOnOperation() override {
    uint64_t count = 0;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (isa<scf::ParallelOp, scf::ForallOp>(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || !divide(loop))
        return WalkResult::advance();
      ++count;
      return WalkResult::skip();
    });
    numDivided += count;
    addMatchCounts(getOperation(), getArgument(), {{"loops-divided", count}});
  }

private:
  bool divide(scf::ForOp loop) {
    // Extents of temporaries, and what checks ask for.
    moveLoopInvariantCode(loop);
    BatchRows rows(loop);
    if (!rows.find())
      return false;
    BatchParts parts(loop, rows, threadWork);
    if (parts.isSmall())
      return false;
    parts.emit();
    return true;
  }
};

} // namespace
