//===- ThreadScan.h - Scanning what one thread holds ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread holds consecutive elements in registers. Its part of a block's
// scan comes in two steps: first their total, from which the layers above
// compute the state before the thread's first element, then the scan itself,
// seeded with that state. Rematerializing partial results is cheaper than
// keeping them: the second step carries only leaves that are read.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_THREADSCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_THREADSCAN_H

#include "Combine.h"

namespace mlir::scan {

/// The combination of all `items`, of which there is at least one, from left
/// to right.
State reduceItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                  ArrayRef<State> items);

/// The states around each item of one thread.
struct ScannedItems {
  SmallVector<State> inclusive;
  /// The first one is the prefix, and means nothing where that is absent.
  SmallVector<State> exclusive;
};

/// Scans `items` after `prefix`.
ScannedItems scanItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const Prefix &prefix, ArrayRef<State> items);

/// That of `states`, of which there is at least one, with the number `item`, an
/// index; the first one if there is none.
State selectItem(ImplicitLocOpBuilder &b, ArrayRef<State> states, Value item);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_THREADSCAN_H
