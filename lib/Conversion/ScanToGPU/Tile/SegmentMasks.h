//===- SegmentMasks.h - Where walks start in a tile -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of starts, as the strategy row reads them. For each tile the block
// makes a mask in shared memory, with one bit per position of the tile: one
// warp finds the first offset of the tile, and walks the list from there on,
// which takes as many reads as there are starts in the tile and a few more.
// Then each thread takes the bits of its items.
//
// All rows of a block have the same tile, and so the same mask.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H

#include "RowIO.h"

namespace mlir::scan {

class RowStarts {
public:
  /// Allocates shared memory for the masks of as many tiles at a time as the
  /// plan says, if the kernel reads lists of starts.
  RowStarts(KernelFrame &frame, const ThreadIds &ids);

  /// Whether there is anything to do at all. All of the below do nothing if
  /// not.
  bool any() const { return !lists.empty(); }

  /// Clears the masks of place number `place`, an index. All threads of the
  /// block; a barrier has to follow before `mark`.
  void clear(ImplicitLocOpBuilder &b, Value place);

  /// Marks the starts of the tile that begins at position `base`, in the last
  /// warp of the block. All threads; a barrier has to follow before `addTo`.
  void mark(ImplicitLocOpBuilder &b, Value base, Value place);

  /// Puts what the lists say of each of the thread's items among its other
  /// elements, in the order of the inputs.
  void addTo(ImplicitLocOpBuilder &b, Value place,
             MutableArrayRef<Elements> elements);

private:
  struct List {
    OperandView view;
    /// The number of its element among all of an item.
    unsigned position;
    /// Words of 32 bits, place after place.
    Value mask;
  };

  Value getWord(ImplicitLocOpBuilder &b, Value place, Value number);
  /// Two offsets with few between them, of which one is below `first` and the
  /// other is not.
  struct Range {
    /// Their numbers in the list: -1 in front of all, or one behind the last.
    Value low, high;
    /// The latter offset; the extent behind the last.
    Value highOffset;
  };
  Range search(ImplicitLocOpBuilder &b, const List &list, Value first);
  void markList(ImplicitLocOpBuilder &b, const List &list, Value first,
                Value place);
  Value loadOffset(ImplicitLocOpBuilder &b, const List &list, Value number);
  Value shuffle(ImplicitLocOpBuilder &b, Value value, int64_t lane);

  KernelFrame &frame;
  ThreadIds ids;
  int64_t items;
  SmallVector<List, 0> lists;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_SEGMENTMASKS_H
