//===- DescriptorLayout.h - How a published state lies in memory *- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a scan over the grid each tile has a descriptor in global memory for each
// of its scans, in which it publishes a state: first its *aggregate*, the
// combination of its own elements, then its *prefix*, that of all elements up
// to its end, the init included. A flag says which of them it is, and in which
// launch.
//
// Flag and state are one word of 8 or 16 bytes where they fit, which is written
// and read as a whole: relaxed accesses suffice, and no fence is needed. The
// parts are packed by their bits. Of larger states there are several words of
// 16 bytes, each with the flag: a reader waits until it has seen the same flag
// in all of them. They are written and read at once, where a fence in front of
// a flag, and a read of the state behind it, are two more waits of a
// microsecond for each of the blocks that follow one another along a row.
//
// The largest states have a buffer of their own beside one flag, one for the
// aggregate and one for the prefix, so that what another block reads is never
// overwritten in the same launch; a release of the flag publishes them, an
// acquire observes them. Lanes that look back then share no sectors with each
// other. They would if flags, aggregates and prefixes were arrays of their own;
// but each publication would touch two sectors that are far apart, and there
// are more of these than reads that need many lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_DESCRIPTORLAYOUT_H
#define SCAN_LIB_PLAN_DESCRIPTORLAYOUT_H

#include "StateSplit.h"

namespace mlir::scan {

struct DescriptorLayout {
  static constexpr unsigned kFlagBits = 32;

  DescriptorLayout() = default;
  /// For the states of `kernel`.
  explicit DescriptorLayout(KernelOp kernel);
  /// For those of one part of `split`, in the kernel's direction: each part of
  /// a scan has a descriptor of its own.
  DescriptorLayout(KernelOp kernel, const StateSplit &split);

  /// The types of the leaves of a state.
  SmallVector<Type> leafTypes;
  /// For each leaf whether it is part of a published state. Of what is not,
  /// every tile has what the one has that looks back (InvariantLeaves.h).
  SmallVector<bool> published;
  /// The widths of the integers that these leaves become, two for a complex
  /// one.
  SmallVector<unsigned> partBits;
  /// Where they are: bits in their word, or bytes in the payload.
  SmallVector<int64_t> offsets;
  /// 64 or 128; 0 if flag and state are apart.
  unsigned wordBits = 0;
  /// Else the numbers of the words that the parts are in, and how many there
  /// are. Words lie one behind the other.
  SmallVector<unsigned> partWords;
  unsigned numWords = 0;
  /// Flag and state apart: bytes from the flag to the payloads.
  int64_t aggregateOffset = 0, prefixOffset = 0;
  /// Bytes from one descriptor to the next, a multiple of 8; 16-byte words are
  /// aligned to 16 if the first one is.
  int64_t bytes = 0;
  /// Bytes of it that are written to publish a state, and read to learn one.
  int64_t stateBytes = 0;
  /// Bytes that all leaves have in registers, published or not.
  int64_t leafBytes = 0;

  bool isInWords() const { return wordBits != 0; }
  int64_t getWordOffset(unsigned word) const { return word * wordBits / 8; }
  static int64_t getPartBytes(unsigned bits) {
    return llvm::divideCeil(bits, 8);
  }

private:
  DescriptorLayout(SmallVector<Type> types, SmallVector<bool> arePublished);
  void placeInWords();
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_DESCRIPTORLAYOUT_H
