//===- LookBack.h - The state before a tile ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoupled look-back (Merrill and Garland, *Single-pass Parallel Prefix Scan
// with Decoupled Look-back*, 2016). The lanes of one warp look at the 32 tiles
// before their own at a time, wait until each has published something, and
// combine the aggregates back to the nearest prefix; if there is none they go
// on to the 32 tiles before. Older states are always on the left.
//
// Often the nearest prefix is near, and most of what 32 lanes read is not
// needed. Where that would be more than a small part of what the tile moves,
// fewer lanes look first; all do after that, as each further look is a wait.
//
// Which prefix is the nearest depends on timing. The bracketing of the result
// would, too; with `order = deterministic` the states are therefore folded from
// the left: ((prefix . aggregate) . aggregate) . ... As a tile's prefix is
// again that fold up to it, the fold from any prefix on has the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H

#include "../Primitives/WarpScan.h"
#include "Descriptor.h"

namespace mlir::scan {

class LookBack {
public:
  /// Emits the address of the descriptor of a tile, given by its number along
  /// the scan.
  using AddressOf = function_ref<Value(ImplicitLocOpBuilder &, Value)>;

  /// At first `firstLanes` lanes look, 1 to kWarpSize.
  LookBack(KernelOp kernel, const Descriptor &descriptor,
           const DescriptorFlags &flags, Value lane, int64_t firstLanes)
      : kernel(kernel), descriptor(descriptor), flags(flags), lane(lane),
        firstLanes(firstLanes) {}

  /// Emits the state before tile `tile`, which is not the first one: that one
  /// never publishes anything but a prefix. To be called by all lanes of a
  /// warp; all of them get the state.
  State emit(ImplicitLocOpBuilder &b, Value tile, AddressOf addressOf);

private:
  State emitTree(ImplicitLocOpBuilder &b, Value tile, AddressOf addressOf);
  State emitLeftFold(ImplicitLocOpBuilder &b, Value tile, AddressOf addressOf);
  Value getWidth(ImplicitLocOpBuilder &b, Value hasLooked);
  Descriptor::Observed observeWindow(ImplicitLocOpBuilder &b, Value nearest,
                                     Value width, AddressOf addressOf);
  Value findNearest(ImplicitLocOpBuilder &b, Value isPrefix);

  KernelOp kernel;
  const Descriptor &descriptor;
  DescriptorFlags flags;
  Value lane;
  int64_t firstLanes;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACK_H
