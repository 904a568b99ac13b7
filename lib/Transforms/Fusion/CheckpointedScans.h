//===- CheckpointedScans.h - A scan that recomputes another -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward pass of a scan reads all of its states, which the forward pass
// has stored. Where there are enough scans, one kernel for both moves fewer
// bytes: it keeps checkpoints and computes the states of a chunk of steps, or
// of a tile, again. Lanes may share the states of a scan
// (lib/Plan/StateCheckpoints.h), or a block has neighbouring columns
// (lib/Plan/ColumnCheckpoints.h).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_CHECKPOINTEDSCANS_H
#define SCAN_LIB_TRANSFORMS_FUSION_CHECKPOINTEDSCANS_H

#include "MergeKernels.h"

namespace mlir::scan {

/// How many independent scans there are to be at least, as far as that is
/// known: where lanes share states, and of columns.
struct LeastScans {
  int64_t shared, columns;

  /// That of two kernels.
  int64_t get(KernelOp first, KernelOp second) const;
};

/// What a scan computes again of one in the opposite direction.
struct Recomputation {
  /// The inputs of `second` that it need not read then.
  SmallVector<unsigned> inputs;
  /// Whether `second` needs something else that depends on `first`, such as a
  /// sum of what that computes over all scans: then `first` stays, and the
  /// scan of which states are computed again is a repetition of it.
  bool isRepeated = false;

  /// That of what `second` reads of `first`.
  static Recomputation get(KernelOp first, KernelOp second);
};

/// Why `second`, which scans in the opposite direction, does not compute
/// `what` of the results of `first` again; empty if it should.
std::string findCheckpointObstacle(RewriterBase &rewriter, KernelOp first,
                                   KernelOp second, const LeastScans &least,
                                   const Recomputation &what,
                                   MergeFactsCache &cache);

/// Makes a repetition of `first` in front of `second` that computes the
/// inputs `inputs` of `second`, and nothing else.
KernelOp repeatScan(RewriterBase &rewriter, KernelOp first, KernelOp second,
                    ArrayRef<unsigned> inputs);

/// How many independent scans `kernel` has, as far as that is known.
int64_t getStaticScans(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_CHECKPOINTEDSCANS_H
