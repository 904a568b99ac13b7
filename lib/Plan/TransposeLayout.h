//===- TransposeLayout.h - How a tile lies in shared memory -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_TRANSPOSELAYOUT_H
#define SCAN_LIB_PLAN_TRANSPOSELAYOUT_H

#include "SharedMemory.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::scan {

/// How a tile of one operand lies in shared memory while it is transposed
/// between the order of memory (striped: neighbouring threads hold neighbouring
/// chunks) and that of threads (blocked: each has consecutive elements).
///
/// A tile is a row of chunks, vectors of up to 16 bytes. Shared memory serves
/// as many threads at a time as it takes to fill its 128 bytes: 8 of them with
/// 16 bytes each. Thread t then takes the bank of chunk t * perThread, modulo
/// 8: all different if that number is odd. If it is even, one chunk stays
/// unused after every 8 chunks, or after as many as 8 / gcd(8, perThread)
/// threads have, which moves the threads behind it to the next bank.
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
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_TRANSPOSELAYOUT_H
