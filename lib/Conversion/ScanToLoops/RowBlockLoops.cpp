//===- RowBlockLoops.cpp - Threads that share long rows -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of each thread, as RowBlocks.h has it.
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"
#include "IR/ExpensiveOps.h"
#include "RowBlocks.h"
#include "RowLoops.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The block that code is emitted for.
struct Place {
  Point row;
  Value number;     ///< In its round.
  Value begin, end; ///< Its steps.
  Value isFirst;    ///< i1: whether it is the first one of its row.
  Value isLast;
};

/// Emits the place of the block that a number stands for.
using PlaceOf = function_ref<Place(Value)>;

/// The blocks of one kernel.
class BlockLoops : public RowLoops {
public:
  BlockLoops(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
             Value isLarge)
      : RowLoops(builder, emitter, lanes, isLarge),
        chain(builder, emitter, held) {}

  /// The elements, of each leaf, that the tiles of a block of `steps` take.
  int64_t getSavedElements(int64_t steps) {
    return makeTiles().getSavedElements(steps);
  }
  /// Emits a block. `saved` is where its tiles are saved.
  void walk(Value number, PlaceOf getPlace, ArrayRef<Value> saved);
  /// Emits what is done once all blocks of a round are, `count` of them.
  void finish(Value count, PlaceOf getPlace);

private:
  /// All steps of a block together.
  struct Total {
    SmallVector<Value> leaves;
    /// i1: whether they may be combined with the state before the block.
    Value isUsable;
  };
  /// The first step of a block that combines something.
  Value getFirstStep(const Place &place);
  /// Emits what of the block needs no state.
  Total saveBlock(const Place &place);
  /// Adds steps up to `end` to `total`, one after the other.
  void addSteps(Point row, VectorRow::Total &total, Value end);
  /// Emits what of block `number` needs no state, and goes on until the states
  /// before and, if its total is usable, behind it are known. Returns whether
  /// it is.
  Value saveUntilKnown(Value number, PlaceOf getPlace);
  /// Hands on the state behind the block, if its total is usable. That before
  /// it has to be known.
  void handOn(const Place &place, const Total &total);
  /// The state before the block, which has to be known.
  SmallVector<Value> loadState(const Place &place);
  /// Emits the step of a scan without init that combines nothing.
  SmallVector<Value> startRow(const Place &place, SmallVector<Value> carried);
  VectorRow makeTiles() {
    return VectorRow(builder, emitter, lanes, chooseRowVectors(emitter, lanes),
                     isLarge, held);
  }
  /// Emits what is done only if `condition` is true.
  void emitIf(Value condition, function_ref<void()> body);
  Value emitNot(Value condition) {
    Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
    return arith::XOrIOp::create(builder, loc, condition, isTrue);
  }
  Value getNext(Value number) {
    return arith::AddIOp::create(builder, loc, number, emitter.index(1));
  }

  BlockChain chain;
};

} // namespace

void BlockLoops::emitIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void BlockLoops::addSteps(Point row, VectorRow::Total &total, Value end) {
  auto loop = scf::ForOp::create(builder, loc, total.position, end,
                                 emitter.index(1), total.leaves);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  row.indices[kernel.getDim()] = emitter.getTime(step);
  SmallVector<Value> fresh =
      emitter.applyLoad(emitter.loadInputs(row, invariants.front()), row);
  SmallVector<Value> next =
      emitter.applyCombine(loop.getRegionIterArgs(), fresh, row);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, total.begin);
  for (auto [leaf, value] : llvm::zip_equal(next, fresh))
    leaf = arith::SelectOp::create(builder, loc, isFirst, value, leaf);
  scf::YieldOp::create(builder, loc, next);
  total.leaves = llvm::to_vector(ValueRange(loop.getResults()));
  builder.setInsertionPointAfter(loop);
  total.position = arith::MaxUIOp::create(builder, loc, total.position, end);
}

Value BlockLoops::getFirstStep(const Place &place) {
  if (kernel.hasInit())
    return place.begin;
  return arith::MaxUIOp::create(builder, loc, place.begin, emitter.index(1));
}

BlockLoops::Total BlockLoops::saveBlock(const Place &place) {
  invariants.assign(1, emitter.loadInvariants(place.row));
  VectorRow tiles = makeTiles();
  tiles.useSavedTiles(saved);
  VectorRow::Range range =
      tiles.chooseRange(place.row, {getFirstStep(place), place.end});
  VectorRow::Total total{place.begin, place.begin,
                         emitter.zeroState(/*width=*/1)};
  addSteps(place.row, total,
           arith::MinUIOp::create(builder, loc, range.begin, place.end));
  tiles.addTiles(place.row, range, total);
  addSteps(place.row, total, place.end);
  Value isFinite = emitIsFinite(builder, emitter, total.leaves);
  if (!isFinite)
    isFinite = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  return {total.leaves, isFinite};
}

Value BlockLoops::saveUntilKnown(Value number, PlaceOf getPlace) {
  const Turn &known = chain.getKnown();
  // Carries the block whose total is computed: this one, and in between those
  // that keep it waiting. The result is whether its total is usable.
  auto loop = scf::WhileOp::create(
      builder, loc, builder.getI1Type(), number,
      [&](OpBuilder &, Location, ValueRange target) {
        Place place = getPlace(target.front());
        Total total = saveBlock(place);
        known.poll(builder, place.number);
        // Whose block it is may meanwhile have handed on what is behind it, and
        // have begun to write outputs where inputs were. So that must not be so
        // once all inputs are read.
        Value found = known.confirm(builder);
        Value isOther = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, place.number, number);
        emitIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     found, place.number),
               [&] {
                 handOn(place, total);
                 Value waits = arith::AndIOp::create(builder, loc, isOther,
                                                     emitNot(total.isUsable));
                 emitIf(waits,
                        [&] { known.wait(builder, getNext(place.number)); });
               });
        Value isUnknown = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, found, number);
        scf::ConditionOp::create(
            builder, loc,
            arith::OrIOp::create(builder, loc, isOther, isUnknown),
            total.isUsable);
      },
      [&](OpBuilder &, Location, ValueRange) {
        Value found = known.poll(builder, number);
        Value next = arith::MinUIOp::create(builder, loc, found, number);
        scf::YieldOp::create(builder, loc, next);
      });
  return loop.getResult(0);
}

void BlockLoops::handOn(const Place &place, const Total &total) {
  emitIf(total.isUsable, [&] {
    SmallVector<Value> behind =
        emitter.applyCombine(loadState(place), total.leaves, place.row);
    if (!kernel.hasInit())
      for (auto [leaf, value] : llvm::zip_equal(behind, total.leaves))
        leaf =
            arith::SelectOp::create(builder, loc, place.isFirst, value, leaf);
    chain.storeState(builder, getNext(place.number), behind);
  });
}

SmallVector<Value> BlockLoops::loadState(const Place &place) {
  SmallVector<Value> initial = kernel.hasInit()
                                   ? emitter.initialize(place.row)
                                   : emitter.zeroState(/*width=*/1);
  SmallVector<Value> before = chain.loadState(builder, place.number);
  for (auto [leaf, value] : llvm::zip_equal(before, initial))
    leaf = arith::SelectOp::create(builder, loc, place.isFirst, value, leaf);
  return before;
}

SmallVector<Value> BlockLoops::startRow(const Place &place,
                                        SmallVector<Value> carried) {
  auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(),
                                  place.isFirst,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, carried);
  builder.setInsertionPointToStart(branch.thenBlock());
  Point row = place.row;
  scf::YieldOp::create(builder, loc, start(row));
  return branch.getResults();
}

void BlockLoops::walk(Value number, PlaceOf getPlace, ArrayRef<Value> buffers) {
  saved = llvm::to_vector(buffers);
  Value isUsable = saveUntilKnown(number, getPlace);
  Place place = getPlace(number);
  invariants.assign(1, emitter.loadInvariants(place.row));
  SmallVector<Value> carried =
      pack({{loadState(place)}, zeroTotals(/*numRows=*/1)});
  if (!kernel.hasInit())
    carried = startRow(place, carried);
  carried = walkRange(place.row, getFirstStep(place), place.end, carried);

  Walk last = unpack(carried, /*numRows=*/1);
  emitIf(emitNot(isUsable), [&] {
    chain.storeState(builder, getNext(number), last.states.front());
  });
  if (!kernel.getFinals().empty())
    emitIf(place.isLast,
           [&] { emitter.finalize(place.row, last.states.front()); });
  chain.storeSums(builder, number, last.totals.front());
}

void BlockLoops::finish(Value count, PlaceOf getPlace) {
  if (held.empty())
    return;
  auto loop = scf::ForOp::create(builder, loc, emitter.index(0), count,
                                 emitter.index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  emitter.storeReductions(getPlace(number).row, held,
                          chain.loadSums(builder, number));
}

/// The block that `number` of all stands for; `extents` are those of the
/// dimensions of `blocks`, and the blocks of a row.
static Place getPlace(OpBuilder &builder, KernelEmitter &emitter,
                      ThreadParts &parts, const RowBlocks &blocks,
                      ArrayRef<Value> extents, Value number) {
  Location loc = emitter.getLoc();
  Value zero = emitter.index(0);
  Place place;
  place.row.indices.assign(emitter.getStaticSizes().size(), zero);
  SmallVector<Value> indices = parts.getIndices(extents, number);
  Value block = indices.pop_back_val();
  for (auto [d, i] : llvm::zip_equal(blocks.dims, indices))
    place.row.indices[d] = i;
  Value length = emitter.getSizes()[emitter.getKernel().getDim()];
  place.begin = arith::MulIOp::create(builder, loc, block, blocks.steps);
  place.end = arith::AddIOp::create(builder, loc, place.begin, blocks.steps);
  place.end = arith::MinUIOp::create(builder, loc, place.end, length);
  place.isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        block, zero);
  place.isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       place.end, length);
  return place;
}

/// Whether the tiles of a block are saved, or computed again from the inputs,
/// which are in the cache: that takes about half of the combines.
static bool paysToSave(KernelOp kernel) {
  // What is saved takes about 5 operations for each leaf; maxima count as what
  // they are without AVX-512, and saving them pays with it, too.
  constexpr int64_t savingWork = 5, maximumWork = 6;
  int64_t work = 0;
  for (Region *region : {&kernel.getLoad(), &kernel.getCombine()})
    for (Operation &op : region->front().without_terminator())
      work += isExpensive(&op)                                ? kExpensiveWork
              : isa<arith::MaximumFOp, arith::MinimumFOp>(op) ? maximumWork
                                                              : 1;
  return work >= savingWork * kernel.getNumLeaves();
}

/// Emits the loop over the blocks of a round that threads take: `count` of
/// them, from number `begin` on.
static void emitRound(OpBuilder &builder,
                      MutableArrayRef<KernelEmitter> kernels,
                      ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                      ThreadParts &parts, const RowBlocks &blocks,
                      ArrayRef<Value> extents, Value begin, Value count) {
  KernelEmitter &emitter = kernels.front();
  Location loc = emitter.getLoc();
  SmallVector<BlockLoops, 2> loops;
  SmallVector<Type> types;
  int64_t elements = 0;
  for (auto [each, width, large] : llvm::zip_equal(kernels, lanes, isLarge)) {
    loops.emplace_back(builder, each, width, large);
    llvm::append_range(types, each.getKernel().getLeafTypes());
    elements =
        std::max(elements, loops.back().getSavedElements(blocks.staticSteps));
  }
  auto placeOf = [&](Value number) {
    Value ofAll = arith::AddIOp::create(builder, loc, begin, number);
    Place place = getPlace(builder, emitter, parts, blocks, extents, ofAll);
    place.number = number;
    return place;
  };
  Turn next(builder, loc);
  auto emitBlock = [&](Value number, ArrayRef<Value> saved) {
    for (auto [each, loop] : llvm::zip_equal(kernels, loops)) {
      size_t numLeaves =
          paysToSave(each.getKernel()) ? each.getKernel().getNumLeaves() : 0;
      loop.walk(number, placeOf, saved.take_front(numLeaves));
      saved = saved.drop_front(numLeaves);
    }
  };
  Value workers =
      arith::MinUIOp::create(builder, loc, count, emitter.index(kMaxParts));
  parts.emitParallel(workers, [&](Value) {
    SmallVector<Value> saved = allocateScratch(builder, loc, types, elements);
    scf::WhileOp::create(
        builder, loc, builder.getIndexType(), /*inits=*/ValueRange(),
        [&](OpBuilder &, Location, ValueRange) {
          Value number = next.take(builder);
          Value isBlock = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, number, count);
          scf::ConditionOp::create(builder, loc, isBlock, number);
        },
        [&](OpBuilder &, Location, ValueRange number) {
          emitBlock(number.front(), saved);
          scf::YieldOp::create(builder, loc);
        });
  });
  for (BlockLoops &loop : loops)
    loop.finish(count, placeOf);
}

/// Emits all blocks, one round after the other.
static void emitCut(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                    ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                    ThreadParts &parts, const RowBlocks &blocks) {
  KernelEmitter &emitter = kernels.front();
  Location loc = emitter.getLoc();
  SmallVector<Value> extents;
  for (unsigned d : blocks.dims)
    extents.push_back(emitter.getSizes()[d]);
  extents.push_back(blocks.count);
  Value count = parts.countNumbers(extents), most = emitter.index(kRoundBlocks);
  auto rounds = scf::ForOp::create(builder, loc, emitter.index(0), count, most);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rounds.getBody());
  Value begin = rounds.getInductionVar();
  Value rest = arith::SubIOp::create(builder, loc, count, begin);
  emitRound(builder, kernels, lanes, isLarge, parts, blocks, extents, begin,
            arith::MinUIOp::create(builder, loc, rest, most));
}

void mlir::scan::emitRowBlocks(OpBuilder &builder,
                               MutableArrayRef<KernelEmitter> kernels,
                               ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                               const ConvertScanToLoopsOptions &options,
                               function_ref<void()> emitWhole) {
  ThreadParts parts(builder, kernels, options);
  RowBlocks blocks(builder, kernels, lanes, parts, options);
  auto branch = scf::IfOp::create(builder, kernels.front().getLoc(),
                                  blocks.isCut, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitCut(builder, kernels, lanes, isLarge, parts, blocks);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitWhole();
}
