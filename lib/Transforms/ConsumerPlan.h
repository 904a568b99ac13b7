//===- ConsumerPlan.h - A consumer placed in a kernel -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the loops and operands of a user of a kernel's results lie in the
// domain of the kernel, as it is or unrolled. A reduction has to lie in
// trailing dimensions altogether.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_CONSUMERPLAN_H
#define SCAN_LIB_TRANSFORMS_CONSUMERPLAN_H

#include "KernelFusion.h"
#include "KernelShape.h"

namespace mlir::scan {

/// An operand of a consumer. Of one that reads a result of the kernel, perhaps
/// through casts and transpositions, `source` is that result.
struct ConsumerOperand {
  /// The result of the kernel; null for everything else.
  OpResult read;
  PlacedOperand placed;
};

/// A result of the consumer, which becomes an output or final of the kernel.
struct ConsumerResult {
  OpResult result;
  /// What the kernel writes it to; null if a new tensor has to be made.
  Value init;
  PlacedOperand placed;
};

struct ConsumerPlan {
  /// The plan for the consumer `view` of the kernel `kernel`, if that had the
  /// shape `shape`; nothing and the reason in `why` if it cannot be inlined
  /// there. If the reason is that domain dimensions are reduced, these are set
  /// in `reduced`.
  static std::optional<ConsumerPlan>
  get(KernelOp kernel, const KernelShape &shape, const ElementwiseView &view,
      llvm::SmallBitVector &reduced, std::string &why);

  /// The points of the trailing loops in the order of the consumer's loops.
  SmallVector<SmallVector<int64_t>> getPoints() const;

  /// True if it reads final states, false if it reads outputs.
  bool isFinal = false;
  SmallVector<LoopPlace> loops;
  /// The extents of the trailing loops.
  SmallVector<int64_t> trailingExtents;
  SmallVector<ConsumerOperand> operands;
  /// One per result of the consumer.
  SmallVector<ConsumerResult> results;
  /// What it reads or writes to besides the results of the kernel.
  SmallVector<Value> needed;

private:
  bool placeLoops(KernelOp kernel, const KernelShape &shape,
                  const ElementwiseView &view, llvm::SmallBitVector &reduced,
                  std::string &why);
  bool placeOperands(const KernelShape &shape, std::string &why);
  bool placeResults(KernelOp kernel, const KernelShape &shape,
                    const ElementwiseView &view, std::string &why);
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_CONSUMERPLAN_H
