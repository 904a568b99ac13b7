//===- RowLoops.cpp - Rows with their state in registers ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan along the innermost dimension is a chain of dependent operations:
// several rows at a time keep the processor busy.
//
//   for outer dimensions
//     for row in steps of R
//       load R                                   what is the same at all steps
//       state = initialize                      R times the carried leaves
//       for t iter_args(state)
//         load R, combine R, store R
//       finalize R
//       add reductions over time to what is in memory, R times
//     the same for the rows left over, one at a time
//
// Where a step takes long, a vector has an element of each of several rows.
//
// For several threads, the outer dimensions and groups of R rows are divided
// into parts (ThreadParts.h), or few long rows into blocks (RowBlocks.h).
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "IR/ExpensiveOps.h"
#include "LoopHints.h"
#include "RowBlocks.h"
#include "RowNest.h"
#include "StreamingStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Value> RowLoops::pack(const Walk &walk) {
  SmallVector<Value> packed;
  for (ArrayRef<Value> state : walk.states)
    for (auto [value, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
      if (isCarried)
        packed.push_back(value);
  for (ArrayRef<Value> totals : walk.totals)
    llvm::append_range(packed, totals);
  return packed;
}

Walk RowLoops::unpack(ValueRange carried, size_t numRows) {
  Walk walk;
  for (size_t row = 0; row < numRows; ++row) {
    SmallVector<Value> state = emitter.zeroState(rowLanes);
    for (auto [value, isCarried] :
         llvm::zip_equal(state, emitter.getCarried())) {
      if (!isCarried)
        continue;
      value = carried.front();
      carried = carried.drop_front();
    }
    walk.states.push_back(std::move(state));
  }
  size_t numTotals = carried.size() / numRows;
  for (size_t row = 0; row < numRows; ++row) {
    walk.totals.push_back(llvm::to_vector(carried.take_front(numTotals)));
    carried = carried.drop_front(numTotals);
  }
  return walk;
}

Walk RowLoops::step(MutableArrayRef<Point> rows, Value i, Walk walk) {
  // All loads come first: as far as the optimiser knows, a store might overlap
  // any of them.
  Value time = emitter.getTime(i);
  States inputs, outputs;
  for (Point &row : rows) {
    row.indices[kernel.getDim()] = time;
    inputs.push_back(emitter.loadInputs(row, invariants[inputs.size()]));
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    KernelEmitter::Step result =
        emitter.step(walk.states[row], inputs[row], rows[row]);
    walk.states[row] = std::move(result.state);
    emitter.addToReductions(held, result.outputs, walk.totals[row]);
    outputs.push_back(std::move(result.outputs));
  }
  for (auto [row, elements] : llvm::zip_equal(rows, outputs))
    emitter.storeOutputs(row, elements, held);
  return walk;
}

SmallVector<Value> RowLoops::start(MutableArrayRef<Point> rows) {
  if (kernel.hasInit()) {
    States states;
    for (Point &row : rows)
      states.push_back(emitter.initialize(row));
    return pack({std::move(states), zeroTotals(rows.size())});
  }
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        length, emitter.index(0));
  States zeros;
  for (size_t row = 0; row < rows.size(); ++row)
    zeros.push_back(emitter.zeroState(rowLanes));
  SmallVector<Value> none = pack({std::move(zeros), zeroTotals(rows.size())});
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(none).getTypes(), isEmpty,
                        /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, none);
  builder.setInsertionPointToStart(branch.elseBlock());
  Walk first = step(rows, emitter.index(0),
                    {States(rows.size()), zeroTotals(rows.size())});
  scf::YieldOp::create(builder, loc, pack(first));
  return branch.getResults();
}

SmallVector<Value> RowLoops::walkSteps(MutableArrayRef<Point> rows, Value begin,
                                       Value end, ValueRange carried) {
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, emitter.index(1), carried,
                         [&](OpBuilder &, Location, Value i, ValueRange state) {
                           Walk next =
                               step(rows, i, unpack(state, rows.size()));
                           scf::YieldOp::create(builder, loc, pack(next));
                         });
  // A step of several leaves may have vectors of them, where several are there
  // at each step.
  if (lanes > 1 || rowLanes > 1 || llvm::count(emitter.getCarried(), true) == 1)
    disableVectorization(loop);
  return loop.getResults();
}

void RowLoops::walkTiles(VectorRow &tiles, Point &row, VectorRow::Range range,
                         SmallVector<Value> &carried) {
  auto single = [&](ValueRange packed) {
    Walk walk = unpack(packed, /*numRows=*/1);
    return VectorRow::Carried{walk.states.front(), walk.totals.front()};
  };
  auto packSingle = [&](const VectorRow::Carried &one) {
    return pack({{one.state}, {one.totals}});
  };
  auto walkAsSteps = [&](VectorRow::Range steps,
                         const VectorRow::Carried &before) {
    SmallVector<Value> packed = packSingle(before);
    if (tiles.hasFirstStep())
      packed = startAt(row, steps.begin, packed);
    return single(walkSteps(row, steps.begin, steps.end, packed));
  };
  carried = packSingle(tiles.walk(row, range, single(carried), walkAsSteps));
}

SmallVector<Value> RowLoops::startAt(Point &row, Value &step,
                                     SmallVector<Value> carried) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, emitter.index(0));
  auto branch = scf::IfOp::create(
      builder, loc, isFirst,
      [&](OpBuilder &, Location) {
        SmallVector<Value> started = start(row);
        started.push_back(emitter.index(1));
        scf::YieldOp::create(builder, loc, started);
      },
      [&](OpBuilder &, Location) {
        carried.push_back(step);
        scf::YieldOp::create(builder, loc, carried);
      });
  carried = llvm::to_vector(ValueRange(branch.getResults()));
  step = carried.pop_back_val();
  return carried;
}

Value RowLoops::walkVectors(Point &row, Value first, Value end,
                            SmallVector<Value> &carried) {
  int64_t numVectors = chooseRowVectors(emitter, lanes);
  VectorRow tiles(builder, emitter, lanes, numVectors, isLarge, held);
  tiles.useSavedTiles(saved);
  if (companion)
    tiles.addMeanwhile(*companion);
  VectorRow::Range range = tiles.chooseRange(row, {first, end});
  if (range.begin != first) {
    // The vectors may begin behind a short row.
    Value begin = arith::MinSIOp::create(builder, loc, range.begin, end);
    carried = walkSteps(row, first, begin, carried);
  }
  walkTiles(tiles, row, range, carried);
  if (numVectors == 1)
    return range.end;
  VectorRow rest(builder, emitter, lanes, /*vectors=*/1,
                 /*isLarge=*/Value(), held);
  range = rest.chooseTiles({range.end, end});
  walkTiles(rest, row, range, carried);
  return range.end;
}

SmallVector<Value> RowLoops::walkMasked(Point &row) {
  Value zero = emitter.index(0);
  int64_t numVectors = chooseRowVectors(emitter, lanes);
  VectorRow tiles(builder, emitter, lanes, numVectors, isLarge, held);
  tiles.takeFirstStep();
  VectorRow::Range range = tiles.chooseRange(row, {zero, length});
  bool isMoved = range.begin != zero;
  SmallVector<Value> carried;
  auto walkFirst = [&](Value first) {
    carried = start(row);
    if (isMoved)
      carried = walkSteps(row, first, range.begin, carried);
    return carried;
  };
  if (kernel.hasInit()) {
    walkFirst(zero);
  } else {
    carried = pack({{emitter.zeroState(/*width=*/1)}, zeroTotals(1)});
    if (isMoved) {
      Value isFirst = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, range.begin, zero);
      auto branch = scf::IfOp::create(
          builder, loc, isFirst,
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(builder, loc, carried);
          },
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(builder, loc, walkFirst(emitter.index(1)));
          });
      carried = llvm::to_vector(ValueRange(branch.getResults()));
    }
  }
  walkTiles(tiles, row, range, carried);
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  auto isWhole = [&](int64_t vectors) {
    return !isMoved && !ShapedType::isDynamic(steps) &&
           steps % (vectors * lanes) == 0;
  };
  if (isWhole(numVectors))
    return carried;
  // What is left of a tile are some vectors, the last of which may be masked.
  // A loop of its own for the others, which never asks whether a vector is
  // whole, pays where a vector takes little and is soon compiled.
  VectorRow::Range left = {range.end, length};
  bool isTile = numVectors == kTileVectors;
  if (isTile && kernel.getNumLeaves() == 1) {
    VectorRow rest(builder, emitter, lanes, /*vectors=*/1,
                   /*isLarge=*/Value(), held);
    rest.takeFirstStep();
    range = rest.chooseTiles(left);
    walkTiles(rest, row, range, carried);
    left.begin = range.end;
    if (isWhole(1))
      return carried;
  }
  VectorRow last(builder, emitter, lanes, /*vectors=*/1, /*isLarge=*/Value(),
                 held);
  last.takeFirstStep();
  if (!isWhole(1))
    last.takeLastSteps(/*several=*/isTile && kernel.getNumLeaves() > 1);
  walkTiles(last, row, left, carried);
  return carried;
}

SmallVector<Value> RowLoops::walkRange(MutableArrayRef<Point> rows, Value begin,
                                       Value end, SmallVector<Value> carried) {
  if (lanes > 1)
    begin = walkVectors(rows.front(), begin, end, carried);
  return walkSteps(rows, begin, end, carried);
}

void RowLoops::walk(MutableArrayRef<Point> rows) {
  rowLanes = rows.front().width;
  // What is the same at every step is read once: then what depends on nothing
  // else need not be computed at every step either.
  invariants.clear();
  for (Point &row : rows)
    invariants.push_back(emitter.loadInvariants(row));
  SmallVector<Value> carried;
  if (lanes > 1 && canMaskRow(emitter)) {
    carried = walkMasked(rows.front());
  } else {
    Value first = emitter.index(kernel.hasInit() ? 0 : 1);
    carried = walkRange(rows, first, length, start(rows));
  }
  if (kernel.getFinals().empty() && held.empty())
    return;
  Walk last = unpack(carried, rows.size());
  for (auto [row, state, totals] :
       llvm::zip_equal(rows, last.states, last.totals)) {
    if (!kernel.getFinals().empty())
      emitter.finalize(row, state);
    emitter.storeReductions(row, held, totals);
  }
}

unsigned mlir::scan::chooseRows(KernelOp kernel, unsigned rows) {
  constexpr size_t maxOps = 128;
  size_t ops = 0;
  for (Region &region : kernel->getRegions())
    if (!region.empty())
      ops += llvm::range_size(region.front());
  while (rows > 1 && ops * rows > maxOps)
    rows /= 2;
  return std::max(rows, 1u);
}

SmallVector<RowGroup>
mlir::scan::chooseRowGroups(MutableArrayRef<KernelEmitter> kernels,
                            const ConvertScanToLoopsOptions &options) {
  constexpr int64_t kMinRowLanes = 4;
  int64_t rows = chooseRows(kernels.front().getKernel(), options.rows);
  int64_t lanes = std::numeric_limits<int64_t>::max();
  bool isExpensiveCode = false;
  for (KernelEmitter &each : kernels) {
    lanes = std::min(lanes, each.getLanes(options.vectorBits));
    if (!each.describeScalarCode().empty())
      lanes = 1;
    for (Region &region : each.getKernel()->getRegions())
      isExpensiveCode |=
          !region.empty() && llvm::any_of(region.front(), [](Operation &op) {
            return isExpensive(&op);
          });
  }
  // Elements of rows are loaded and stored one by one: what takes less than
  // that is walked row by row.
  if (!isExpensiveCode || lanes < kMinRowLanes)
    return {{rows, 1}};
  // Two vectors hide some of what a step waits for the one before.
  return {{2 * lanes, lanes}, {lanes, lanes}};
}

/// Emits all rows, each of which is walked by one thread. Where all `lanes` are
/// 1, several are walked at a time.
static void emitWholeRows(OpBuilder &builder,
                          MutableArrayRef<KernelEmitter> kernels,
                          ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                          const ConvertScanToLoopsOptions &options) {
  bool areSteps = llvm::all_of(lanes, [](int64_t width) { return width == 1; });
  SmallVector<RowGroup> groups;
  if (areSteps)
    groups = chooseRowGroups(kernels, options);
  auto walk = [&](MutableArrayRef<Point> rows) {
    for (auto [each, width, large] : llvm::zip_equal(kernels, lanes, isLarge))
      RowLoops(builder, each, width, large).walk(rows);
  };
  RowNest nest(builder, kernels.front(), groups, walk);
  SmallVector<unsigned> dims = getThreadDims(kernels, options);
  if (dims.empty())
    return nest.emit();
  ThreadParts parts(builder, kernels, options);
  nest.emitParts(parts, dims);
}

/// i1: whether rows are so short that several at a time, step by step, are
/// faster than vectors along each; null if that is known, or there is one row.
static Value emitIsShort(OpBuilder &builder, KernelEmitter &emitter,
                         ArrayRef<int64_t> lanes) {
  ArrayRef<int64_t> shape = emitter.getStaticSizes();
  unsigned time = emitter.getKernel().getDim();
  int64_t widest = *llvm::max_element(lanes);
  bool areSeveral = llvm::any_of(llvm::enumerate(shape), [&](auto dim) {
    return dim.index() != time && dim.value() != 1;
  });
  if (!ShapedType::isDynamic(shape[time]) || widest == 1 || !areSeveral)
    return Value();
  return arith::CmpIOp::create(
      builder, emitter.getLoc(), arith::CmpIPredicate::ult,
      emitter.getSizes()[time],
      emitter.index(getMinRowSteps(emitter.getKernel(), widest)));
}

void mlir::scan::emitRowLoops(OpBuilder &builder,
                              MutableArrayRef<KernelEmitter> kernels,
                              const ConvertScanToLoopsOptions &options) {
  KernelEmitter &first = kernels.front();
  SmallVector<int64_t> lanes;
  SmallVector<Value> isLarge;
  for (KernelEmitter &each : kernels) {
    lanes.push_back(chooseRowLanes(each, options));
    isLarge.push_back(
        lanes.back() == 1
            ? Value()
            : emitIsLarge(builder, each, first.getKernel().getDim(), options));
  }
  OpBuilder::InsertionGuard guard(builder);
  if (Value isShort = emitIsShort(builder, first, lanes)) {
    auto branch = scf::IfOp::create(builder, first.getLoc(), isShort,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<int64_t> ones(lanes.size(), 1);
    emitWholeRows(builder, kernels, ones, isLarge, options);
    builder.setInsertionPointToStart(branch.elseBlock());
  }
  auto emitWhole = [&] {
    emitWholeRows(builder, kernels, lanes, isLarge, options);
  };
  if (!mayCutRows(kernels, lanes, options))
    return emitWhole();
  emitRowBlocks(builder, kernels, lanes, isLarge, options, emitWhole);
}
