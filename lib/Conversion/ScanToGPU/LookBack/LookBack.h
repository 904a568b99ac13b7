//===- LookBack.h - The states before a tile --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoupled look-back (Merrill and Garland, *Single-pass Parallel Prefix Scan
// with Decoupled Look-back*, 2016). The groups of one warp examine as many
// tiles before their own at a time, a window, wait until each has published
// something, and combine the aggregates back to the nearest prefix; if there is
// none they go on to the window before. Older states are always on the left. A
// row has one scan, and each lane examines a tile; of columns every lane of a
// group has scans of its own, and lanes side by side read descriptors side by
// side.
//
// Often the nearest prefix is near, and most of what a whole warp reads is not
// needed: the first window may be smaller (the plan says why). All groups take
// part in those after it, as each further window is a wait.
//
// Which prefix is the nearest depends on timing. The bracketing of the result
// would, too; with `order = deterministic` the states are therefore folded from
// the left: ((prefix . aggregate) . aggregate) . ... As a tile's prefix is
// again that fold up to it, the fold from any prefix on has the same bits. A
// block with many scans waits for the prefix of the tile before, which is the
// same fold, and its aggregates are never read.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H

#include "../Primitives/ScanLanes.h"
#include "Descriptor.h"
#include <functional>

namespace mlir::scan {

class LookBack {
public:
  /// Emits the address of the descriptor of a tile, given by its number along
  /// the scan, for one of the thread's scans.
  using AddressOf =
      std::function<Value(ImplicitLocOpBuilder &, Value, int64_t)>;

  /// The first window has `firstTiles` tiles, at most as many as a warp has
  /// groups. `own` are the aggregates of the tile that looks back.
  LookBack(KernelOp kernel, const Descriptor &descriptor,
           const DescriptorFlags &flags, const ScanLanes &lanes,
           int64_t firstTiles, ArrayRef<State> own, AddressOf addressOf)
      : kernel(kernel), descriptor(descriptor), flags(flags), lanes(lanes),
        firstTiles(firstTiles), own(own), addressOf(addressOf) {}

  /// Whether the states before a tile may depend on aggregates.
  static bool readsAggregates(KernelOp kernel, const ScanLanes &lanes) {
    return lanes.getScans() == 1 || !isDeterministic(kernel);
  }

  /// Emits the states of the thread's scans before tile `tile`, which is not
  /// the first one: that one never publishes anything but prefixes. To be
  /// called by all lanes of the first warp; those of its first group get the
  /// states.
  SmallVector<State> emit(ImplicitLocOpBuilder &b, Value tile);

private:
  /// The states of all scans of the thread, one after the other, and an i1.
  struct Seen {
    Value arePrefixes;
    SmallVector<Value> states;
  };
  static bool isDeterministic(KernelOp kernel) {
    return kernel.getOrder().value_or(Order::Any) != Order::Any;
  }
  SmallVector<Value> emitWindows(ImplicitLocOpBuilder &b, Value tile);
  SmallVector<Value> emitLeftFold(ImplicitLocOpBuilder &b, Value tile);
  Seen observeIf(ImplicitLocOpBuilder &b, Value condition, Value tile,
                 Descriptor::Wanted wanted, Value otherwise = Value());
  Value createInWindow(ImplicitLocOpBuilder &b, Value width);
  Seen observeWindow(ImplicitLocOpBuilder &b, Value nearest, Value inWindow,
                     Value isDone);
  Seen combineWindow(ImplicitLocOpBuilder &b, Seen seen, int64_t width);
  SmallVector<Value> combineAll(ImplicitLocOpBuilder &b, ValueRange earlier,
                                Value hasEarlier, ValueRange later);
  SmallVector<Value> createZeroStates(ImplicitLocOpBuilder &b);
  Value isAny(ImplicitLocOpBuilder &b, Value condition);
  Value findNearest(ImplicitLocOpBuilder &b, Value isPrefix);

  KernelOp kernel;
  const Descriptor &descriptor;
  DescriptorFlags flags;
  ScanLanes lanes;
  int64_t firstTiles;
  SmallVector<State> own;
  AddressOf addressOf;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H
