//===- CellLayout.h - What of a random recurrence is printed ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_CELLLAYOUT_H
#define SCAN_LIB_FUZZ_CELLLAYOUT_H

#include "Cell.h"
#include <set>

namespace mlir::scan::fuzz {

/// The parts that something returned depends on: others are neither printed nor
/// have arguments.
struct CellLayout {
  explicit CellLayout(const Cell &cell);

  SmallVector<bool> states, inputs, operations;
  /// Matrices, by the shape of what they give and of what they take.
  std::set<std::pair<unsigned, unsigned>> products;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_CELLLAYOUT_H
