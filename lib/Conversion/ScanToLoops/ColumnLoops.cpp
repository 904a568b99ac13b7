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
//       for v in block: fixed[v] = what is expensive and the same at all steps
//       for v in block: state[v] = initialize
//       for t
//         for v in block: load, combine with state[v], store
//         add reductions over the columns to what is in memory
//       for v in block: finalize
//
// Each loop over v is a vector loop and a scalar loop for what is left over.
// For several threads, the outer dimensions and the blocks are divided into
// parts (ThreadParts.h), each with buffers of its own.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "Scratch.h"
#include "StreamingStores.h"
#include "ThreadParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Threads get blocks of at least that many columns: shorter runs of memory in
/// each step take longer than more threads gain.
static constexpr int64_t kLeastColumns = 256;
/// How many blocks there should be for threads to share.
static constexpr int64_t kWantedBlocks = 16;

namespace {

class ColumnLoops {
public:
  ColumnLoops(OpBuilder &builder, KernelOp kernel, KernelEmitter &emitter,
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
  /// The columns of a block where `dims` are divided into parts: fewer where
  /// there are few blocks.
  Value chooseBlock(Value isLarge, ArrayRef<unsigned> dims);
  /// Finds out whether vectors of all outputs are aligned, so that large
  /// outputs can be streamed, at every step of the outer indices in `point`.
  void chooseStreams(Point point);
  /// Emits the walk over the columns [begin, begin + count) of `point`.
  void emitBlock(Point point, Value begin, Value count);
  /// Emits `body` for the columns of the block, each `point` with its position
  /// in the block.
  void forColumns(const Point &point, Value begin, Value count,
                  function_ref<void(const Point &, Value)> body);
  /// The same with reductions over all columns, scalars, which `body` adds to.
  SmallVector<Value> reduceColumns(
      const Point &point, Value begin, Value count,
      function_ref<void(const Point &, Value, SmallVectorImpl<Value> &)> body);
  /// Emits a step of all columns of the block.
  void emitStep(const Point &point, Value begin, Value count, bool isFirst);

  /// Makes the buffers: of the leaves that are carried, and of what is the same
  /// at every step.
  void allocateBuffers();
  Value loadFrom(Value buffer, Type type, Value position) {
    return loadScratch(builder, loc, buffer, type, position);
  }
  void storeTo(Value buffer, Value value, Value position) {
    storeScratch(builder, loc, buffer, value, position);
  }
  SmallVector<Value> loadState(Value position, int64_t width);
  void storeState(Value position, ValueRange state);

  OpBuilder &builder;
  KernelOp kernel;
  KernelEmitter &emitter;
  Location loc;
  unsigned laneDim;
  int64_t width = 1;          ///< Columns in a vector.
  int64_t blockSize = 0;      ///< Columns in a block, a multiple of the width.
  SmallVector<Value> buffers; ///< One per leaf; null if it is not carried.
  SmallVector<Type> fixedTypes;    ///< Of what is the same at every step.
  SmallVector<Value> fixedBuffers; ///< One for each of these.
  SmallVector<bool> held;          ///< Which elements are reduced over columns.
  Value isLarge; ///< Whether outputs exceed the caches; may be null.
  Value streams; ///< Whether they are stored past them; may be null.
};

} // namespace

ColumnLoops::ColumnLoops(OpBuilder &builder, KernelOp kernel,
                         KernelEmitter &emitter, unsigned laneDim,
                         const ConvertScanToLoopsOptions &options)
    : builder(builder), kernel(kernel), emitter(emitter), loc(kernel.getLoc()),
      laneDim(laneDim), held(emitter.getHeldReductions(laneDim)) {
  ColumnPlan plan = planColumns(emitter, laneDim, options);
  width = plan.lanes;
  blockSize = plan.block;
  fixedTypes = emitter.getInvariantTypes();
  isLarge = emitIsLarge(builder, emitter, laneDim, options);
}

void ColumnLoops::allocateBuffers() {
  SmallVector<Type> types;
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried()))
    types.push_back(isCarried ? type : Type());
  llvm::append_range(types, fixedTypes);
  buffers = allocateScratch(builder, loc, types, blockSize);
  fixedBuffers.assign(buffers.end() - fixedTypes.size(), buffers.end());
  buffers.truncate(buffers.size() - fixedTypes.size());
}

SmallVector<Value> ColumnLoops::loadState(Value position, int64_t width) {
  SmallVector<Value> state = emitter.zeroState(width);
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      value = loadFrom(buffer, value.getType(), position);
  return state;
}

void ColumnLoops::storeState(Value position, ValueRange state) {
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      storeTo(buffer, value, position);
}

void ColumnLoops::forColumns(const Point &point, Value begin, Value count,
                             function_ref<void(const Point &, Value)> body) {
  SmallVector<bool> reduced;
  std::swap(reduced, held);
  (void)reduceColumns(point, begin, count,
                      [&](const Point &at, Value position,
                          SmallVectorImpl<Value> &) { body(at, position); });
  std::swap(reduced, held);
}

SmallVector<Value> ColumnLoops::reduceColumns(
    const Point &point, Value begin, Value count,
    function_ref<void(const Point &, Value, SmallVectorImpl<Value> &)> body) {
  Value zero = emitter.index(0);
  auto emitLoop = [&](Value from, Value to, int64_t step, ValueRange totals) {
    auto loop =
        scf::ForOp::create(builder, loc, from, to, emitter.index(step), totals);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Point at = point;
    Value position = loop.getInductionVar();
    at.indices[laneDim] = arith::AddIOp::create(builder, loc, begin, position);
    at.laneDim = laneDim;
    at.width = step;
    SmallVector<Value> next(loop.getRegionIterArgs());
    body(at, position, next);
    if (!next.empty())
      scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  };
  if (width == 1)
    return emitLoop(zero, count, 1, emitter.zeroReductions(held, 1));
  Value rest =
      arith::RemUIOp::create(builder, loc, count, emitter.index(width));
  Value whole = arith::SubIOp::create(builder, loc, count, rest);
  SmallVector<Value> totals = emitter.reduceLanes(
      emitLoop(zero, whole, width, emitter.zeroReductions(held, width)));
  int64_t columns = emitter.getStaticSizes()[laneDim];
  if (ShapedType::isDynamic(columns) || columns % width != 0)
    totals = emitLoop(whole, count, 1, totals);
  return totals;
}

void ColumnLoops::emitStep(const Point &point, Value begin, Value count,
                           bool isFirst) {
  SmallVector<Value> all = reduceColumns(
      point, begin, count,
      [&](const Point &at, Value position, SmallVectorImpl<Value> &totals) {
        SmallVector<Value> inputs = emitter.loadInputs(at);
        SmallVector<Value> state;
        if (!isFirst)
          state = loadState(position, at.width);
        SmallVector<Value> fixed;
        for (auto [type, buffer] : llvm::zip_equal(fixedTypes, fixedBuffers))
          fixed.push_back(loadFrom(
              buffer,
              at.width > 1 ? Type(VectorType::get(at.width, type)) : type,
              position));
        KernelEmitter::Step step = emitter.step(state, inputs, at, fixed);
        emitter.storeOutputs(at, {step.outputs}, held,
                             at.width > 1 ? streams : Value());
        emitter.addToReductions(held, step.outputs, totals);
        storeState(position, step.state);
      });
  emitter.storeReductions(point, held, all);
}

void ColumnLoops::emitBlock(Point point, Value begin, Value count) {
  Value zero = emitter.index(0), one = emitter.index(1);
  Value length = emitter.getSizes()[kernel.getDim()];
  if (!fixedTypes.empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      for (auto [buffer, value] :
           llvm::zip_equal(fixedBuffers, emitter.computeInvariants(at)))
        storeTo(buffer, value, position);
    });
  if (kernel.hasInit()) {
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      storeState(position, emitter.initialize(at));
    });
  } else {
    bool needsZeros = !kernel.getFinals().empty();
    Value hasSteps = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, length, zero);
    auto branch = scf::IfOp::create(builder, loc, hasSteps,
                                    /*withElseRegion=*/needsZeros);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    point.indices[kernel.getDim()] = emitter.getTime(zero);
    emitStep(point, begin, count, /*isFirst=*/true);
    if (needsZeros) {
      builder.setInsertionPointToStart(branch.elseBlock());
      forColumns(point, begin, count, [&](const Point &at, Value position) {
        storeState(position, emitter.zeroState(at.width));
      });
    }
  }

  {
    auto loop = scf::ForOp::create(builder, loc, kernel.hasInit() ? zero : one,
                                   length, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    point.indices[kernel.getDim()] = emitter.getTime(loop.getInductionVar());
    emitStep(point, begin, count, /*isFirst=*/false);
  }

  if (!kernel.getFinals().empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      emitter.finalize(at, loadState(position, at.width));
    });
}

void ColumnLoops::chooseStreams(Point point) {
  if (!isLarge || width == 1)
    return;
  point.laneDim = laneDim;
  point.width = width;
  Value zero = emitter.index(0);
  point.indices[laneDim] = zero;
  streams = isLarge;
  auto require = [&](Value condition) {
    streams = arith::AndIOp::create(builder, loc, streams, condition);
  };
  // Blocks begin at multiples of the width. If the first two steps are aligned,
  // so are all others.
  for (int64_t step : {0, 1}) {
    point.indices[kernel.getDim()] = emitter.index(step);
    StoreAlignment alignment =
        emitStoreAlignment(builder, emitter, point, /*reverse=*/false);
    if (!alignment.points) {
      streams = Value();
      return;
    }
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  alignment.points, zero));
    require(alignment.isShared);
  }
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
  allocateBuffers();
  Point point;
  point.indices.resize(kernel.getDomainRank());
  emitOuter(point, /*done=*/{});
  chooseStreams(point);
  emitColumns(point);
}

Value ColumnLoops::chooseBlock(Value isLarge, ArrayRef<unsigned> dims) {
  Value whole = emitter.index(blockSize), one = emitter.index(1);
  int64_t least = llvm::alignTo(kLeastColumns, width);
  if (blockSize <= least)
    return whole;
  auto divide = [&](Value a, Value b) -> Value {
    b = arith::MaxUIOp::create(builder, loc, b, one);
    return arith::CeilDivUIOp::create(builder, loc, a, b);
  };
  // As many columns as leave kWantedBlocks blocks.
  Value scans = one;
  for (unsigned d : dims)
    if (d != laneDim)
      scans = arith::MulIOp::create(builder, loc, scans, emitter.getSizes()[d]);
  Value blocks = divide(emitter.index(kWantedBlocks), scans);
  Value columns = divide(emitter.getSizes()[laneDim], blocks);
  Value step = emitter.index(least);
  columns = arith::MulIOp::create(builder, loc, divide(columns, step), step);
  columns = arith::MaxUIOp::create(builder, loc, columns, step);
  columns = arith::MinUIOp::create(builder, loc, columns, whole);
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
  auto prepare = [&] { allocateBuffers(); };
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
    chooseStreams(point);
    if (!dividesColumns)
      return emitColumns(point);
    Value rest =
        arith::SubIOp::create(builder, loc, emitter.getSizes()[laneDim], begin);
    emitBlock(point, begin, arith::MinUIOp::create(builder, loc, rest, block));
  });
}

void mlir::scan::emitColumnLoops(OpBuilder &builder, KernelEmitter &emitter,
                                 unsigned laneDim,
                                 const ConvertScanToLoopsOptions &options) {
  OpBuilder::InsertionGuard guard(builder);
  ColumnLoops columns(builder, emitter.getKernel(), emitter, laneDim, options);
  SmallVector<unsigned> dims = getThreadDims(emitter, options);
  if (dims.empty())
    return columns.emit();
  ThreadParts parts(builder, emitter, options);
  columns.emitParts(parts, dims);
}
