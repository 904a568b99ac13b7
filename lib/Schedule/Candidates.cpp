//===- Candidates.cpp - The schedules that are worth an estimate ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"
#include "IR/StepsRange.h"
#include "Plan/ColumnCheckpoints.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "Plan/SegmentChunks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Rows side by side are for short ones.
static constexpr int64_t kFewTiles = 4;

/// Items of a thread, of rows of narrow elements; of others they are fewer.
static constexpr unsigned kMostNarrowItems = 32;

/// Of warp-specialized kernels: tiles of a row and of a multiprocessor at the
/// least, on average; stages, of which
/// fewer leave a look-back too little time and more bring nothing; and bytes
/// that a thread loads at most: linear pairs with 28 items of 8 bytes took 1.15
/// times as long as with 20; and those of a step of narrow elements.
static constexpr int64_t kFewestTilesOfRow = 16, kFewestRatedStages = 4,
                         kMostRatedStages = 10, kMostBytesOfThread = 176,
                         kMostBytesOfNarrow = 8;
static constexpr double kFewestTilesOfSM = 0.75;

/// Of scans over the grid of which lanes share states: warps of a
/// multiprocessor without it and with it at the most, and states that a lane
/// goes through in a chunk at the least and at the most.
static constexpr double kFewWarps = 4, kMostWarps = 16;
static constexpr unsigned kLeastOfChunk = 32, kMostOfChunk = 64;

/// Of blocks that share the steps of packed sequences: how many there are for
/// the same columns, and for a multiprocessor, at the most; and steps that each
/// has at the least, as sequences may be some hundred steps long. Where they
/// are longer than shares, each block has a part of the columns, too narrow a
/// one if there are many blocks.
static constexpr unsigned kMostRatedChunks = 8;
static constexpr int64_t kMostChunksOfSM = 4, kLeastOfShare = 1024;

/// Bytes of the widest access.
static constexpr int64_t kMaxAccessBytes = 16;

SmallVector<Candidate> Candidates::take() {
  if (addBidirectional())
    return std::move(candidates);
  // Without such lanes one that computes states again would be split.
  if (kernel.isBidirectional() && rater.getSplit()) {
    addEvenIfSpilling([&] { addSharedStates(); });
    return std::move(candidates);
  }
  // The same of columns.
  if (kernel.isBidirectional() && ColumnCheckpoints::get(kernel)) {
    addEvenIfSpilling([&] { addColumns(); });
    return std::move(candidates);
  }
  addSequential();
  addThreadPerRow();
  if (kernel.getOrder() != Order::Sequential) {
    addRows();
    addColumns();
  }
  return std::move(candidates);
}

void Candidates::add(ScheduleAttr schedule) {
  std::optional<Candidate> candidate = rater.rate(facts, schedule, most);
  if (!candidate)
    return;
  if (onlyBest)
    most = std::min(most, kDistinct * candidate->estimate.nanoseconds);
  candidates.push_back(*candidate);
}

/// Where all schedules that `addAll` adds may spill, those are added that are
/// estimated to take about the fewest registers: estimates of such kernels are
/// high rather than low.
void Candidates::addEvenIfSpilling(function_ref<void()> addAll) {
  rater.forgetRejected();
  addAll();
  if (!candidates.empty())
    return;
  rater.admitSpills();
  addAll();
}

/// The schedule under which a bidirectional kernel reads its inputs
/// once; false if there is none. Under any other it is split.
bool Candidates::addBidirectional() {
  StepsRange range = getStepsRange(kernel);
  if (!kernel.isBidirectional() || kernel.getOrder() == Order::Sequential ||
      !range.isLimited())
    return false;
  // Without extents it has to be right for all of them.
  int64_t extent =
      facts.isExtentAssumed ? range.most : std::min(facts.extent, range.most);
  if (!facts.isExtentStatic)
    extent = std::max<int64_t>(extent, 1);
  if (std::optional<ScheduleAttr> schedule = getOneTileSchedule(kernel, extent))
    add(*schedule);
  return !candidates.empty();
}

void Candidates::addSequential() {
  for (unsigned threads : {128, 64, 32})
    for (unsigned items : {16, 8, 4, 2, 1}) {
      if (!facts.isExtentAssumed && items > 1 && items > facts.extent)
        continue;
      add(rater.getSchedule(Strategy::Sequential, threads, items));
    }
  addSharedStates();
}

void Candidates::addSharedStates() {
  const std::optional<StateSplit> &split = rater.getSplit();
  if (!split || kernel.getOrder() == Order::Sequential)
    return;
  bool isForward = !kernel.isBidirectional() && facts.reductions.empty() &&
                   llvm::none_of(facts.operands, [](const auto &operand) {
                     return !operand.isInput && operand.words > 1;
                   });
  // The fewer lanes share a scan, the less they have to exchange. Warps have
  // nothing to do with each other: blocks of one are divided the most evenly.
  for (unsigned lanes : {16, 8, 4, 2, 1})
    for (unsigned threads : {32, 64, 128, 256})
      for (unsigned items : {4, 8, 16, 32, 2}) {
        unsigned sharing = kWarpSize / lanes;
        // What is left before sm_90 for a walk back of many arrays.
        if (items == 2 &&
            (!kernel.isBidirectional() || gpu.chip.computeCapability >= 90))
          continue;
        // A lane with many states had 8 steps in less time than 4, whatever the
        // number of scans; sums over scans, and outputs of each state, leave no
        // registers for them.
        unsigned own = split->parts / sharing;
        if (isForward && own >= 8 && items * own < 64)
          continue;
        if (split->parts % sharing == 0 && items % sharing == 0)
          add(rater.getSchedule(Strategy::Sequential, threads, items,
                                /*rows=*/1, lanes));
      }
  if (getTilesOfStatesProblem(kernel).empty())
    addTilesOfStates(split->parts, isForward);
}

/// Blocks, or the warps of one, share the steps of scans that are too few for
/// all multiprocessors. A kernel that has sums over scans, or outputs of each
/// state, and is not `isForward` has registers for fewer steps and states at a
/// time.
void Candidates::addTilesOfStates(int64_t parts, bool isForward) {
  for (unsigned lanes : {16, 8, 4})
    for (unsigned items : {16, 8, 4}) {
      if (isForward ? lanes < 8 || items < 8 : items > 8)
        continue;
      unsigned sharing = kWarpSize / lanes;
      unsigned own = parts / sharing;
      if (parts % sharing != 0 || items % sharing != 0 ||
          items * own < kLeastOfChunk / (isForward ? 1 : 2) ||
          items * own > kMostOfChunk)
        continue;
      double warpsOfSM =
          double(llvm::divideCeil(facts.batch, lanes)) / gpu.chip.numSMs;
      if (warpsOfSM > kFewWarps)
        continue;
      // There are enough for all multiprocessors, and steps for all.
      auto isFit = [&](unsigned tiles) {
        return warpsOfSM * tiles >= 1 && warpsOfSM * tiles <= kMostWarps &&
               facts.extent >= int64_t(tiles) * 2 * items;
      };
      for (unsigned blocks = 4; blocks <= 1024; blocks *= 2)
        if (isFit(blocks))
          add(rater.getSchedule(Strategy::Sequential, /*threads=*/32, items,
                                /*rows=*/1, lanes, /*vector=*/1, Scope::Grid,
                                blocks));
      // Warps of a block need no workspace. Each scheduler of a multiprocessor
      // has as many.
      for (unsigned warps : {4, 8, 12, 16})
        if (isFit(warps))
          add(rater.getSchedule(Strategy::Sequential, kWarpSize * warps, items,
                                /*rows=*/1, lanes, /*vector=*/1, Scope::Block,
                                /*blocks=*/0, /*stages=*/0, warps));
    }
}

/// Where time is innermost in memory, and steps have one order.
void Candidates::addThreadPerRow() {
  if (kernel.getOrder() != Order::Sequential)
    return;
  for (unsigned threads : {32, 64, 128})
    for (unsigned items : {16, 32, 8, 4}) {
      if (!facts.isExtentAssumed && items > facts.extent)
        continue;
      add(rater.getSchedule(Strategy::Row, threads, items, /*rows=*/threads));
    }
}

void Candidates::addRows() {
  auto addRow = [&](unsigned threads, unsigned items, unsigned rows,
                    Scope scope) {
    add(rater.getSchedule(Strategy::Row, threads, items, rows, /*lanes=*/32,
                          /*vector=*/1, scope));
  };
  // More items of narrow elements come in as many loads.
  bool isNarrow = llvm::all_of(facts.operands, [](const auto &operand) {
    return !operand.isVarying || operand.elementBytes < 4;
  });
  for (unsigned threads : {128, 256, 512, 64, 32})
    for (unsigned items : {16, 8, 32, 24, 12, 4, 2, 1}) {
      bool isForNarrow = items == kMostNarrowItems;
      if (isForNarrow && !isNarrow)
        continue;
      // No larger tile than the row.
      int64_t half = int64_t(threads) * items / 2;
      if (threads == 32 && 2 * half < facts.extent && items > 1)
        continue;
      bool isTooLarge = !facts.isExtentAssumed && half >= facts.extent;
      if (!isTooLarge || (threads == 32 && items == 1))
        addRow(threads, items, 1, Scope::Block);
      if (half < facts.extent && !isForNarrow)
        addRow(threads, items, 1, Scope::Grid);
    }
  // Persistent kernels: one block per multiprocessor, tiles scheduled
  // dynamically.
  for (unsigned threads : {512, 640, 384, 256})
    for (unsigned items : {24, 32, 20, 16, 12, 8})
      if (facts.batch * facts.extent > gpu.chip.numSMs * threads * items)
        add(rater.getSchedule(Strategy::Row, threads, items, /*rows=*/1,
                              /*lanes=*/32, /*vector=*/1, Scope::Grid,
                              /*blocks=*/gpu.chip.numSMs));
  addWarpSpecialized();
  // Short rows side by side.
  for (unsigned threads : {128, 256})
    for (unsigned items : {8, 4, 2, 1, 16})
      for (unsigned rows = 2; rows <= threads; rows *= 2) {
        int64_t tile = int64_t(threads) / rows * items;
        if (!facts.isExtentAssumed && tile / 2 < facts.extent &&
            tile * kFewTiles > facts.extent)
          addRow(threads, items, rows, Scope::Block);
      }
}

/// Persistent kernels whose warps have roles, with as many stages as shared
/// memory has room for. Where rows have few tiles, the last one of each, which
/// threads load, is too large a part.
void Candidates::addWarpSpecialized() {
  if (gpu.chip.computeCapability < kBulkCopyCapability)
    return;
  // Bytes of a step that are copied to shared memory. Those of results are
  // mostly in their place.
  int64_t bytes = 0, widest = 1;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isInput) {
      bytes += operand.elementBytes;
      widest = std::max(widest, operand.elementBytes);
    }
  if (bytes == 0)
    return;
  // Of those that are estimated alike the first one is taken. Tiles of 320
  // threads are ahead of others in sums and linear pairs; 2x2 matrices of 2^22
  // took 1.08 times as long as with 384.
  for (unsigned threads : {320, 256, 384, 512, 576, 192})
    for (unsigned vectors : {7, 5, 3, 9}) {
      if (threads == 320 && bytes > kMostBytesOfNarrow)
        continue;
      int64_t items = vectors * kMaxAccessBytes / widest;
      int64_t steps = int64_t(threads) * items;
      // Of more flags than a word has bits lanes read the same banks.
      if (items == 0 || items * bytes > kMostBytesOfThread ||
          (kernel.hasSegmentOffsets() && items > kMaskWordBits) ||
          facts.extent < kFewestTilesOfRow * steps ||
          facts.batch * facts.extent <
              kFewestTilesOfSM * gpu.chip.numSMs * steps)
        continue;
      // The rest of shared memory may take a stage.
      int64_t fit = gpu.chip.maxSharedPerBlock / (steps * bytes);
      for (int64_t stages : {fit, fit - 1})
        if (stages >= kFewestRatedStages)
          add(rater.getSchedule(
              Strategy::Row, threads + ScheduleAttr::kRoleThreads, items,
              /*rows=*/1, /*lanes=*/32, /*vector=*/1, Scope::Grid,
              /*blocks=*/gpu.chip.numSMs, std::min(stages, kMostRatedStages)));
    }
}

/// Columns of packed sequences by blocks that share the steps: for fewer
/// columns than there are multiprocessors for, or wider pieces of them.
void Candidates::addSegmentChunks(unsigned threads, unsigned items,
                                  unsigned lanes, unsigned vector) {
  int64_t groups = llvm::divideCeil(facts.batch, int64_t(lanes) * vector);
  for (unsigned blocks = 2; blocks <= kMostRatedChunks; blocks *= 2)
    if (groups * blocks <= kMostChunksOfSM * gpu.chip.numSMs &&
        facts.extent >= blocks * kLeastOfShare)
      add(rater.getSchedule(Strategy::Column, threads, items, /*rows=*/1, lanes,
                            vector, Scope::Block, blocks));
}

void Candidates::addColumns() {
  bool isBack = kernel.isBidirectional();
  bool areChunks = SegmentChunks::get(kernel).has_value();
  if (facts.batch < 2 && !isBack)
    return;
  int64_t widest = 1;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isContiguousAcross)
      widest = std::max(widest, operand.elementBytes);
  // Elements wider than an access, as those of unrolled kernels are, come in
  // several: one column at a time is a candidate always.
  widest = std::min(widest, kMaxAccessBytes);
  // Neighbouring columns come in one access only where rows keep them aligned.
  std::optional<unsigned> inner = getInnerDim(kernel);
  int64_t columns = inner ? kernel.getStaticDomainShape()[*inner] : 1;
  // Columns that are walked there and back are many. Of the derivatives of
  // RG-LRU and Griffin on an H100, kernels with fewer lanes than a warp has
  // were slower, by 1.04 times and up to 3.
  unsigned lanesBack = 32;
  while (!ShapedType::isDynamic(columns) && lanesBack > 8 &&
         lanesBack >= 2 * columns)
    lanesBack /= 2;
  // Such kernels take many registers: of 192 threads there is room for two
  // blocks where there is for one of 256, and for one of 384 where there is not
  // for one of 512.
  SmallVector<unsigned> threadsOfColumns = {256, 512, 128};
  if (isBack)
    threadsOfColumns.append({192, 384});
  auto mayBeVectorized = [&](unsigned vector) {
    return ShapedType::isDynamic(columns) || columns % vector == 0;
  };
  for (unsigned lanes : {32, 16, 8})
    for (unsigned vector = 1;
         vector * widest <= kMaxAccessBytes && mayBeVectorized(vector);
         vector *= 2)
      for (unsigned threads : threadsOfColumns)
        // One item each is what is left for states that fill the registers.
        for (unsigned items : {8, 4, 16, 2, 1})
          for (Scope scope : {Scope::Block, Scope::Grid}) {
            if (isBack && (scope == Scope::Grid || lanes != lanesBack))
              continue;
            int64_t across = int64_t(lanes) * vector;
            // A block has neighbours in memory: half of it would be idle.
            bool isIdle =
                !ShapedType::isDynamic(columns) && across >= 2 * columns;
            if (!isBack && (across > facts.batch || isIdle) && across > 8)
              continue;
            // Blocks share columns only where there are too few for all blocks.
            bool isFew = facts.batch <= (gpu.chip.numSMs - 1) * across;
            int64_t half = int64_t(threads) / lanes * items / 2;
            if (scope == Scope::Grid && (!isFew || half >= facts.extent))
              continue;
            add(rater.getSchedule(Strategy::Column, threads, items,
                                  /*rows=*/1, lanes, vector, scope));
            if (scope == Scope::Block && areChunks)
              addSegmentChunks(threads, items, lanes, vector);
          }
}
