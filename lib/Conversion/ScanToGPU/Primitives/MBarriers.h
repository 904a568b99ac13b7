//===- MBarriers.h - Barriers of warps with roles ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of a warp-specialized block pass tiles on to each other through
// mbarriers in shared memory (PTX ISA, "mbarrier", from sm_90 on): some arrive,
// others wait. A phase is complete once all that are expected have arrived and
// the bulk copies that it was told of have delivered their bytes; then the next
// one begins. What was written before an arrival is seen behind the wait.
//
// The tiles of a block go round a ring of buffer slots, and each slot has a
// barrier of each kind. The first tile of a slot completes phase 0 of these,
// the next one phase 1, and so on; whoever waits knows the parity.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_MBARRIERS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_MBARRIERS_H

#include "../Frame/KernelFrame.h"

namespace mlir::scan {

/// The `!llvm.ptr<3>` to shared memory at `address`, an index.
Value createSharedPointer(ImplicitLocOpBuilder &b, Value address);

/// In one thread: begins to copy `bytes`, a multiple of 16, from `source` in
/// global memory (`!llvm.ptr<1>`) to `target` in shared memory
/// (`!llvm.ptr<3>`), both aligned to 16 bytes. They count for the phase in
/// progress of the mbarrier at `barrier`.
void copyBulk(ImplicitLocOpBuilder &b, Value target, Value source,
              int64_t bytes, Value barrier);

/// What threads have written to shared memory, as far as this one knows of it
/// by a barrier, comes before the bulk copies to there that it begins next, and
/// those of threads that learn of this.
void fenceBeforeBulkCopies(ImplicitLocOpBuilder &b);

/// A place in the ring: an index, and the parity of its phase, an i32.
struct RingPosition {
  Value slot, phase;

  static RingPosition first(ImplicitLocOpBuilder &b);
  /// The next one in a ring of `stages`.
  RingPosition next(ImplicitLocOpBuilder &b, int64_t stages) const;
};

class MBarriers {
public:
  /// What is waited for at a slot.
  enum Kind : int64_t {
    /// Its tile is there, and the tile's segment mask, or its ticket is that of
    /// none.
    Loaded,
    /// The warps have scanned their parts of the tile.
    Scanned,
    /// What it adds up to is published.
    Published,
    /// The state before the tile is found.
    Found,
    /// The tile is stored: the slot may be filled again.
    Stored,
    /// Where there are segment masks: which tile will be there is known.
    Drawn
  };

  /// Allocates those of all stages in `frame`'s function, as planned.
  MBarriers(KernelFrame &frame);

  /// Whether there is one of the kind.
  bool has(Kind kind) const { return kind < numKinds; }

  /// In one thread, in front of a barrier of the block: `scanning` warps arrive
  /// when they have scanned and stored a tile; at the others one thread does,
  /// and another one when it has made a tile's segment mask.
  void init(ImplicitLocOpBuilder &b, int64_t scanning);

  /// In one thread: arrives. With `bytes`, as many have to be copied, too.
  void arrive(ImplicitLocOpBuilder &b, Kind kind, const RingPosition &at);
  void arriveExpecting(ImplicitLocOpBuilder &b, Kind kind,
                       const RingPosition &at, int64_t bytes);
  /// Waits until the phase is complete.
  void wait(ImplicitLocOpBuilder &b, Kind kind, const RingPosition &at);
  /// Waits until the phase before is complete: that of phase 0 always is.
  void waitForPrevious(ImplicitLocOpBuilder &b, Kind kind,
                       const RingPosition &at);

  Value getPointer(ImplicitLocOpBuilder &b, Kind kind, Value slot);

private:
  void waitForParity(ImplicitLocOpBuilder &b, Kind kind, Value slot,
                     Value parity);

  int64_t stages, numKinds;
  Value buffer;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_MBARRIERS_H
