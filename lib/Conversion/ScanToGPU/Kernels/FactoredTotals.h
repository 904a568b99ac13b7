//===- FactoredTotals.h - Sums over parts without shared factors -*- C++
//-*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of a scan (KernelKind::SplitStates), sums over
// the parts often have terms with factors that all parts share: of Mamba's
// derivatives, that of u is the sum of delta * (B dh), that of delta the sum of
// u * (B dh) + A e. A factor is taken out of the sum, which the lane that owns
// a step multiplies by it, once; and what is the same then is summed up once.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FACTOREDTOTALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FACTOREDTOTALS_H

#include "SharedValues.h"

namespace mlir::scan {

class FactoredTotals {
public:
  FactoredTotals(KernelOp kernel, const StateSplit &split,
                 ArrayRef<StateSplit::Total> totals);

  /// What part 0 contributes to each of the sums that are taken over the parts,
  /// values of the store region.
  ArrayRef<Value> getTerms() const { return terms.getArrayRef(); }

  /// Maps the totals, of which `sums` has those over the parts; `mapping` has
  /// what factors and other addends are computed of.
  void map(ImplicitLocOpBuilder &b, ValueRange sums, IRMapping &mapping) const;

private:
  /// A sum over the parts times some values that all parts share.
  struct Addend {
    unsigned term;
    SmallVector<Value> factors;
  };
  struct Total {
    Value value;
    SmallVector<Addend> addends;
    SmallVector<Value> others;
  };
  SmallVector<Addend> factor(Value term, SmallVector<Value> factors,
                             const DenseSet<Value> &ofParts);

  SmallVector<Total> totals;
  llvm::SetVector<Value> terms;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FACTOREDTOTALS_H
