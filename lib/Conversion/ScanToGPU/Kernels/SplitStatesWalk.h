//===- SplitStatesWalk.h - Steps of scans that lanes share ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk of lanes that share the states of scans: which leaves it carries, and
// what it computes of a chunk of steps. A kernel in one direction has one. A
// bidirectional kernel has two. The first one is that of its own direction, and
// keeps the states before each chunk (SplitStatesCheckpoints). The second one
// walks back: of a chunk, it computes the states of the first one again, which
// stay in registers, and then goes through the steps from the last one to the
// first with the leaves of the other direction.
//
// Where the steps of a scan are divided among blocks, a walk in front of the
// kernel's own finds what those of a block add up to, and stores no results.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESWALK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESWALK_H

#include "AddedSteps.h"
#include "FactoredTotals.h"
#include "FoldedExponentials.h"
#include "SplitStatesCheckpoints.h"
#include "SplitStatesReductions.h"

namespace mlir::scan {

class SplitStatesWalk {
public:
  using Elements = SmallVector<Value>;

  enum class Kind {
    /// In the kernel's direction, and, in a bidirectional kernel, back.
    Own,
    Back,
    /// For what steps add up to, of which the state is as AddedSteps has it.
    Totals
  };
  /// `checkpoints` are those of a bidirectional kernel, else null.
  SplitStatesWalk(KernelFrame &frame, const StateSplit &split,
                  SplitStatesIO &io, SplitStatesReductions &reductions,
                  const SplitStatesCheckpoints *checkpoints, Kind kind);

  /// Whether it goes from the last chunk to the first.
  bool isBack() const { return kind == Kind::Back; }
  bool findsTotals() const { return kind == Kind::Totals; }

  /// The carried leaves of the own parts, part by part, before the first chunk.
  Elements startState(ImplicitLocOpBuilder &b);
  /// The same where the leaves of each own part are `before`, and not the init.
  Elements startStateFrom(ImplicitLocOpBuilder &b, ArrayRef<State> before);
  /// What the steps add up to of which `state` has come, of each own part.
  SmallVector<State> getPartTotals(ImplicitLocOpBuilder &b,
                                   ValueRange state) const {
    return added.finish(b, state);
  }
  void storeFinals(ImplicitLocOpBuilder &b, ValueRange state);

  /// What lanes compute of a chunk before its steps are walked, each of the
  /// steps that it owns.
  struct Shared {
    Elements load, store;
  };
  Shared computeShared(ImplicitLocOpBuilder &b, ValueRange owned) const;
  /// Loads the checkpoint that the walk of the chunk from step `t` on begins
  /// with; nothing if it needs none.
  Elements loadCheckpoint(ImplicitLocOpBuilder &b, Value t) const;

  /// A chunk of steps, from step `t` on, of which `rest` are there, all if it
  /// is null; where totals are found, whether it is the first one, i1.
  struct Chunk {
    Value t, rest, isFirst;
    Shared shared;
    Elements checkpoint;
    /// What the own parts have at a step (SplitStatesIO::joinParts).
    function_ref<Elements(ImplicitLocOpBuilder &, int64_t)> getParts;
  };
  /// Walks through a chunk, stores what outputs have of each part, and returns
  /// the state after it. Appends to `sums`, step by step, this lane's part of
  /// each of the sums over parts.
  Elements walkChunk(ImplicitLocOpBuilder &b, const Chunk &chunk,
                     ValueRange state, SmallVector<Elements> &sums);
  /// Then computes and stores the other outputs; `owned` was loaded of it.
  void storeChunk(ImplicitLocOpBuilder &b, const Chunk &chunk, ValueRange owned,
                  ArrayRef<Elements> sums);

private:
  /// Arguments of the store region, and their values.
  using LeafValues = SmallVector<std::pair<Value, Value>>;
  /// A step of a chunk, as far as it is walked: what all parts share in the
  /// load region, and of each own part the values there and the leaves.
  struct Step {
    int64_t number;
    Value inBounds;
    Elements parts;
    IRMapping load;
    SmallVector<IRMapping> loads;
    SmallVector<LeafValues> leaves;
    /// What comes of it.
    Elements sums;
    SmallVector<Elements> results;
  };

  Elements getLoadRoots();
  Elements getStoreRoots();
  llvm::iota_range<unsigned> getLeaves(bool areBack) const;
  Elements unpackPart(ImplicitLocOpBuilder &b, ValueRange carried,
                      bool areBack);
  Elements combinePart(ImplicitLocOpBuilder &b, ValueRange carried,
                       bool areBack, Value inBounds, IRMapping &ofLoad,
                       LeafValues &leaves);
  Step beginStep(ImplicitLocOpBuilder &b, const Chunk &chunk, int64_t number);
  Elements finishStep(ImplicitLocOpBuilder &b, const Shared &shared,
                      ValueRange state, Step &step);
  void storeStep(ImplicitLocOpBuilder &b, const Chunk &chunk, const Step &step,
                 SmallVector<Elements> &sums);
  Elements walkChunkBack(ImplicitLocOpBuilder &b, const Chunk &chunk,
                         ValueRange state, SmallVector<Elements> &sums);
  Elements addChunk(ImplicitLocOpBuilder &b, const Chunk &chunk,
                    ValueRange state);
  Elements computeResults(ImplicitLocOpBuilder &b, ValueRange owned,
                          int64_t group, const Shared &shared,
                          ArrayRef<Elements> sums);

  /// The carried leaves of own part `part` in those of all.
  ValueRange getPart(ValueRange state, int64_t part) const {
    size_t count = state.size() / io.getOwnParts();
    return state.slice(part * count, count);
  }

  KernelOp kernel;
  KernelFrame &frame;
  const StateSplit &split;
  SplitStatesIO &io;
  SplitStatesReductions &reductions;
  const SplitStatesCheckpoints *checkpoints;
  Kind kind;
  PartStates states;
  /// Whether this walk computes an output, and the sums over parts that it
  /// takes for these.
  SmallVector<bool> isOwn;
  FactoredTotals totals;
  /// Of the load region, and of what the store region computes for a part.
  SharedValues sharedLoad, sharedStore;
  FoldedExponentials loadExponentials, storeExponentials;
  AddedSteps added;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESWALK_H
