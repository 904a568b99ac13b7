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
// To find them, the warps of each block read the flags around the borders, some
// hundred at a time, and leave what they have found in shared memory. Where
// sequences are so long that one chunk has many more steps than a share, blocks
// should share the columns instead of the steps.
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
  /// i1, the same in all blocks: whether no chunk has many more steps than a
  /// share.
  Value areEven;
};

/// The chunks of a kernel.
class SegmentChunkFinder {
public:
  /// Allocates shared memory in `frame`'s function.
  SegmentChunkFinder(KernelFrame &frame, const ThreadIds &ids);

  /// Chunk number `number`; an empty one where there are no steps. All threads
  /// of the block are here.
  SegmentChunk create(ImplicitLocOpBuilder &b, Value number) const;

private:
  void createBorders(ImplicitLocOpBuilder &b) const;

  KernelFrame &frame;
  ThreadIds ids;
  int64_t chunks;
  /// The positions of all borders, with both ends.
  Value borders;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SEGMENTCHUNK_H
