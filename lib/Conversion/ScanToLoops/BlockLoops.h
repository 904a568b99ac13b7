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
  BlockLoops(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
             Value isLarge);

  /// The elements, of each leaf, that the tiles of a block of `steps` take.
  int64_t getSavedElements(int64_t steps) {
    return makeTiles().getSavedElements(steps);
  }
  /// Emits a block. `saved` is where its tiles are saved.
  void walk(Value number, PlaceOf getPlace, ArrayRef<Value> saved);
  /// Emits block `current`, if `isCurrent`, whose total is usable if
  /// `isUsable`, and meanwhile the total of block `number`, if `isNext`. Behind
  /// both the state before `number` is known. Returns whether the total of
  /// `number` is usable.
  Value walkAhead(Value current, Value isCurrent, Value isUsable, Value number,
                  Value isNext, PlaceOf getPlace);
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
  Value getFirstStep(const BlockPlace &place);
  /// Emits what of the block needs no state.
  Total saveBlock(const BlockPlace &place);
  /// The same in two parts: the steps in front of the tiles, and those behind.
  VectorRow::Companion beginBlock(const BlockPlace &place);
  Total endBlock(const BlockPlace &place, VectorRow::Companion &part);
  /// Adds steps up to `end` to `total`, one after the other.
  void addSteps(Point row, VectorRow::Total &total, Value end);
  /// Emits, by `compute`, what of block `number` needs no state, and goes on
  /// until the states before and, if its total is usable, behind it are known.
  /// `compute` is told, too, whether it is called for the first time. If
  /// `isAsked` is false, that is the only one, and nothing is waited for.
  /// Returns whether the total of `number` is usable.
  Value
  computeUntilKnown(Value number, Value isAsked, PlaceOf getPlace,
                    function_ref<Total(const BlockPlace &, Value)> compute);
  /// Emits the steps of a block, before which the state is known. `isUsable` is
  /// whether its total is. If `isWalked` is false, the place has no steps, and
  /// nothing is done.
  void walkBlock(BlockPlace place, Value isWalked, Value isUsable);
  /// The total, which is usable only if nobody has begun to walk the block: to
  /// write outputs where inputs may have been.
  Total confirm(const BlockPlace &place, Total total);
  /// Hands on the state behind the block, if its total is usable. That before
  /// it has to be known.
  void handOn(const BlockPlace &place, const Total &total);
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
  Value emitNot(Value condition) {
    Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
    return arith::XOrIOp::create(builder, loc, condition, isTrue);
  }
  Value getNext(Value number) {
    return arith::AddIOp::create(builder, loc, number, emitter.index(1));
  }

  BlockChain chain;
  /// The number behind the last block whose total is not usable that a thread
  /// walks; nothing where all are.
  std::optional<Turn> begun;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKLOOPS_H
