//===- BlockLoops.h - A block of a long row ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread does for one block, in the terms of RowBlocks.h.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKLOOPS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKLOOPS_H

#include "BlockChain.h"
#include "RowLoops.h"

namespace mlir::scan {

/// The block that code is emitted for.
struct BlockPlace {
  Point row;
  Value number;     ///< In its round.
  Value begin, end; ///< Its steps.
  Value isFirst;    ///< i1: whether it is the first one of its row.
  Value isLast;
};

/// Emits the place of the block that a number stands for.
using PlaceOf = function_ref<BlockPlace(Value)>;

/// The blocks of one kernel.
class BlockLoops : public RowLoops {
public:
  /// Those of a round of `count` blocks.
  BlockLoops(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
             Value isLarge, Value count);

  /// The leaves that are saved of each block, none or all.
  ArrayRef<Type> getSavedTypes() const { return savedTypes; }
  /// How many elements of each that takes for a block of `steps`.
  int64_t getSavedElements(int64_t steps) {
    return makeTiles().getSavedElements(steps);
  }
  /// A block that a thread walks or adds up.
  struct Part {
    Value number;
    Value exists;                ///< i1: whether there is one.
    VectorRow::SavedTiles saved; ///< Where what is saved of its tiles is.
  };
  /// Emits the walk along `current`, which has been added up before, as soon as
  /// the state before it is known, and meanwhile adds up `next`.
  void walk(const Part &current, const Part &next, PlaceOf getPlace);
  /// Emits what is done once all blocks of a round are, `count` of them.
  void finish(Value count, PlaceOf getPlace);

private:
  /// The first step of a block that combines something.
  Value getFirstStep(const BlockPlace &place);
  /// Emits the steps of a block in front of its tiles, and those behind them.
  VectorRow::Companion beginBlock(const BlockPlace &place,
                                  const VectorRow::SavedTiles &saved);
  void endBlock(const BlockPlace &place, VectorRow::Companion &part);
  /// Adds steps up to `end` to `total`, one after the other.
  void addSteps(Point row, VectorRow::Total &total, Value end);
  /// What is known of the state before a block.
  struct Search {
    /// The last block before which the state is known, up to this one.
    Value found;
    Value isKnown; ///< i1: whether that is the block.
  };
  /// Emits a loop that hands on states by totals that are published, up to that
  /// behind block `number`, and looks for others for a while.
  Search findState(Value number, PlaceOf getPlace);
  /// Emits the steps of a block, before which the state is known; `handsOn` is
  /// whether that behind it is not. If `isWalked` is false, the place has no
  /// steps, and nothing is done.
  void walkBlock(BlockPlace place, Value isWalked, Value handsOn);
  /// Publishes `total`, all steps of the block at `place`. If `isOthers`,
  /// another thread is to walk it, and may have begun to, and written outputs
  /// where inputs were: then nothing is published.
  void publish(const BlockPlace &place, ValueRange total, Value isOthers);
  /// Hands on the state behind the block, whose total is published, and usable.
  /// That before it has to be known.
  void handOn(const BlockPlace &place);
  /// The state before the block, which has to be known.
  SmallVector<Value> loadState(const BlockPlace &place);
  /// Emits the step of a scan without init that combines nothing.
  SmallVector<Value> startRow(const BlockPlace &place,
                              SmallVector<Value> carried);
  VectorRow makeTiles() {
    return VectorRow(builder, emitter, lanes, chooseRowVectors(emitter, lanes),
                     isLarge, held);
  }
  /// Emits what is done only if `condition` is true.
  void emitIf(Value condition, function_ref<void()> body);
  Value emitAnd(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  Value emitOr(Value a, Value b) {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value emitNot(Value condition) {
    Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
    return arith::XOrIOp::create(builder, loc, condition, isTrue);
  }
  Value getNext(Value number) {
    return arith::AddIOp::create(builder, loc, number, emitter.index(1));
  }

  BlockChain chain;
  SmallVector<Type> savedTypes;
  /// The number behind the last block whose total is not usable that a thread
  /// walks; nothing where all are.
  std::optional<Turn> begun;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKLOOPS_H
