//===- Calibration.h - What was measured of a GPU ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of the time model. A chip that was measured has a file in
// lib/Schedule/Chips, which benchmark/gpu/refit.py writes and which is compiled
// into the library. All others have the constants of the measured chip that is
// nearest, scaled to their clock: latencies on the chip are about the same
// number of cycles from one generation to the next. Times of the memory follow
// from the bandwidth of the chip itself.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_CALIBRATION_H
#define SCAN_LIB_SCHEDULE_CALIBRATION_H

#include "Target/Chips.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::scan {

class TuningCache;

/// The members are named as in the file, where times have the suffix _ns. Times
/// are nanoseconds.
struct Calibration {
  /// The chip that was measured, the product, the date (YYYY-MM-DD), the
  /// command, and the clock at which it ran in GHz.
  std::string chip, gpu, date, command;
  double clock;

  /// Until a kernel runs, and from its last store to its end. Not on the chip.
  double launch;
  /// From a load to its value.
  double load;

  /// Of the peak bandwidth, what a copy reaches; and of its share of that, how
  /// much one multiprocessor alone reaches.
  double reachableBandwidth, bandwidthOfOneSM;
  /// Of bandwidth times latency, the part in flight at which the memory runs at
  /// half of its speed; with x in flight it runs at x / (x + part).
  double halfSpeedInFlight;
  /// What an access of half a line costs more than whole lines, and one of a
  /// quarter once more: neighbours come from other blocks, mostly soon enough
  /// to be found in the L2.
  double partialLine;
  /// The same of an access along a row, whose neighbour comes from the same
  /// block, one tile later.
  double partialRowLine;
  /// Lanes that add to the same element of memory wait for each other: as if
  /// each moved so many times the bytes.
  double sameAddress;

  /// What a barrier and what comes before it takes per warp of the block; a
  /// tile besides; and per item and word of the state, which are combined one
  /// after the other.
  double warp, tile, item;
  /// From one block to the next that a multiprocessor is given: what tiny
  /// blocks are bound by.
  double block;
  /// From step to step of a thread that walks alone, per carried word.
  double step;

  /// To draw the number of a tile and to publish its state; to look back, once,
  /// a second time where more tiles are under way than a window of the
  /// look-back has, and for each further window; and from tile to tile of a
  /// row, when each waits for the one before it only.
  double ticket, lookBack, secondLookBack, lookBackWindow, chain;

  /// A stage of a persistent kernel's pipeline; and per item and instruction of
  /// the regions. How many stages it takes to fill and drain the pipeline.
  double stage, stageItem, fillStages;
  /// Bytes of cache that are left beside the largest shared memory of a
  /// multiprocessor. Loads in flight occupy cache; where shared memory leaves
  /// too little, a stage takes so many times longer.
  double spareCacheBytes, crowdedStage;

  /// Of a block whose warps have roles: until its first tile is stored; from
  /// when a tile is scanned to when the state before it is found, which several
  /// tiles may wait for at a time; what of that a look-back takes, of which
  /// there is one at a time; and of a turn, in which a warp scans a tile and
  /// stores another one, per item and instruction of the regions and per item
  /// and word that is read or written.
  double firstTile, found, lookBackOfWarp, turnInstruction, turnWord;

  /// Instructions per nanosecond of a multiprocessor, for one warp each; with
  /// so many warps half of that.
  double issueRate, halfRateWarps;
  /// So many words of state as a thread carries are worth their power of this
  /// exponent in warps: their chains of instructions are independent.
  double parallelStates;
  /// Instructions of a thread for a word that is read or written; through
  /// shared memory; for a tile; and per word for addresses of rows side by side
  /// where strides are dynamic, which are computed for each item.
  double wordInstructions, sharedInstructions, tileInstructions,
      dynamicInstructions;
  /// For a word of the state, each time that the states of a warp's lanes are
  /// combined in pairs.
  double shuffleInstructions;
  /// The cache serves one line a cycle: a warp whose lanes read a line each
  /// keeps it busy for as long as so many instructions take.
  double scatteredInstructions;
  /// Instructions of a tile for a register that has to be spilled, those that
  /// it takes for the memory to answer among them.
  double spillInstructions;

  /// How far memory, arithmetic and waiting overlap: times add up like sides of
  /// a triangle, (a^p + b^p)^(1/p), with p = 1 if one comes after the other and
  /// more if they go on at the same time. This is p where each block has one
  /// tile; what each doubling of the blocks that share a multiprocessor adds to
  /// it, as a part; p of blocks that prefetch; and p of those whose warps have
  /// roles.
  double overlap, overlapOfTwo, overlapPrefetch, overlapRoles;

  /// Reads the text of a file; the error says what was expected in it.
  static llvm::Expected<Calibration> parse(llvm::StringRef text);
  /// The same for a file with one calibration or an array of them, as
  /// benchmark/gpu/refit.py compares them.
  static llvm::Expected<SmallVector<Calibration, 0>>
  parseFile(llvm::StringRef path);

  /// An attribute "constants", as in the file.
  void printConstants(llvm::json::OStream &json) const;

  /// What these constants would be on `chip`.
  Calibration scaleTo(const Chip &chip) const;
};

/// What the cost model knows of a GPU.
struct GPUModel {
  Chip chip;
  Calibration calibration;
  /// What was measured of kernels on such GPUs; null if nothing is known.
  const TuningCache *tuning = nullptr;

  /// Whether `calibration` was measured on this chip, or on another one.
  bool isMeasured() const { return calibration.chip == chip.name; }
  /// The speed of a copy in bytes per nanosecond.
  double getReachableBandwidth() const {
    return chip.bandwidth * calibration.reachableBandwidth;
  }
};

/// The model of the chip `name`, which may have a feature suffix as in
/// "sm_90a"; null if it is not known.
const GPUModel *lookupGPUModel(llvm::StringRef name);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_CALIBRATION_H
