//===- SplitStatesTiles.h - Chunks in shared memory -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of a warp whose lanes share the states of scans, chunk by chunk
// through shared memory (StateTiles). What the parts have of a step is loaded
// once for all scans of the warp, and a load's latency is hidden by more than
// one chunk without a register for each element.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTILES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTILES_H

#include "../Primitives/Reductions.h"
#include "../Primitives/VectorAccess.h"
#include "Plan/StateTiles.h"

namespace mlir::scan {

class SplitStatesTiles {
public:
  /// For warps of which `lanes` lanes share each scan. `getInvariant` has the
  /// elements of an input that does not vary along the scan dimension, by its
  /// number: those that shifted inputs continue with.
  SplitStatesTiles(ImplicitLocOpBuilder &b, KernelFrame &frame,
                   StateTiles tiles, const LaneGroup &lanes, Value scanLane,
                   Value warp,
                   llvm::function_ref<ArrayRef<Value>(unsigned)> getInvariant);

  /// Whether there are elements of parts of fewer bits than a register has.
  bool hasNarrowParts() const {
    return llvm::any_of(tiles.inputs, [&](const StateTiles::Input &input) {
      return hasParts(input) &&
             getStorageBytes(input.stored) < int64_t(sizeof(int32_t));
    });
  }
  /// i1: whether the rows of all inputs are aligned, and the scans of each warp
  /// are side by side.
  Value createHasRows(ImplicitLocOpBuilder &b);
  /// From now on only what the load region uses is there, as far as inputs fill
  /// all pieces that lanes load at a time, or everything.
  void setOnlyLoaded(bool only) { onlyLoaded = only; }
  /// Begins with the scans of which the first one is at `point`.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> point);

  /// Loads this lane's pieces of the whole chunk from step `t` on, and stores
  /// them into the slot of chunk number `chunk`, an index.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value t) const;
  void store(ImplicitLocOpBuilder &b, ValueRange pieces, Value chunk);
  /// Of the chunk from step `t` on, at the own steps, the inputs that have one
  /// number for all scans, which are not in shared memory.
  SmallVector<Value> loadOfSteps(ImplicitLocOpBuilder &b, Value t) const;

  /// Of chunk number `chunk`, which begins with step `t`, the elements at the
  /// own steps, as SplitStatesIO::loadOwned has them; at step `step` those of
  /// the own parts, as SplitStatesIO::loadParts has them. `ofSteps` are those
  /// that loadOfSteps has loaded for the chunk.
  SmallVector<Value> readOwned(ImplicitLocOpBuilder &b, Value chunk, Value t,
                               ValueRange ofSteps);
  SmallVector<Value> readParts(ImplicitLocOpBuilder &b, Value chunk,
                               int64_t step);

private:
  /// Pieces of a lane: those that are as many apart as a warp has lanes.
  int64_t getRounds() const {
    return llvm::divideCeil(tiles.pieces, kWarpSize);
  }
  int64_t getSteps() const { return frame.getSchedule().getItems(); }
  bool hasParts(const StateTiles::Input &input) const {
    return frame.getInputs()[input.number].numElements != 1;
  }
  bool isUsed(const StateTiles::Input &input) const;
  bool isRoundUsed(int64_t round) const;
  Value getBuffer(ImplicitLocOpBuilder &b, Type type);
  Value createSlot(ImplicitLocOpBuilder &b, Value chunk, int64_t piece,
                   int64_t unit) const;

  KernelFrame &frame;
  StateTiles tiles;
  LaneGroup lanes;
  Value scanLane, warp, lane;
  SmallVector<GlobalPointer> pointers;
  /// Of each input that is shifted what it continues with; else none.
  SmallVector<SmallVector<Value>> boundaries;
  /// Of each input that has one number per step where that of index 0 is, and
  /// the bytes from one to the next.
  SmallVector<std::pair<Value, Value>> stepPointers;
  /// The shared memory, in bytes.
  Value bytes;
  bool onlyLoaded = false;
  /// What this lane loads in each round: the address of its piece at index 0
  /// along the scan dimension, the bytes from index to index, the step of the
  /// chunk, and, if any input is shifted, by how many indices this one is.
  struct Piece {
    Value pointer, indexBytes, step, shift;
  };
  SmallVector<Piece> pieces;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTILES_H
