//===- TransposeLayout.h - How a tile lies in shared memory -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile in shared memory is a row of chunks, vectors of up to 16 bytes.
// Striped accesses take neighbouring chunks in neighbouring threads, blocked
// accesses the same number of consecutive chunks in each thread. Shared memory
// serves as many threads at a time as it takes to fill its 128 bytes: 8 of them
// with 16 bytes each. Thread t then takes the bank of chunk t * perThread,
// modulo 8: all different if that number is odd. If it is even, one chunk stays
// unused after every 8 chunks, or after as many as 8 / gcd(8, perThread)
// threads have, which moves the threads behind it to the next bank.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TRANSPOSELAYOUT_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TRANSPOSELAYOUT_H

#include "KernelFrame.h"

namespace mlir::scan {

/// How a tile of one operand lies in shared memory while it is transposed.
struct TransposeLayout {
  /// Number of elements with what stays unused between them, 0 if the operand
  /// is not transposed: threads hold one element each, or neighbouring threads
  /// access no neighbouring elements.
  int64_t slots = 0;
  /// Elements of a chunk, and chunks of a thread.
  int64_t length = 1, perThread = 1;
  /// One unused chunk after so many; 0: none.
  int64_t group = 0;
  int64_t elementBytes = 0;

  int64_t getBytes() const { return alignShared(slots * elementBytes); }
  static TransposeLayout get(Value operand, AffineMap map, unsigned dim,
                             int64_t threads, int64_t items);

  /// The slot of the element (`unit` = 1) or chunk (`unit` = `length`) with the
  /// number `number + offset`. `bound`: `number` is less, where that is known.
  Value createSlot(ImplicitLocOpBuilder &b, Value number, int64_t offset,
                   int64_t unit,
                   std::optional<int64_t> bound = std::nullopt) const;
  /// The slot of the first chunk of thread `thread`; its others follow.
  Value createThreadSlot(ImplicitLocOpBuilder &b, Value thread) const;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TRANSPOSELAYOUT_H
