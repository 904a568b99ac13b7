//===- Dispatch.h - Choosing a variant when the program runs ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_DISPATCH_H
#define SCAN_LIB_SCHEDULE_DISPATCH_H

#include "Variants.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Whether the host can choose among variants of `kernel`: one on memrefs that
/// is not in device code. Emits nothing.
LogicalResult checkDispatchable(KernelOp kernel);

/// Puts one copy of `kernel` for each leaf of `tree` in its place, each with
/// its schedule, under `scf.if`s over the extents of the kernel's operands. A
/// tree of one leaf gives `kernel` its schedule. Copies have the attribute
/// `scan.variant`, in which `number` is the kernel's among those of the module
/// that are dispatched: a launcher may take any of them, for any extents. They
/// have not where results would depend on which one is taken in a way that the
/// scan's order rules out, nor where a copy is right for its extents only, as
/// of bidirectional kernels with a range of steps: its range is narrowed.
void createDispatch(RewriterBase &rewriter, KernelOp kernel,
                    const VariantTree &tree, int64_t number);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_DISPATCH_H
