//===- LoopToRecurrence.h - A loop that carries rows ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_LOOPTORECURRENCE_H
#define SCAN_LIB_TRANSFORMS_RAISE_LOOPTORECURRENCE_H

#include "LoopPreparation.h"

namespace mlir::scan {

/// Replaces a loop that carries rows, whatever its steps compute, by a
/// scan.recurrence. On failure the IR is unchanged, and `obstacle` says what is
/// in the way; its reason is empty for a loop that carries no row along a
/// dimension that it walks.
LogicalResult raiseToRecurrence(RewriterBase &rewriter, scf::ForOp loop,
                                Obstacle &obstacle);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_LOOPTORECURRENCE_H
