//===- SharedValues.h - What lanes that share a scan share ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes have a part of a scan's states each (KernelKind::SplitStates),
// regions are emitted part by part. What no part makes a difference to is
// computed by one of the lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SHAREDVALUES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SHAREDVALUES_H

#include "../Primitives/ProductGuard.h"
#include "SplitStatesIO.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {

/// `value` of a region with what `mapping` has for values that it depends on,
/// products that may be guarded as `createProduct` has them.
Value cloneValue(
    ImplicitLocOpBuilder &b, Value value, IRMapping &mapping,
    decltype(&createPlainProduct) createProduct = createPlainProduct);

/// Lets the sum that `value` is be rounded once with a product that has no
/// other use: a fused multiply-add is one instruction instead of two. So may
/// all sums and products that it is computed of. A scan whose states are shared
/// keeps no order, and no roundings.
void fuseProducts(Value value);

/// What part 0 needs of a region that depends on no part, and that varies along
/// the scan dimension: all lanes that share a scan need the same.
class SharedValues {
public:
  /// `roots` are what part 0 computes in `region`.
  SharedValues(KernelOp kernel, Region &region, const StateSplit &split,
               ValueRange roots);

  /// What differs from part to part in `region`.
  static DenseSet<Value> getOfParts(KernelOp kernel, Region &region,
                                    const StateSplit &split);

  bool contains(Value value) const { return values.contains(value); }

  /// Takes those that are the same as some of `others`, of another region of
  /// the kernel, from there instead: expressions of inputs, argument for
  /// argument.
  void reuse(KernelOp kernel, const SharedValues &others);
  /// Maps these to what `known` has for the others.
  void mapReused(const IRMapping &known, IRMapping &mapping) const;

  /// Computes those of each own step of a chunk, of which `owned` was loaded.
  SmallVector<Value> compute(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                             ValueRange owned) const;
  /// Maps them to those of step `step`, from the lane that owns it, where each
  /// lane has `computed` those of its own.
  void take(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
            ValueRange computed, int64_t step, IRMapping &mapping) const;
  /// Maps them to what this lane has computed of own step `group`.
  void mapOwn(ValueRange computed, int64_t group, IRMapping &mapping) const {
    ValueRange own = computed.slice(group * values.size(), values.size());
    mapping.map(values.getArrayRef(), own);
  }
  /// How many are computed in one chunk.
  size_t getNumComputed(const SplitStatesIO &io) const {
    return values.size() * io.getOwnSteps();
  }

private:
  enum Kind { Invariant, Varying, Part };
  static DenseMap<Value, Kind> getKinds(KernelOp kernel, Region &region,
                                        const StateSplit &split);

  Region &region;
  llvm::SetVector<Value> values;
  /// Pairs of a value of this region and one of the other's.
  SmallVector<std::pair<Value, Value>> reused;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SHAREDVALUES_H
