//===- VectorRow.h - Neighbouring steps of one row as vectors ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H

#include "KernelEmitter.h"
#include "RowVectors.h"

namespace mlir::scan {

/// i1: whether all of `leaves`, vectors or scalars, that the left fold does not
/// compute are finite numbers; null if there are no such leaves of
/// floating-point numbers. Only then they may be combined with what is before.
Value emitIsFinite(OpBuilder &builder, KernelEmitter &emitter,
                   ValueRange leaves);

/// Emits the walk along a part of one row, a tile of steps at a time.
class VectorRow {
public:
  /// A tile has `vectors` vectors of `lanes` steps. `isLarge`, which may be
  /// null, is whether outputs exceed the caches. `held` says which elements are
  /// reduced over time.
  VectorRow(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
            int64_t vectors, Value isLarge, ArrayRef<bool> held);

  /// Of steps, counted from 0 in the order of the scan.
  struct Range {
    Value begin, end;
  };
  /// Whole tiles of `steps` that can be walked so in the row of `row`, whose
  /// index along the scan dimension need not be set. What is before and behind
  /// it is walked one step after the other. The range may be empty, and then
  /// lie behind the last step.
  Range chooseRange(const Point &row, Range steps);
  /// The whole tiles of `steps` but for what shifted inputs forbid at the end:
  /// those behind another walk.
  Range chooseTiles(Range steps);
  /// The whole tiles of `steps` but for what shifted inputs forbid at both
  /// ends.
  Range chooseInnerTiles(Range steps);

  /// Lets walks take the first step of a scan without init, before which the
  /// state is anything.
  void takeFirstStep() { takesFirst = !kernel.hasInit(); }
  bool hasFirstStep() const { return takesFirst; }
  /// Lets walks of single vectors take the last steps of the row, of which
  /// there may be less than lanes; with `several`, there are likely to be whole
  /// vectors among them, which are loaded and stored without a mask.
  void takeLastSteps(bool several) {
    isPartial = true;
    hasWhole = several;
  }

  /// What one row carries from step to step: its leaves, those that are not
  /// carried too, and the totals of its reductions.
  struct Carried {
    SmallVector<Value> state, totals;
  };
  /// Emits the steps of a range one after the other, and returns what is
  /// carried behind them.
  using WalkSteps = function_ref<Carried(Range, const Carried &)>;
  /// Emits the walk over `range`, and returns what is carried behind it. Tiles
  /// that are saved are those of a companion with the same range.
  Carried walk(const Point &row, Range range, const Carried &before,
               WalkSteps walkSteps);

  /// Steps that are combined without results.
  struct Total {
    Value begin;    ///< The first of them.
    Value position; ///< The one behind the last of them.
    /// All leaves, scalars; anything if there are no steps.
    SmallVector<Value> leaves;
  };
  /// Where tiles are saved: for each leaf a buffer, in which those of one range
  /// begin at position `begin`. What is saved of each is `getSavedPart`.
  struct SavedTiles {
    SmallVector<Value> buffers;
    Value begin;
    bool exist() const { return !buffers.empty(); }
  };
  /// Tiles that a walk adds to a total meanwhile, one for each of its own as
  /// long as there are both, so that memory is read while results are written.
  struct Companion {
    Point row;
    Range range; ///< Of whole tiles; may be empty.
    Total total;
    SavedTiles saved = {}; ///< Where its tiles are saved, if they are.
  };
  /// Lets the walk add to `other`. Either range may be empty.
  void addMeanwhile(Companion &other) { companion = &other; }
  /// Makes the tiles of walks those that were saved.
  void useSavedTiles(const SavedTiles &tiles) { saved = tiles; }
  /// How many elements of a buffer the tiles of `steps` take.
  int64_t getSavedElements(int64_t steps) const {
    return steps / vectors * countSavedVectors();
  }

private:
  /// The leaves of each vector.
  using Tile = SmallVector<SmallVector<Value>>;
  /// What a tile is made of: vectors as they lie in memory, and what all of
  /// them have scanned.
  struct Scanned {
    SmallVector<Point> points;
    Tile inputs;
    /// The leaves at the steps of each lane, combined from its first step on.
    Tile steps;
    /// Where these are saved, instead of `steps`, if loops combine them; else
    /// null.
    Value savedFrom;
    /// The leaves at the last step of each lane, combined from the first lane
    /// on.
    SmallVector<Value> lanes;
    /// i1: whether there are no steps before; null if there are.
    Value isFirst;
    /// How many steps there are, an index; null if all lanes have one.
    Value count;
    /// i1: whether all lanes have one; null if that is seldom so.
    Value isWhole;
  };

  /// Moves the beginning of a long row's range to where stores are aligned, and
  /// finds out whether they can be streamed there.
  void alignStores(const Point &row, Range &range);
  /// The steps that a shifted input is outside of the row for, at its beginning
  /// and at its end.
  std::pair<int64_t, int64_t> getUnsafeSteps();
  /// The points of the tile from `step` on: lanes are in the order of memory.
  SmallVector<Point> getPoints(const Point &row, Value step);

  /// Emits the steps of `tile`, those from `step` on. `before` and the result
  /// are vectors: the state in all lanes, and totals that are still to be added
  /// up.
  Carried emitTile(const Scanned &tile, Value step, const Carried &before,
                   WalkSteps walkSteps);
  /// All but the scan over lanes: `lanes` are combined from the first step of
  /// each. With `savedFrom`, steps that loops are to combine are saved there.
  Scanned scanSteps(const Point &row, Value step, Value savedFrom = Value());
  Scanned scanTile(const Point &row, Value step, Value savedFrom = Value());
  /// Whether combines of whole vectors are loops over those of a saved tile:
  /// they take so long that it costs little to load and store in between, and
  /// the code of each takes as long to compile.
  bool isRolled() const { return vectors == kLongTileVectors; }
  /// Emits a loop over the saved vectors of a tile, in order from number
  /// `first` on. `body` gets the leaves of a vector, and what is carried, and
  /// returns the leaves that take their place and are carried if anything is.
  SmallVector<Value> forSavedSteps(
      Value savedFrom, int64_t first, ValueRange carried,
      function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body);
  /// Saves the steps of `tile`, and scans those of each lane. Returns the last
  /// ones.
  SmallVector<Value> scanSavedSteps(Scanned &tile);
  /// The leaves that are saved from `position` on.
  SmallVector<Value> loadSaved(Value position);
  void save(Value position, ValueRange leaves);
  /// Loads the inputs of `tile`, and stores its outputs.
  void loadInputs(Scanned &tile);
  void storeOutputs(const Scanned &tile, const Tile &outputs);
  bool savesLanes() const {
    return vectors != 1 && getSavedPart(kernel) == SavedPart::Lanes;
  }
  /// How many vectors are saved of a tile. A vector by itself is the scan of
  /// its lanes.
  int64_t countSavedVectors() const {
    return vectors == 1 || savesLanes() ? 1 : vectors + 1;
  }
  /// Where the vectors of the tile that is `distance` steps behind the first
  /// one are saved, in the order of `Scanned`.
  SmallVector<Value> getSavedPositions(Value distance);
  /// Scans and saves the tile from `step` on. Returns the leaves of all its
  /// steps together, scalars.
  SmallVector<Value> saveTile(const Point &row, Value step, Value distance);
  /// Whether lanes of the companion's tiles are added up one by one, and
  /// together only behind the last tile; what a loop carries are vectors then.
  bool addsLanes() const { return !companion->saved.exist(); }
  /// The vectors of the tile from `step` on, combined in any order.
  SmallVector<Value> addVectors(const Point &row, Value step);
  /// The lanes of `leaves`, combined in any order: scalars.
  SmallVector<Value> addLanes(SmallVector<Value> leaves, const Point &point);
  /// The step behind `range`, or where the walk would be behind the last tile
  /// of the companion, if that is later.
  Value getLastEnd(Range range);
  /// What a loop over the companion's tiles carries first.
  SmallVector<Value> beginCompanion();
  /// Adds the tile that the companion has where the walk has that from `step`
  /// on, if there is one, to `leaves`, and prefetches what comes later.
  SmallVector<Value> addCompanion(Value step, Value begin, ValueRange leaves);
  /// Adds what the loop has added up, `leaves`, to the companion's total.
  void endCompanion(ValueRange leaves);
  /// Emits a loop that adds all of the companion's tiles.
  void addTiles();
  /// How far ahead walks prefetch their inputs.
  static constexpr int64_t kPrefetchBytes = 2048;
  /// Prefetches the inputs that are `bytes` behind those of the tile from
  /// `step` on.
  void prefetchLater(const Point &row, Value step,
                     int64_t bytes = kPrefetchBytes);
  /// The tile that was saved.
  Scanned loadTile(const Point &row, Value step, Value distance);
  /// What is combined with the state in front, or is the first.
  SmallVector<Value> combineAfter(ValueRange state, ValueRange leaves,
                                  const Scanned &tile);
  /// Which lanes of a vector have one of the first `count` steps.
  Value getMask(Value count);
  /// The leaves at the last of `count` steps in all lanes.
  SmallVector<Value> broadcastStep(ValueRange leaves, Value count);
  /// Combines the state in front, and stores.
  Carried finishTile(const Scanned &tile, const Carried &before);
  /// The same steps one after the other.
  Carried walkAsSteps(Value step, const Carried &before, WalkSteps walkSteps);

  /// Turns vectors of neighbouring steps into vectors of which each lane has
  /// neighbouring steps, and back: transposes blocks of as many lanes as there
  /// are vectors.
  void transpose(Tile &tile);
  /// The scan of the leaves of one vector in the order of lanes.
  SmallVector<Value> scanLanes(SmallVector<Value> leaves, const Point &point);
  /// The same by a loop over the rounds, whose code has one combine.
  SmallVector<Value> scanLanesInLoop(ValueRange leaves, const Point &point);
  /// `leaves`, combined with those of `earlier` in the lanes of `mask`.
  SmallVector<Value> combineEarlier(ValueRange leaves, ValueRange earlier,
                                    Value mask, const Point &point);
  /// The leaves of lanes that are `distance` earlier in order; those that have
  /// no such lane get others'.
  SmallVector<Value> moveLater(ValueRange leaves, int64_t distance);
  /// Which lanes have one that is `distance` earlier.
  Value getHasEarlier(int64_t distance);
  /// The leaves of the last lane in all lanes.
  SmallVector<Value> broadcastLast(ValueRange leaves);
  /// What the step before each one has, for vectors as they lie in memory;
  /// `before`, the same in all lanes, at the first step.
  Tile getExclusive(const Tile &inclusive, ValueRange before);

  /// The carried leaves and the totals, and back with zeros for other leaves.
  SmallVector<Value> pack(const Carried &carried);
  Carried unpack(ValueRange packed);
  SmallVector<Value> shuffle(ValueRange a, ValueRange b,
                             ArrayRef<int64_t> lanesOfBoth);
  /// The lane that is at `place` in the order of the scan.
  int64_t getLane(int64_t place) const;
  /// The number, in the order of memory or of `Scanned::steps`, of the vector
  /// that is at `place` in the order of the scan.
  int64_t getVector(int64_t place) const {
    return isReverse ? vectors - 1 - place : place;
  }

  OpBuilder &builder;
  KernelEmitter &emitter;
  KernelOp kernel;
  Location loc;
  int64_t lanes, vectors;
  bool isReverse, takesFirst = false, isPartial = false, hasWhole = false;
  Value isLarge;
  ArrayRef<bool> held;
  /// Vectors of the inputs that do not vary along the scan dimension.
  SmallVector<SmallVector<Value>> invariants;
  SavedTiles saved;
  Companion *companion = nullptr;
  SmallVector<SmallVector<Value>> companionInvariants;
  /// Whether all vectors of the range are aligned to be streamed; may be null.
  Value streams;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H
