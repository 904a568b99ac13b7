//===- SegmentMasks.h - Head flags of the steps of a tile -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segment offsets become head flags. For each tile the block makes a mask in
// shared memory, with one bit per position of the tile: one warp searches for
// the first offset of the tile, and reads the offsets from there on, which
// takes as many loads as there are in the tile and a few more. Then each thread
// takes the bits of its items.
//
// All rows of a block have the same tile, and so the same mask.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H

#include "RowIO.h"

namespace mlir::scan {

class SegmentMasks {
public:
  /// Allocates shared memory for the masks of as many tiles at a time as the
  /// plan says, if the kernel reads segment offsets.
  SegmentMasks(KernelFrame &frame, const ThreadIds &ids);

  /// Whether there is anything to do at all. All of the below do nothing if
  /// not.
  bool any() const { return !offsetInputs.empty(); }

  /// Checks the offsets, where the kernel is to, each of them in one thread:
  /// the share of block `part` of the `parts` that call it, indices, if
  /// `condition`, an i1 that may be null, holds. All threads of the block,
  /// between `mark` and the barrier behind it: all warps but the last one would
  /// only wait there.
  void checkShare(ImplicitLocOpBuilder &b, Value part, Value parts,
                  Value condition = Value());
  /// The same for kernels in which no block gets there: in all blocks of the
  /// grid, if `condition` holds. At the end of a kernel, where no values are
  /// kept in registers meanwhile.
  void checkAll(ImplicitLocOpBuilder &b, Value condition = Value());
  /// Whether there are no tiles, an i1.
  Value createHasNoTiles(ImplicitLocOpBuilder &b);

  /// Clears the masks in buffer slot number `slot`, an index. All threads of
  /// the block; a barrier has to follow before `mark`.
  void clear(ImplicitLocOpBuilder &b, Value slot);

  /// Sets the head flags of the tile that begins at position `base`, in the
  /// last warp of the block. All threads; a barrier has to follow before
  /// `addHeadFlags`.
  void mark(ImplicitLocOpBuilder &b, Value base, Value slot);
  /// The same in two parts, for what can be done while loads are on their way:
  /// the first returns what the second takes.
  Elements beginMark(ImplicitLocOpBuilder &b, Value base);
  void finishMark(ImplicitLocOpBuilder &b, Value base, Value slot,
                  ValueRange begun);

  /// The same for a warp that marks by itself, whichever it is: all of its
  /// lanes call these, and no others.
  void clearInWarp(ImplicitLocOpBuilder &b, Value slot);
  Elements beginMarkInWarp(ImplicitLocOpBuilder &b, Value base);
  void finishMarkInWarp(ImplicitLocOpBuilder &b, Value base, Value slot,
                        ValueRange begun);

  /// Adds the head flags of each of the thread's items to its other elements,
  /// in the order of the inputs.
  void addHeadFlags(ImplicitLocOpBuilder &b, Value slot,
                    MutableArrayRef<Elements> elements);

private:
  struct SegmentOffsets {
    OperandView view;
    /// The number of its element among all of an item.
    unsigned position;
    /// Words of 32 bits, one buffer slot after another.
    Value mask;
  };

  void check(ImplicitLocOpBuilder &b, Value first, Value stride);
  bool isChecked() const {
    return llvm::any_of(offsetInputs, [](const SegmentOffsets &input) {
      return input.view.status != nullptr;
    });
  }
  Value getWord(ImplicitLocOpBuilder &b, Value slot, Value number);
  /// Clears the masks in a slot by `count` threads, of which this one has the
  /// number `thread`.
  void clearBy(ImplicitLocOpBuilder &b, Value slot, Value thread,
               int64_t count);
  /// Numbers of offsets, from one to the one before another.
  struct Range {
    Value from, to;
  };
  /// Few offsets, before which all are below `first`, and behind which none is.
  Range search(ImplicitLocOpBuilder &b, const SegmentOffsets &input,
               Value first);
  Elements loadSome(ImplicitLocOpBuilder &b, const SegmentOffsets &input,
                    const Range &range);
  Value createNumber(ImplicitLocOpBuilder &b, const Range &range, int64_t i);
  SmallVector<Value> markSome(ImplicitLocOpBuilder &b,
                              const SegmentOffsets &input, Value first,
                              Value slot, const Range &range,
                              ValueRange offsets);
  int64_t getUsual() const;
  Value createFirst(ImplicitLocOpBuilder &b, Value base);
  Value createIsMarking(ImplicitLocOpBuilder &b);
  Value loadOffset(ImplicitLocOpBuilder &b, const SegmentOffsets &input,
                   Value number);
  Value shuffle(ImplicitLocOpBuilder &b, Value value, Value lane);

  KernelFrame &frame;
  ThreadIds ids;
  int64_t items;
  SmallVector<SegmentOffsets, 0> offsetInputs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H
