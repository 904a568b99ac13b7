//===- ConsumerPlan.h - A consumer placed in a kernel -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the loops and operands of a user of a kernel's results lie in the
// domain of the kernel, as it is or unrolled. A reduction has to lie in
// trailing dimensions altogether, unless it is to become a reduction output.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_CONSUMERPLAN_H
#define SCAN_LIB_TRANSFORMS_FUSION_CONSUMERPLAN_H

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

/// What else than a user of the kernel's results, all of whose results have all
/// of the domain, may have a plan.
struct ConsumerKinds {
  /// One that adds up over dimensions of the domain: its results become
  /// reduction outputs.
  bool reductions = false;
  /// One that reads no result of the kernel, but an input that has all
  /// dimensions of the domain.
  bool siblings = false;
};

struct ConsumerPlan {
  /// The plan for the consumer `view` of the kernel `kernel`, if that had the
  /// shape `shape`; nothing and the reason in `why` if it cannot be inlined
  /// there. If the reason is that domain dimensions are reduced, these are set
  /// in `reduced`.
  static std::optional<ConsumerPlan>
  get(KernelOp kernel, const KernelShape &shape, const ElementwiseView &view,
      llvm::SmallBitVector &reduced, std::string &why,
      ConsumerKinds kinds = {});

  /// The points of the trailing loops in the order of the consumer's loops.
  SmallVector<SmallVector<int64_t>> getPoints() const;

  /// True if it reads final states, false if it reads outputs.
  bool isFinal = false;
  /// True if its results are reduction outputs: `init` of each is what they are
  /// added to.
  bool isReduction = false;
  /// From the domain to the result or input that ties the loops to it.
  AffineMap anchor;
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
                  std::string &why, ConsumerKinds kinds);
  /// Finds what ties the loops to the domain: from the loops, and from the
  /// domain, to the dimensions of one operand. Nothing and the reason in `why`
  /// if there is no such operand.
  std::optional<std::pair<AffineMap, const KernelShape::Operand *>>
  findAnchor(KernelOp kernel, const KernelShape &shape, ConsumerKinds kinds,
             std::string &why);
  /// Whether its results may become reduction outputs. Lets them start from
  /// nothing.
  bool makeReductionOutputs(KernelOp kernel, const ElementwiseView &view,
                            std::string &why);
  bool placeOperands(const KernelShape &shape, std::string &why);
  bool placeResults(KernelOp kernel, const KernelShape &shape,
                    const ElementwiseView &view, std::string &why);
};

/// True if what the consumer needs depends on a sum of what `kernel` reads at
/// each point, too, and the kernel does not: that may become a reduction output
/// of the kernel as long as this is so.
bool needsOtherSum(KernelOp kernel, const ConsumerPlan &plan);

/// True if cheap code that reads results of `kernel` is read by elementwise
/// code alone that reads the same results at other steps as well. That cannot
/// become part of the kernel, which has to store what both read: what is cheap
/// becomes part of its reader.
bool belongsToShiftedRead(KernelOp kernel, const ElementwiseView &view);

/// Makes what the consumer needs besides the kernel available before it; fails
/// if it depends on the kernel.
LogicalResult provideNeeded(RewriterBase &rewriter, KernelOp kernel,
                            ConsumerPlan &plan);

/// Inlines the consumer `view`, whose `plan` is for the kernel as it is and
/// needs nothing that is not there before it. Both are replaced. Returns the
/// new kernel.
KernelOp inlineConsumer(RewriterBase &rewriter, KernelOp kernel,
                        const ElementwiseView &view, ConsumerPlan &plan);

/// The addition that makes result `result` of the reduction `view` a sum of
/// terms, and the number of its operand that is the term; null if it is none.
std::pair<Operation *, unsigned> getAddition(const ElementwiseView &view,
                                             unsigned result);

/// The value of all elements of `value`, if that is one constant.
Attribute getSplat(Value value);

/// The type that sums of elements of `type` are added up in.
Type getSumType(Type type);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_CONSUMERPLAN_H
