//===- KernelFacts.h - What the speed of a scan depends on ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_KERNELFACTS_H
#define SCAN_LIB_SCHEDULE_KERNELFACTS_H

#include "IR/StepsRange.h"
#include "OperationCost.h"
#include "Plan/KernelOperands.h"
#include <optional>

namespace mlir::scan {

/// A kernel, as far as the choice of a schedule looks at it.
struct KernelFacts {
  /// An operand as it lies in memory.
  struct Operand : KernelOperands::Operand {
    /// All of it, once; of a reduction, read and written.
    double bytes;
    /// Whether neighbours along the scan dimension, or along the innermost
    /// other dimension, are neighbours in memory.
    bool isContiguousInScan, isContiguousAcross;
    /// The innermost extent in memory, in bytes; 0 where it is dynamic.
    int64_t rowBytes;
    /// Whether the first walk of a kernel that computes states again reads it.
    bool isInFirstWalk = false;
  };

  /// Extent of the scan dimension, and product of the others.
  int64_t extent, batch;
  /// Whether these are known at compile time.
  bool isExtentStatic, isBatchStatic;
  /// The product of those of the other extents that are static.
  int64_t staticBatch;
  /// Whether these are neither static nor asked for, but assumed.
  bool isExtentAssumed, isBatchAssumed;
  SmallVector<Operand> operands;
  SmallVector<KernelOperands::Reduction> reductions;
  /// 32-bit registers for one state, and for what a walk carries of it.
  int64_t stateWords, carriedWords;
  /// Of the first ones, those of leaves that are not the same at every step.
  int64_t varyingStateWords;
  /// Whether functions of `load` are of numbers with 16 bits, which GPUs widen.
  bool hasNarrowFunctions;
  /// Instructions of the regions per element of the domain, roughly.
  int64_t instructions;
  /// The same of a walk from step to step: without what does not vary along the
  /// scan dimension, and without leaves that a walk does not carry.
  OperationCost walk;
  /// Of a bidirectional kernel, what a first walk in its own direction takes of
  /// that.
  OperationCost firstWalk;

  /// Bytes in plus bytes out, each once.
  double getCompulsoryBytes() const;
  /// Bytes of the varying inputs per element of the domain.
  int64_t getInputBytes() const;

  /// Extents to ask about, where they are dynamic; the default where none is
  /// given.
  struct Question {
    std::optional<int64_t> extent, batch;
  };
  static KernelFacts get(KernelOp kernel, Question question = {});
};

/// The facts of one kernel for as many extents as are asked about: what does
/// not depend on these is collected once.
class KernelFactsTable {
public:
  KernelFactsTable(KernelOp kernel, const KernelOperands &operands);

  KernelFacts get(KernelFacts::Question question = {}) const;

private:
  SmallVector<double> countDomain(KernelFacts &facts,
                                  KernelFacts::Question question) const;

  unsigned scanDim;
  SmallVector<int64_t> shape;
  StepsRange range;
  /// Without extents, and what follows from them.
  KernelFacts common = {};
  /// Of each operand, the domain's dimensions that it has; none of segment
  /// offsets.
  SmallVector<SmallVector<unsigned, 4>> operandDims;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_KERNELFACTS_H
