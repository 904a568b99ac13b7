//===- InitAndFinals.h - The first state of a scan, and the last *- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_INITANDFINALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_INITANDFINALS_H

#include "../Frame/KernelFrame.h"
#include "Combine.h"

namespace mlir::scan {

/// The state before the first step of the scan at `point`: the init, or zero
/// where there is none.
State createInitialState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                         ArrayRef<Value> point);
/// What the steps of that scan are combined with: the init or, where there is
/// none, the identity if it is known, else zero, which means nothing.
State createStartState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       ArrayRef<Value> point);
/// The final state from `state`, which the steps of a scan have made of that:
/// without an init and without steps zero.
State createFinalState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       ValueRange state);
/// Writes the final elements of that scan.
void storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 ArrayRef<Value> point, ValueRange state);
/// The same of a bidirectional kernel's finals of one direction, whose leaves
/// alone have to mean something.
void storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 ArrayRef<Value> point, ValueRange state,
                 KernelOp::Direction direction);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_INITANDFINALS_H
