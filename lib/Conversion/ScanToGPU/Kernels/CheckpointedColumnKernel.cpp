//===- CheckpointedColumnKernel.cpp - Columns walked there and back -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the columns of this block:
//     first walk, over the inputs that the leaves of its direction need:
//       for each tile but the last one, from the first on:
//         store the states before it, its checkpoint; total of the tile
//       store those before the last tile
//     walk back, over all inputs:
//       for each tile, from the last one on:
//         scan of the leaves of the first walk after the checkpoint;
//         scan of the others in reverse after the states that run on;
//         store the results, from the states of both
//     store finals; add up reductions over threads
//
// In both walks loads of the next tile, and of its checkpoint, are in flight
// while one is combined; what was loaded stays packed in registers. Nothing is
// written in the first walk, and no output shares memory with an input.
//
// A checkpoint is written by one group of threads and read by all of a block,
// a barrier later. Only the last tile has positions beyond the end: in the
// direction of the first walk they come last, in the other one first
// (OneTileScan).
//
//===----------------------------------------------------------------------===//

#include "../Primitives/BlockScan.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/OneTileScan.h"
#include "ColumnBlock.h"
#include "IR/OperandMemory.h"
#include "IR/SplitBidirectional.h"
#include "Plan/ColumnCheckpoints.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class CheckpointedColumns {
public:
  CheckpointedColumns(ImplicitLocOpBuilder &b, KernelFrame &frame,
                      const ColumnLayout &layout, KernelOp forward,
                      KernelOp reverse)
      : frame(frame), block(b, frame, layout), io(block.io), layout(layout),
        kernel(frame.getKernel()), forward(forward), reverse(reverse),
        checkpoints(*ColumnCheckpoints::get(kernel)),
        carried(kernel.getCarriedLeaves()),
        forwardScan(frame, forward, layout, getForward(ArrayRef(carried))),
        reverseScan(frame, reverse, layout, layout.items,
                    getReverse(ArrayRef(carried))) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  template <typename T> ArrayRef<T> getForward(ArrayRef<T> leaves) {
    return leaves.drop_back(kernel.getNumOpposite());
  }
  template <typename T> ArrayRef<T> getReverse(ArrayRef<T> leaves) {
    return leaves.take_back(kernel.getNumOpposite());
  }
  ArrayRef<bool> getKept(bool isReverse) {
    return isReverse ? getReverse(ArrayRef(carried))
                     : getForward(ArrayRef(carried));
  }
  SmallVector<Value> packStates(ArrayRef<State> states, bool isReverse);
  SmallVector<State> unpackStates(ImplicitLocOpBuilder &b, ValueRange packed,
                                  bool isReverse);
  SmallVector<State> createStarts(ImplicitLocOpBuilder &b, bool isReverse);

  void forCheckpoint(ImplicitLocOpBuilder &b, Value tile,
                     function_ref<void(Value, Type)> body);
  void storeCheckpoint(ImplicitLocOpBuilder &b, Value tile, ValueRange states);
  SmallVector<Value> loadCheckpoint(ImplicitLocOpBuilder &b, Value tile);

  SmallVector<State> emitForwardTile(ImplicitLocOpBuilder &b, Value tile,
                                     ArrayRef<State> carry, ValueRange loaded);
  void walkForward(ImplicitLocOpBuilder &b);
  SmallVector<State> emitTileBack(ImplicitLocOpBuilder &b, Value tile,
                                  ArrayRef<State> checkpoint,
                                  ArrayRef<State> carry, ValueRange loaded,
                                  bool isFull);
  SmallVector<State> walkBack(ImplicitLocOpBuilder &b);
  void storeLast(ImplicitLocOpBuilder &b, Value base,
                 ArrayRef<ScannedItems> scanned);
  void storeFirst(ImplicitLocOpBuilder &b, ArrayRef<State> states);
  void storeFinalsOf(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                     KernelOp::Direction direction);
  bool hasFinals(KernelOp::Direction direction) {
    return llvm::is_contained(kernel.getFinalDirections(), direction);
  }

  KernelFrame &frame;
  ColumnBlock block;
  ColumnIO &io;
  ColumnLayout layout;
  KernelOp kernel, forward, reverse;
  ColumnCheckpoints checkpoints;
  /// Of all leaves, which a walk carries.
  SmallVector<bool> carried;
  BlockScan forwardScan;
  OneTileScan reverseScan;
  /// Indices: how many tiles there are, and the last one.
  Value tiles, lastTile;
  /// Where the checkpoints of the block begin that are those before the first
  /// tile, and the bytes from tile to tile.
  Value pointer, tileBytes;
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The carried leaves of one direction of all columns.
SmallVector<Value> CheckpointedColumns::packStates(ArrayRef<State> states,
                                                   bool isReverse) {
  SmallVector<Value> packed;
  for (const State &state : states)
    llvm::append_range(packed, packLeaves(getKept(isReverse), state));
  return packed;
}

SmallVector<State> CheckpointedColumns::unpackStates(ImplicitLocOpBuilder &b,
                                                     ValueRange packed,
                                                     bool isReverse) {
  size_t count = packed.size() / layout.vector;
  SmallVector<State> states;
  for (int64_t column = 0; column < layout.vector; ++column)
    states.push_back(unpackLeaves(b, isReverse ? reverse : forward,
                                  getKept(isReverse),
                                  packed.slice(column * count, count)));
  return states;
}

/// The states before the first step of a direction.
SmallVector<State> CheckpointedColumns::createStarts(ImplicitLocOpBuilder &b,
                                                     bool isReverse) {
  SmallVector<State> starts;
  for (const State &init : block.createInits(b))
    starts.emplace_back(isReverse ? getReverse(ArrayRef(init))
                                  : getForward(ArrayRef(init)));
  return starts;
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

/// Calls `body` with the address and the type of each value of the thread's
/// columns in the checkpoints before tile number `tile`, in the order of
/// packStates.
void CheckpointedColumns::forCheckpoint(ImplicitLocOpBuilder &b, Value tile,
                                        function_ref<void(Value, Type)> body) {
  Value first =
      offsetPointer(b, pointer, b.createOrFold<arith::MulIOp>(tile, tileBytes));
  for (int64_t column = 0; column < layout.vector; ++column)
    for (const ColumnCheckpoints::Leaf &leaf : checkpoints.leaves) {
      int64_t bytes = getStorageBytes(leaf.type);
      Value offset =
          addConstant(b, mulConstant(b, layout.lane, layout.vector * bytes),
                      leaf.offset * layout.getColumns() + column * bytes);
      body(offsetPointer(b, first, offset), leaf.type);
    }
}

/// The threads of a column agree on its states: the first one stores them.
void CheckpointedColumns::storeCheckpoint(ImplicitLocOpBuilder &b, Value tile,
                                          ValueRange states) {
  createIf(b, compare(b, arith::CmpIPredicate::eq, layout.group, 0),
           [&](ImplicitLocOpBuilder &group) {
             forCheckpoint(group, tile, [&](Value address, Type) {
               storeElement(group, states.front(), address);
               states = states.drop_front();
             });
           });
}

SmallVector<Value> CheckpointedColumns::loadCheckpoint(ImplicitLocOpBuilder &b,
                                                       Value tile) {
  SmallVector<Value> states;
  forCheckpoint(b, tile, [&](Value address, Type type) {
    states.push_back(loadElement(b, type, address));
  });
  return states;
}

//===----------------------------------------------------------------------===//
// First walk
//===----------------------------------------------------------------------===//

/// Tiles take the two phases of the scans' shared memory in alternation, those
/// of the walk back from the phase on that the first walk has not had last.
static Value createPhase(ImplicitLocOpBuilder &b, Value number) {
  return b.createOrFold<arith::AndIOp>(number, indexConstant(b, 1));
}

/// The states after tile number `tile`, all of whose positions count and of
/// which `loaded` was loaded.
SmallVector<State> CheckpointedColumns::emitForwardTile(ImplicitLocOpBuilder &b,
                                                        Value tile,
                                                        ArrayRef<State> carry,
                                                        ValueRange loaded) {
  Value base = mulConstant(b, tile, layout.getTileSteps());
  ColumnTile::Items items =
      block.columns.unpack(b, base, loaded, forward.getLoad());
  SmallVector<State> totals;
  SmallVector<Prefix> carries;
  for (auto [ofColumn, state] : llvm::zip_equal(items.leaves, carry)) {
    totals.push_back(reduceItems(b, forward, ofColumn));
    carries.push_back({state, Value()});
  }
  SmallVector<State> after;
  for (const BlockScan::Result &column :
       forwardScan.emit(b, totals, carries, createPhase(b, tile)))
    after.push_back(column.total);
  return after;
}

void CheckpointedColumns::walkForward(ImplicitLocOpBuilder &b) {
  io.selectInputs(checkpoints.inputs);
  int64_t tileSize = layout.getTileSteps();
  Value zero = indexConstant(b, 0);
  SmallVector<Value> values =
      packStates(createStarts(b, /*isReverse=*/false), /*isReverse=*/false);
  unsigned numCarried = values.size();
  llvm::append_range(values, io.loadFirst(b, zero, io.loadNearest(b, zero)));
  values = createFor(
      b, zero, lastTile, indexConstant(b, 1), values,
      [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange current) {
        ValueRange carry = current.take_front(numCarried);
        ValueRange loaded = current.drop_front(numCarried);
        storeCheckpoint(inner, tile, carry);
        // The last tile is not looked at here, but the walk back begins with
        // it: if it is full, it will be in a cache.
        Value following =
            mulConstant(inner, addConstant(inner, tile, 1), tileSize);
        io.setFullTiles(true);
        SmallVector<Value> next = io.load(inner, following, loaded);
        SmallVector<Value> yielded = packStates(
            emitForwardTile(inner, tile,
                            unpackStates(inner, carry, /*isReverse=*/false),
                            loaded),
            /*isReverse=*/false);
        io.setFullTiles(false);
        llvm::append_range(yielded, next);
        return yielded;
      });
  storeCheckpoint(b, lastTile, ValueRange(values).take_front(numCarried));
}

//===----------------------------------------------------------------------===//
// Walk back
//===----------------------------------------------------------------------===//

/// Scans and stores tile number `tile`, from the states before it in either
/// direction; returns those after it in reverse. One that is not known to be
/// full is the last one.
SmallVector<State> CheckpointedColumns::emitTileBack(
    ImplicitLocOpBuilder &b, Value tile, ArrayRef<State> checkpoint,
    ArrayRef<State> carry, ValueRange loaded, bool isFull) {
  Value base = mulConstant(b, tile, layout.getTileSteps());
  Value length;
  if (!isFull)
    length = b.createOrFold<arith::MinUIOp>(
        b.createOrFold<arith::SubIOp>(frame.getExtent(), base),
        indexConstant(b, layout.getTileSteps()));
  Value phase = createPhase(b, addConstant(b, tile, 1));
  ColumnTile::Items items = block.columns.unpack(b, base, loaded);
  SmallVector<SmallVector<State>> ofForward, ofReverse;
  SmallVector<State> totals;
  SmallVector<Prefix> checkpointed;
  for (auto [ofColumn, state] : llvm::zip_equal(items.leaves, checkpoint)) {
    ofForward.emplace_back();
    ofReverse.emplace_back();
    for (const State &item : ofColumn) {
      ofForward.back().emplace_back(getForward(ArrayRef(item)));
      ofReverse.back().emplace_back(getReverse(ArrayRef(item)));
    }
    totals.push_back(reduceItems(b, forward, ofForward.back()));
    checkpointed.push_back({state, Value()});
  }
  SmallVector<State> inclusive = forwardScan.begin(b, totals, phase);
  OneTileScan::Begun begun = reverseScan.begin(b, ofReverse, length, phase);
  if (forwardScan.hasBarrier())
    gpu::BarrierOp::create(b);
  // By other warps in each direction, at the same time.
  if (forwardScan.isWalkedForAll())
    forwardScan.walkForAll(b, checkpointed, phase);
  if (reverseScan.isWalkedForAll())
    reverseScan.walkForAll(b, carry, phase);
  if (forwardScan.isWalkedForAll() || reverseScan.isWalkedForAll())
    gpu::BarrierOp::create(b);
  SmallVector<ScannedItems> scanned;
  SmallVector<State> after;
  for (auto [ofColumn, inTile, other] : llvm::zip_equal(
           ofForward, forwardScan.finish(b, inclusive, checkpointed, phase),
           reverseScan.finish(b, begun, carry, phase))) {
    ScannedItems states = scanItems(b, forward, inTile.prefix, ofColumn);
    for (int64_t item = 0; item < layout.items; ++item) {
      llvm::append_range(states.inclusive[item], other.items.inclusive[item]);
      llvm::append_range(states.exclusive[item], other.items.exclusive[item]);
    }
    scanned.push_back(std::move(states));
    after.push_back(other.total);
  }
  block.columns.storeResults(b, base, items, scanned);
  if (hasFinals(KernelOp::Direction::Same) &&
      (!isFull || io.getPoints().hasExactExtent()))
    storeLast(b, base, scanned);
  return after;
}

/// Returns the states after the first tile, which comes last.
SmallVector<State> CheckpointedColumns::walkBack(ImplicitLocOpBuilder &b) {
  io.selectInputs(llvm::SmallBitVector(frame.getInputs().size(), true));
  block.columns.startReductions(b);
  int64_t tileSize = layout.getTileSteps();
  Value zero = indexConstant(b, 0), base = mulConstant(b, lastTile, tileSize);
  SmallVector<Value> values =
      packStates(createStarts(b, /*isReverse=*/true), /*isReverse=*/true);
  unsigned numCarried = values.size();
  unsigned numCheckpointed = checkpoints.leaves.size() * layout.vector;
  llvm::append_range(values, loadCheckpoint(b, lastTile));
  llvm::append_range(values, io.loadFirst(b, base, io.loadNearest(b, base)));
  // The tile number `number` from the last one on, of the walk with `current`.
  auto emitTile = [&](ImplicitLocOpBuilder &inner, Value number,
                      ValueRange current, bool isFull) {
    Value tile = inner.createOrFold<arith::SubIOp>(lastTile, number);
    ValueRange carry = current.take_front(numCarried);
    ValueRange checkpoint = current.slice(numCarried, numCheckpointed);
    ValueRange loaded = current.drop_front(numCarried + numCheckpointed);
    // Behind the first tile it is that once more: nobody looks at it.
    Value one = indexConstant(inner, 1);
    Value following = inner.createOrFold<arith::SubIOp>(
        inner.createOrFold<arith::MaxUIOp>(tile, one), one);
    SmallVector<Value> next = loadCheckpoint(inner, following);
    llvm::append_range(
        next, io.load(inner, mulConstant(inner, following, tileSize), loaded));
    SmallVector<Value> yielded = packStates(
        emitTileBack(
            inner, tile, unpackStates(inner, checkpoint, /*isReverse=*/false),
            unpackStates(inner, carry, /*isReverse=*/true), loaded, isFull),
        /*isReverse=*/true);
    llvm::append_range(yielded, next);
    return yielded;
  };
  // The last tile by itself, if it may not be full: the code for the others has
  // no conditions on steps.
  bool isExact = io.getPoints().hasExactExtent();
  if (!isExact)
    values = emitTile(b, zero, values, /*isFull=*/false);
  io.setFullTiles(true);
  values = createFor(
      b, isExact ? zero : indexConstant(b, 1), tiles, indexConstant(b, 1),
      values,
      [&](ImplicitLocOpBuilder &inner, Value number, ValueRange current) {
        return emitTile(inner, number, current, /*isFull=*/true);
      });
  io.setFullTiles(false);
  block.columns.finishReductions(b);
  return unpackStates(b, ValueRange(values).take_front(numCarried),
                      /*isReverse=*/true);
}

//===----------------------------------------------------------------------===//
// Finals
//===----------------------------------------------------------------------===//

/// Stores the finals of one direction in threads that have its states: of all
/// leaves, of which those of the other direction are not looked at.
void CheckpointedColumns::storeFinalsOf(ImplicitLocOpBuilder &b,
                                        ArrayRef<State> states,
                                        KernelOp::Direction direction) {
  for (auto [column, state] : llvm::enumerate(states))
    createIf(b, io.getPoints().isActive(column),
             [&, column = column,
              state = ArrayRef(state)](ImplicitLocOpBuilder &active) {
               scan::storeFinals(active, frame,
                                 io.getPoints().createPoint(column), state,
                                 direction);
             });
}

/// In the tile that has the last step, the group that has it stores the finals
/// of the first walk's direction.
void CheckpointedColumns::storeLast(ImplicitLocOpBuilder &b, Value base,
                                    ArrayRef<ScannedItems> scanned) {
  Value last = b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), -1), base);
  Value perGroup = indexConstant(b, layout.items);
  Value owner = b.createOrFold<arith::DivUIOp>(last, perGroup);
  // In other tiles than the last, no group has so high a number.
  createIf(b, compare(b, arith::CmpIPredicate::eq, layout.group, owner),
           [&](ImplicitLocOpBuilder &inner) {
             Value item = inner.createOrFold<arith::RemUIOp>(last, perGroup);
             SmallVector<State> states;
             for (const ScannedItems &column : scanned)
               states.push_back(selectItem(inner, column.inclusive, item));
             storeFinalsOf(inner, states, KernelOp::Direction::Same);
           });
}

/// Stores the finals of the other direction, of `states` behind the first step.
void CheckpointedColumns::storeFirst(ImplicitLocOpBuilder &b,
                                     ArrayRef<State> states) {
  if (!hasFinals(KernelOp::Direction::Opposite))
    return;
  SmallVector<State> all;
  for (const State &state : states) {
    all.push_back(zeroState(b, forward));
    llvm::append_range(all.back(), state);
  }
  createIf(b, compare(b, arith::CmpIPredicate::eq, layout.group, 0),
           [&](ImplicitLocOpBuilder &group) {
             storeFinalsOf(group, all, KernelOp::Direction::Opposite);
           });
}

void CheckpointedColumns::emit(ImplicitLocOpBuilder &b) {
  ColumnBlock::Groups groups = block.createGroups(b);
  Value number = createBlockNumber(b);
  int64_t ofBlock = layout.getColumns() * checkpoints.bytes;
  tileBytes = mulConstant(b, groups.count, ofBlock);
  pointer = offsetPointer(
      b, GlobalPointer::get(b, frame.getWorkspace()).pointer,
      addConstant(b, mulConstant(b, number, ofBlock), kWorkspaceHeaderBytes));
  tiles = b.createOrFold<arith::CeilDivUIOp>(
      frame.getExtent(), indexConstant(b, layout.getTileSteps()));
  lastTile = addConstant(b, tiles, -1);
  block.forBlock(b, groups, number, [&](ImplicitLocOpBuilder &inner) {
    walkForward(inner);
    gpu::BarrierOp::create(inner);
    storeFirst(inner, walkBack(inner));
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitCheckpointedColumnKernel(RewriterBase &rewriter,
                                              ImplicitLocOpBuilder &b,
                                              KernelFrame &frame) {
  KernelOp kernel = frame.getKernel();
  KernelOp forward = cloneDirection(rewriter, kernel, /*isOpposite=*/false);
  KernelOp reverse = cloneDirection(rewriter, kernel, /*isOpposite=*/true);
  ThreadIds ids = frame.createThreadIds(b);
  ColumnLayout layout(b, frame.getPlan(), ids);
  CheckpointedColumns(b, frame, layout, forward, reverse).emit(b);
  rewriter.eraseOp(forward);
  rewriter.eraseOp(reverse);
}
