//===- SegmentChunk.h - The steps of a block from flag to flag --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that share the steps of packed sequences (Plan/SegmentChunks.h) have
// equal shares of the positions, but for what moves each border between two
// shares to the nearest head flag, or to an end of all steps:
//
//   share    |         |         |         |
//   flag         f  f    f                  f    f
//   chunk    |-----------|-----------------|-------
//            0           1                 3
//
// A share without a flag may leave its block nothing to do. To find its chunk,
// each warp reads the flags around both of its borders, some hundred at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SEGMENTCHUNK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SEGMENTCHUNK_H

#include "../Frame/KernelFrame.h"

namespace mlir::scan {

/// The positions of a block's first step and of the one behind its last;
/// indices, the same in all threads of the block.
struct SegmentChunk {
  Value first, end;

  /// That of chunk number `number` of a kernel that has at least one step.
  /// `lane`: the thread's index in its warp, all of which is here.
  static SegmentChunk create(ImplicitLocOpBuilder &b, KernelFrame &frame,
                             Value lane, Value number);
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SEGMENTCHUNK_H
