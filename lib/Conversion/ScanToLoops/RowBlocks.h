//===- RowBlocks.h - Rows in blocks that follow each other ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are few long rows, threads share each of them. It is cut into
// blocks that fit into a second-level cache, which threads take in order:
//
//   waiting = no blocks, number = next++
//   while there is one of both
//     current = the first of waiting, if that is full
//     while the state before current is not known
//       state behind each block = combine(state before it, its total), for
//       totals that are published
//       if one is not for a while, compute and publish it
//     scan current from its state on                   reads the cache, writes
//       meanwhile total = all steps of number          reads memory
//     publish the total
//     append number to waiting, number = next++
//
// So each core reads and writes at a time, as along a whole row; where combines
// take long, one comes after the other. And each is two blocks ahead
// (kBlocksAhead) of what it walks: threads that take different times for a
// block need not wait for each other.
//
// What a block lacks is usually published by another thread in time. But that
// one may not be running, where other processes compute, or where there are
// more threads than processors: then it is the one who needs it who computes
// it, once more perhaps, with the same bits. So no thread waits for a
// particular one, but at the end of a round of blocks (kRoundBlocks). The
// operator needs no identity. Where a total cannot be combined with the state,
// as a product of coefficients that overflows, the block behind does wait, for
// the walk. Sums over time are added up at the end of a round, in the order of
// blocks.
//
// The extents alone decide what is a block: results do not depend on how many
// threads there are, nor on which of them is late. But they are not those of
// code that was compiled for one thread, so that `order = deterministic` leaves
// rows whole.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWBLOCKS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWBLOCKS_H

#include "ThreadParts.h"

namespace mlir::scan {

/// Whether threads may share rows of `kernels`, which have one domain; if not,
/// each is walked by one thread. `lanes` are those of the kernels' rows.
bool mayCutRows(MutableArrayRef<KernelEmitter> kernels, ArrayRef<int64_t> lanes,
                const ConvertScanToLoopsOptions &options);

/// Emits rows that may be cut: in blocks, which threads share, where there are
/// few and long ones, and by `emitWhole` otherwise. `isLarge` are as in
/// VectorRow.
void emitRowBlocks(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                   ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                   const ConvertScanToLoopsOptions &options,
                   function_ref<void()> emitWhole);

/// How rows are cut into blocks.
struct RowBlocks {
  /// Emits the choice. `kernels` have one domain, and may be cut.
  RowBlocks(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
            ArrayRef<int64_t> lanes, const ThreadParts &parts,
            const ConvertScanToLoopsOptions &options);

  /// Which dimensions the numbers of blocks count through, before the blocks of
  /// a row: all but that of time.
  SmallVector<unsigned> dims;
  int64_t staticSteps; ///< Of a block, but for the last one of a row.
  Value steps;
  Value count; ///< Of the blocks of a row.
  Value isCut; ///< i1: whether rows are cut at all.
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWBLOCKS_H
