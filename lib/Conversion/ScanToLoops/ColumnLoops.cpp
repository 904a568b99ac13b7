//===- ColumnLoops.cpp - Blocks of columns with their state in memory -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan along an outer dimension streams through memory if every step handles
// a long run of the innermost dimension. The state of that run is a buffer that
// stays in the first-level cache; going down the columns a few at a time with
// the state in registers instead touches a new page every few cache lines and
// reaches a third of the bandwidth.
//
//   for outer dimensions
//     for block of columns
//       for each kernel: walk all steps (ColumnWalk)
//
// There are two kernels where scans in both directions share inputs. Blocks are
// then small enough for the inputs to be in the cache the second time. Blocks
// of a group (KernelGroups.h) are as large as others: from step to step, short
// runs of 128 columns of 256 took three times as long as whole ones, however
// much of them was in the cache.
//
// For several threads, the outer dimensions and the blocks are divided into
// parts (ThreadParts.h), each with buffers of its own.
//
//===----------------------------------------------------------------------===//

#include "ColumnWalk.h"
#include "LoopPlan.h"
#include "ThreadParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// How blocks are chosen that threads share.
struct SharedColumns {
  /// A block has at least that many columns: shorter runs of memory in each
  /// step take longer than more threads gain.
  int64_t least;
  /// How many blocks there should be.
  int64_t wanted;
};
/// Where arithmetic takes long, from so many operations of a point on, runs may
/// be shorter.
static constexpr int64_t kLongWork = 32;
static constexpr SharedColumns kOfMemory = {512, 8}, kOfWork = {256, 16};
/// Walks over blocks of so many columns prefetch the steps to come.
static constexpr int64_t kMostPrefetched = 512;

namespace {

class ColumnLoops {
public:
  /// For kernels of one domain.
  ColumnLoops(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
              unsigned laneDim, const ConvertScanToLoopsOptions &options);

  /// Emits all columns, one block after the other.
  void emit();
  /// Emits those that differ in `dims`, of which there is one at least, in
  /// `parts`.
  void emitParts(ThreadParts &parts, ArrayRef<unsigned> dims);

private:
  /// Emits loops over the outer dimensions that are not among `done`.
  void emitOuter(Point &point, ArrayRef<unsigned> done);
  /// Emits all columns of the outer indices in `point`.
  void emitColumns(const Point &point);
  /// Lets walks prefetch where blocks have few `columns`.
  void prefetchNarrow(Value columns);
  /// The columns of a block where `dims` are divided into parts: fewer where
  /// there are few blocks.
  Value chooseBlock(Value isLarge, ArrayRef<unsigned> dims);
  void emitBlock(const Point &point, Value begin, Value count);

  OpBuilder &builder;
  KernelEmitter &emitter; ///< The first kernel's.
  KernelOp kernel;
  Location loc;
  unsigned laneDim;
  SmallVector<ColumnWalk, 0> walks;
  int64_t width = 1, blockSize = 0; ///< Columns in a vector, and in a block.
  SharedColumns shared;
};

} // namespace

ColumnLoops::ColumnLoops(OpBuilder &builder,
                         MutableArrayRef<KernelEmitter> kernels,
                         unsigned laneDim,
                         const ConvertScanToLoopsOptions &options)
    : builder(builder), emitter(kernels.front()), kernel(emitter.getKernel()),
      loc(kernel.getLoc()), laneDim(laneDim) {
  shared = getPointWork(kernels) < kLongWork ? kOfMemory : kOfWork;
  blockSize = chooseSharedBlock(kernels, laneDim, options);
  for (KernelEmitter &each : kernels) {
    walks.emplace_back(builder, each, laneDim, options);
    width = std::max(width, walks.back().getWidth());
  }
  for (ColumnWalk &walk : walks)
    walk.setBlockSize(blockSize);
}

void ColumnLoops::emitBlock(const Point &point, Value begin, Value count) {
  for (ColumnWalk &walk : walks)
    walk.emitBlock(point, begin, count);
}

void ColumnLoops::emitColumns(const Point &point) {
  Value columns = emitter.getSizes()[laneDim];
  int64_t staticColumns = emitter.getStaticSizes()[laneDim];
  Value zero = emitter.index(0);
  if (!ShapedType::isDynamic(staticColumns) && staticColumns <= blockSize)
    return emitBlock(point, zero, columns);
  Value step = emitter.index(blockSize);
  auto loop = scf::ForOp::create(builder, loc, zero, columns, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar();
  Value rest = arith::SubIOp::create(builder, loc, columns, begin);
  emitBlock(point, begin, arith::MinUIOp::create(builder, loc, rest, step));
}

void ColumnLoops::emitOuter(Point &point, ArrayRef<unsigned> done) {
  Value zero = emitter.index(0), one = emitter.index(1);
  for (unsigned d = 0; d < kernel.getDomainRank(); ++d) {
    if (d == kernel.getDim() || d == laneDim || llvm::is_contained(done, d))
      continue;
    auto loop =
        scf::ForOp::create(builder, loc, zero, emitter.getSizes()[d], one);
    builder.setInsertionPointToStart(loop.getBody());
    point.indices[d] = loop.getInductionVar();
  }
}

void ColumnLoops::emit() {
  for (ColumnWalk &walk : walks)
    walk.allocateBuffers();
  // One thread waits for memory; several that walk whole steps do not gain.
  prefetchNarrow(emitter.getSizes()[laneDim]);
  Point point;
  point.indices.resize(kernel.getDomainRank());
  emitOuter(point, /*done=*/{});
  for (ColumnWalk &walk : walks)
    walk.chooseStreams(point);
  emitColumns(point);
}

void ColumnLoops::prefetchNarrow(Value columns) {
  Value isNarrow = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ule, columns, emitter.index(kMostPrefetched));
  for (ColumnWalk &walk : walks)
    walk.prefetchNextPass(isNarrow);
}

Value ColumnLoops::chooseBlock(Value isLarge, ArrayRef<unsigned> dims) {
  Value whole = emitter.index(blockSize), one = emitter.index(1);
  int64_t least = llvm::alignTo(shared.least, width);
  if (blockSize <= least)
    return whole;
  auto divide = [&](Value a, Value b) -> Value {
    b = builder.createOrFold<arith::MaxUIOp>(loc, b, one);
    return builder.createOrFold<arith::CeilDivUIOp>(loc, a, b);
  };
  // As many columns as leave the wanted blocks.
  Value scans = one;
  for (unsigned d : dims)
    if (d != laneDim)
      scans = builder.createOrFold<arith::MulIOp>(loc, scans,
                                                  emitter.getSizes()[d]);
  Value blocks = divide(emitter.index(shared.wanted), scans);
  Value columns = divide(emitter.getSizes()[laneDim], blocks);
  Value step = emitter.index(least);
  columns =
      builder.createOrFold<arith::MulIOp>(loc, divide(columns, step), step);
  columns = builder.createOrFold<arith::MaxUIOp>(loc, columns, step);
  columns = builder.createOrFold<arith::MinUIOp>(loc, columns, whole);
  prefetchNarrow(columns);
  return arith::SelectOp::create(builder, loc, isLarge, columns, whole);
}

void ColumnLoops::emitParts(ThreadParts &parts, ArrayRef<unsigned> dims) {
  bool dividesColumns = llvm::is_contained(dims, laneDim);
  Value block;
  SmallVector<Value> extents;
  if (dividesColumns)
    block = arith::MaxUIOp::create(
        builder, loc, chooseBlock(parts.getIsLarge(), dims), emitter.index(1));
  for (unsigned d : dims) {
    Value extent = emitter.getSizes()[d];
    extents.push_back(
        d == laneDim ? arith::CeilDivUIOp::create(builder, loc, extent, block)
                     : extent);
  }
  auto prepare = [&] {
    for (ColumnWalk &walk : walks)
      walk.allocateBuffers();
  };
  parts.emit(extents, prepare, [&](ArrayRef<Value> indices) {
    Point point;
    point.indices.resize(kernel.getDomainRank());
    Value begin;
    for (auto [d, i] : llvm::zip_equal(dims, indices)) {
      if (d == laneDim)
        begin = arith::MulIOp::create(builder, loc, i, block);
      else
        point.indices[d] = i;
    }
    emitOuter(point, dims);
    for (ColumnWalk &walk : walks)
      walk.chooseStreams(point);
    if (!dividesColumns)
      return emitColumns(point);
    Value rest =
        arith::SubIOp::create(builder, loc, emitter.getSizes()[laneDim], begin);
    emitBlock(point, begin, arith::MinUIOp::create(builder, loc, rest, block));
  });
}

void mlir::scan::emitColumnLoops(OpBuilder &builder,
                                 MutableArrayRef<KernelEmitter> kernels,
                                 unsigned laneDim,
                                 const ConvertScanToLoopsOptions &options) {
  OpBuilder::InsertionGuard guard(builder);
  ColumnLoops columns(builder, kernels, laneDim, options);
  SmallVector<unsigned> dims = getThreadDims(kernels, options);
  if (dims.empty())
    return columns.emit();
  ThreadParts parts(builder, kernels, options);
  columns.emitParts(parts, dims);
}
