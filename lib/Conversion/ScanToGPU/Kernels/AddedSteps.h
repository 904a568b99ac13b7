//===- AddedSteps.h - What the steps of a tile add up to --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of scans and blocks share their steps, a walk
// carries for each part what the steps add up to (PartStates). The product of
// exponentials exp(delta * a), of which all parts share `delta`, that of a step
// (FoldedExponentials), is exp(sum of delta * a): one sum is carried for all
// parts, in place of a product for each.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ADDEDSTEPS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ADDEDSTEPS_H

#include "FoldedExponentials.h"
#include "PartStates.h"

namespace mlir::scan {

class AddedSteps {
public:
  /// `exponentials` are those of the load region.
  AddedSteps(KernelOp kernel, const StateSplit &split, const SplitStatesIO &io,
             const FoldedExponentials &exponentials);

  /// What is carried before the first step; products mean nothing there.
  SmallVector<Value> start(ImplicitLocOpBuilder &b) const;
  /// Adds a step, of which `loads` have the values of the load region for each
  /// own part, to what is `carried`. Where `isFirst`, i1, it is the first one,
  /// and where `inBounds` is not, it is none; either may be null.
  SmallVector<Value> add(ImplicitLocOpBuilder &b,
                         MutableArrayRef<IRMapping> loads, ValueRange carried,
                         Value isFirst, Value inBounds) const;
  /// The states of the own parts.
  SmallVector<State> finish(ImplicitLocOpBuilder &b, ValueRange carried) const;

private:
  State takePart(ImplicitLocOpBuilder &b, ValueRange &carried) const;
  SmallVector<Value> packPart(const State &state) const;

  const SplitStatesIO &io;
  const FoldedExponentials &exponentials;
  PartStates states;
  /// Of each leaf of a part the exponential whose products it has, if any; and
  /// these exponentials.
  SmallVector<std::optional<unsigned>> powers;
  SmallVector<unsigned> sums;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ADDEDSTEPS_H
