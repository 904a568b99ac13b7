//===- ColumnLookBack.h - The states before a tile of columns ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LookBack is for one scan: here every lane of a group has scans of its
// own, one for each of its columns. Lanes side by side read what lies side by
// side; where they are less than a warp, the groups of the warp look at as many
// tiles at a time.
//
// The tile just before is looked at alone: where blocks of many other columns
// ran in between, it has its prefix, and nothing else is read.
//
// With `order = deterministic` a tile waits for the prefix of the one before.
// That is the left fold again, whatever the timing, and nobody reads
// aggregates.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_COLUMNLOOKBACK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_COLUMNLOOKBACK_H

#include "../Primitives/ColumnLayout.h"
#include "Descriptor.h"

namespace mlir::scan {

class ColumnLookBack {
public:
  /// Emits the address of the descriptor of a tile, given by its number along
  /// the scan, for one of the thread's columns.
  using AddressOf = function_ref<Value(ImplicitLocOpBuilder &, Value, int64_t)>;

  ColumnLookBack(KernelOp kernel, const Descriptor &descriptor,
                 const DescriptorFlags &flags, const ColumnLayout &layout)
      : kernel(kernel), descriptor(descriptor), flags(flags), layout(layout) {}

  /// Whether the states before a tile may depend on aggregates.
  static bool readsAggregates(KernelOp kernel) {
    return kernel.getOrder().value_or(Order::Any) == Order::Any;
  }

  /// Emits the states of the thread's columns before tile `tile`, which is not
  /// the first one: that one never publishes anything but prefixes. To be
  /// called by all lanes of the first warp; those of its first group get the
  /// states.
  SmallVector<State> emit(ImplicitLocOpBuilder &b, Value tile,
                          AddressOf addressOf);

private:
  /// The states of all columns, one after the other.
  struct Seen {
    Value arePrefixes;
    SmallVector<Value> states;
  };
  Seen observeIf(ImplicitLocOpBuilder &b, Value condition, Value tile,
                 AddressOf addressOf, Descriptor::Wanted wanted);
  /// combine(earlier, later) of each column, where one of them may be absent:
  /// null stands for a condition that always holds.
  SmallVector<Value> combineAll(ImplicitLocOpBuilder &b, ValueRange earlier,
                                Value hasEarlier, ValueRange later,
                                Value hasLater);
  Seen combineWindow(ImplicitLocOpBuilder &b, Seen seen, Value isWhole);
  Value isAny(ImplicitLocOpBuilder &b, Value condition);
  SmallVector<Value> emitWindows(ImplicitLocOpBuilder &b, Value tile,
                                 AddressOf addressOf);

  KernelOp kernel;
  const Descriptor &descriptor;
  DescriptorFlags flags;
  ColumnLayout layout;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_COLUMNLOOKBACK_H
