//===- PartStates.h - Combinations of the states of one part ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of a scan (KernelKind::SplitStates), what steps
// of one part add up to: all of its leaves in the kernel's direction, also
// those that a walk from step to step does not need, such as the product of the
// coefficients of a recurrence.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PARTSTATES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PARTSTATES_H

#include "SharedValues.h"

namespace mlir::scan {

class PartStates {
public:
  PartStates(KernelOp kernel, const StateSplit &split)
      : kernel(kernel), split(split) {}

  size_t getNumLeaves() const { return split.sameLeavesPerPart; }
  /// Zeros, which mean nothing.
  State createZeros(ImplicitLocOpBuilder &b) const;
  /// The init of own part `part`.
  State createInit(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                   int64_t part) const;
  /// One step: what the load region has in `ofLoad`.
  State createStep(ImplicitLocOpBuilder &b, IRMapping &ofLoad) const;
  /// What steps add up to of which `step` is the first one.
  State begin(ImplicitLocOpBuilder &b, ValueRange step) const;
  /// What `earlier` and `later` steps add up to.
  State combine(ImplicitLocOpBuilder &b, ValueRange earlier,
                ValueRange later) const;
  /// Whether what steps add up to in leaf number `leaf` of a part is the
  /// product of their elements, on which nothing else depends and which is not
  /// guarded.
  bool isPlainProduct(unsigned leaf) const;
  /// The leaves of `state` that a walk carries.
  State takeCarried(ValueRange state) const;

private:
  State cloneYielded(ImplicitLocOpBuilder &b, Region &region,
                     IRMapping &mapping) const;

  KernelOp kernel;
  const StateSplit &split;
};

/// The leaves of the states of parts, one behind the other, and the states with
/// so many leaves each.
SmallVector<Value> flatten(ArrayRef<State> ofParts);
SmallVector<State> unflatten(ValueRange values, size_t leaves);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PARTSTATES_H
