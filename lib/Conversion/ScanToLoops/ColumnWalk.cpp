//===- ColumnWalk.cpp - A block of columns, step by step ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnWalk.h"
#include "KernelGroups.h"
#include "LoopHints.h"
#include "LoopPlan.h"
#include "Scratch.h"
#include "StreamingStores.h"
#include "ThreadParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Steps of which a pass over the columns makes several: then the state, and
/// what does not vary along the scan, are loaded and stored once for them. It
/// is not worth the code where a step is long.
static constexpr int64_t kStepsPerPass = 4;
static constexpr int64_t kMostWorkOfSteps = 24;

/// What is handed on to the next kernel of a group is to stay in the cache, if
/// it is no more than that: about a share of the third level.
static constexpr int64_t kMostKeptBytes = int64_t(1) << 23;

/// How many steps a pass over the columns makes. Outputs must have each element
/// from one step and column: others are read again to be added to.
static int64_t chooseStepsPerPass(KernelEmitter &emitter) {
  bool isElementwise =
      llvm::all_of(emitter.getKernel().getOutputMaps(),
                   [](AffineMap map) { return map.isPermutation(); });
  return isElementwise && getPointWork(emitter) <= kMostWorkOfSteps
             ? kStepsPerPass
             : 1;
}

ColumnWalk::ColumnWalk(OpBuilder &builder, KernelEmitter &emitter,
                       unsigned laneDim,
                       const ConvertScanToLoopsOptions &options)
    : builder(builder), kernel(emitter.getKernel()), emitter(emitter),
      loc(kernel.getLoc()), laneDim(laneDim),
      held(emitter.getHeldReductions(laneDim)) {
  ColumnPlan plan = planColumns(emitter, laneDim, options);
  width = plan.lanes;
  blockSize = plan.block;
  fixedTypes = emitter.getInvariantTypes();
  if (width > 1)
    stepsPerPass = chooseStepsPerPass(emitter);
  isLarge = emitIsLarge(builder, emitter, laneDim, options);
}

void ColumnWalk::allocateBuffers() {
  SmallVector<Type> types;
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried()))
    types.push_back(isCarried ? type : Type());
  llvm::append_range(types, fixedTypes);
  buffers = allocateScratch(builder, loc, types, blockSize);
  fixedBuffers.assign(buffers.end() - fixedTypes.size(), buffers.end());
  buffers.truncate(buffers.size() - fixedTypes.size());
}

SmallVector<Value> ColumnWalk::loadState(Value position, int64_t width) {
  SmallVector<Value> state = emitter.zeroState(width);
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      value = loadScratch(builder, loc, buffer, value.getType(), position);
  return state;
}

void ColumnWalk::storeState(Value position, ValueRange state) {
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      storeScratch(builder, loc, buffer, value, position);
}

void ColumnWalk::forColumns(const Point &point, Value begin, Value count,
                            function_ref<void(const Point &, Value)> body) {
  SmallVector<bool> reduced;
  std::swap(reduced, held);
  (void)reduceColumns(point, begin, count,
                      [&](const Point &at, Value position,
                          SmallVectorImpl<Value> &) { body(at, position); });
  std::swap(reduced, held);
}

SmallVector<Value> ColumnWalk::reduceColumns(
    const Point &point, Value begin, Value count,
    function_ref<void(const Point &, Value, SmallVectorImpl<Value> &)> body) {
  Value zero = emitter.index(0);
  auto emitLoop = [&](Value from, Value to, int64_t step, ValueRange totals) {
    auto loop =
        scf::ForOp::create(builder, loc, from, to, emitter.index(step), totals);
    if (width > 1)
      disableVectorization(loop);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Point at = point;
    Value position = loop.getInductionVar();
    // Backwards within a step, too: processors prefetch what goes down, but
    // not what goes up for a few lines and then further down. It took half of
    // the time of a backward pass over 256 columns.
    if (kernel.getReverse() && step > 1) {
      Value last = arith::SubIOp::create(builder, loc, to, emitter.index(step));
      position = arith::SubIOp::create(builder, loc, last, position);
    }
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

void ColumnWalk::prefetchNextPass(Value condition) {
  if (isLarge && getConstantIntValue(condition) != 0)
    prefetches = builder.createOrFold<arith::AndIOp>(loc, condition, isLarge);
}

void ColumnWalk::emitPrefetches(Point point, ArrayRef<Value> times) {
  // Arrays in the caches are read so fast that prefetches would take a sixth of
  // the time, but a branch next to none. What goes down in memory is not
  // brought to the first level by processors.
  auto branch = scf::IfOp::create(builder, loc, prefetches);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (Value time : times) {
    point.indices[kernel.getDim()] = time;
    emitter.prefetchInputs(point, /*isNear=*/kernel.getReverse());
  }
}

void ColumnWalk::emitSteps(const Point &point, Value begin, Value count,
                           Value first, int64_t steps, bool isFirst) {
  SmallVector<Value> times, later;
  for (int64_t i = 0; i < steps; ++i) {
    Value step = arith::AddIOp::create(builder, loc, first, emitter.index(i));
    times.push_back(emitter.getTime(step));
    if (prefetches)
      later.push_back(emitter.getTime(
          arith::AddIOp::create(builder, loc, step, emitter.index(steps))));
  }
  SmallVector<Value> all = reduceColumns(
      point, begin, count,
      [&](const Point &column, Value position, SmallVectorImpl<Value> &totals) {
        Point at = column;
        at.indices[kernel.getDim()] = times.front();
        SmallVector<SmallVector<Value>> invariants = emitter.loadInvariants(at);
        SmallVector<Value> state;
        if (!isFirst)
          state = loadState(position, at.width);
        SmallVector<Value> fixed;
        for (auto [type, buffer] : llvm::zip_equal(fixedTypes, fixedBuffers))
          fixed.push_back(loadScratch(
              builder, loc, buffer,
              at.width > 1 ? Type(VectorType::get(at.width, type)) : type,
              position));
        // What is stored lies where what is loaded does, modulo a page, if rows
        // are pages: a load behind a store would wait for it.
        SmallVector<SmallVector<Value>> inputs;
        for (Value time : times) {
          at.indices[kernel.getDim()] = time;
          inputs.push_back(emitter.loadInputs(at, invariants));
        }
        if (prefetches && at.width > 1)
          emitPrefetches(at, later);
        SmallVector<Point> points;
        SmallVector<SmallVector<Value>> outputs;
        for (auto [time, elements] : llvm::zip_equal(times, inputs)) {
          at.indices[kernel.getDim()] = time;
          KernelEmitter::Step step = emitter.step(state, elements, at, fixed);
          points.push_back(at);
          outputs.push_back(std::move(step.outputs));
          state = std::move(step.state);
        }
        // Together, behind one question whether they go past the caches.
        emitter.storeOutputs(points, outputs, held,
                             at.width > 1 ? streams : Value());
        for (ArrayRef<Value> elements : outputs)
          emitter.addToReductions(held, elements, totals);
        storeState(position, state);
      });
  Point at = point;
  at.indices[kernel.getDim()] = times.front();
  emitter.storeReductions(at, held, all);
}

void ColumnWalk::emitBlock(Point point, Value begin, Value count) {
  Value zero = emitter.index(0), one = emitter.index(1);
  Value length = emitter.getSizes()[kernel.getDim()];
  if (!fixedTypes.empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      for (auto [buffer, value] :
           llvm::zip_equal(fixedBuffers, emitter.computeInvariants(at)))
        storeScratch(builder, loc, buffer, value, position);
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
    emitSteps(point, begin, count, zero, /*steps=*/1, /*isFirst=*/true);
    if (needsZeros) {
      builder.setInsertionPointToStart(branch.elseBlock());
      forColumns(point, begin, count, [&](const Point &at, Value position) {
        storeState(position, emitter.zeroState(at.width));
      });
    }
  }

  Value from = kernel.hasInit() ? zero : one;
  auto emitLoop = [&](Value to, int64_t steps) {
    auto loop =
        scf::ForOp::create(builder, loc, from, to, emitter.index(steps));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitSteps(point, begin, count, loop.getInductionVar(), steps,
              /*isFirst=*/false);
    from = to;
  };
  if (stepsPerPass > 1) {
    // Without init there are none behind the first step of an empty scan.
    Value steps = arith::SubIOp::create(
        builder, loc, arith::MaxUIOp::create(builder, loc, length, from), from);
    Value rest = arith::RemUIOp::create(builder, loc, steps,
                                        emitter.index(stepsPerPass));
    Value whole = arith::SubIOp::create(builder, loc, steps, rest);
    emitLoop(arith::AddIOp::create(builder, loc, from, whole), stepsPerPass);
  }
  emitLoop(length, 1);

  if (!kernel.getFinals().empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      emitter.finalize(at, loadState(position, at.width));
    });
}

void ColumnWalk::chooseStreams(Point point) {
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
  int64_t sharedBytes = countSharedBytes(kernel);
  if (sharedBytes == 0)
    return;
  Value bytes = arith::MulIOp::create(builder, loc, emitter.getSizes()[laneDim],
                                      emitter.index(sharedBytes));
  bytes = arith::MulIOp::create(builder, loc, bytes,
                                emitter.getSizes()[kernel.getDim()]);
  require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, bytes,
                                emitter.index(kMostKeptBytes)));
}
