//===- StreamingStores.h - Stores past the caches ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store to a line that is in no cache reads the line first, and later writes
// it back: 12 bytes of traffic for a sum of f32, of which 8 are needed. Stores
// that bypass the caches need not read. They have to be aligned, and pay only
// for outputs that would not stay in the caches in any case. What another
// thread is told afterwards needs a fence in front (--scan-fence-streams).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_STREAMINGSTORES_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_STREAMINGSTORES_H

#include "KernelEmitter.h"

namespace mlir::scan {

/// Whether the outputs that hold points along `laneDim` side by side have at
/// least `options.streamingBytes` bytes together; null if that can never be.
Value emitIsLarge(OpBuilder &builder, KernelEmitter &emitter, unsigned laneDim,
                  const ConvertScanToLoopsOptions &options);

/// Of a run of points along a dimension.
struct StoreAlignment {
  /// How many points, an index, to go along before vectors of the first output
  /// are aligned to their size.
  Value points;
  /// Whether vectors of all contiguous outputs are aligned there; null if there
  /// are no contiguous outputs.
  Value isShared;
};

/// The alignment of the outputs for vectors of `point.width` points from
/// `point` on, upwards along `point.laneDim` or, with `reverse`, downwards.
StoreAlignment emitStoreAlignment(OpBuilder &builder, KernelEmitter &emitter,
                                  const Point &point, bool reverse);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_STREAMINGSTORES_H
