//===- Combine.h - The regions of a scan.kernel on values -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowest layer of the GPU kernels: what the regions of a scan.kernel
// compute, inlined at the insertion point. All layers above combine states
// through this one, always as combine(earlier, later) in scan order, or, where
// the later one is a single element, as combineItem(earlier, item): a step of
// the fold itself, in which products need no guard (ProductGuard.h).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COMBINE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COMBINE_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// One value per leaf.
using State = SmallVector<Value>;

/// A state that may be absent: no operator has a known identity, so "nothing
/// so far" needs a flag of its own.
struct Prefix {
  State state;
  /// i1: whether `state` means anything. Null: it always does.
  Value present;
};

/// Makes fused multiply-adds of complex products in `kernel`'s combine region
/// and what is added to them: 4 instructions for a step in place of 8. A scan
/// that may be bracketed in another way keeps no roundings.
void contractProducts(KernelOp kernel);

/// Clones the operations of `region`'s one block, with `args` for its
/// arguments, and returns the values that it yields. `point` has the indices
/// along the domain's dimensions, for regions that read them.
SmallVector<Value> inlineRegion(ImplicitLocOpBuilder &b, Region &region,
                                ValueRange args, ArrayRef<Value> point = {});

/// `condition ? a : b`, leaf by leaf.
State selectState(ImplicitLocOpBuilder &b, Value condition, ValueRange a,
                  ValueRange c);

/// The results of the store-map at `point`, from the states around the step
/// there and the input elements.
SmallVector<Value> computeResults(ImplicitLocOpBuilder &b, KernelOp kernel,
                                  ValueRange inclusive, ValueRange exclusive,
                                  ValueRange elements, ArrayRef<Value> point);

/// Whether a region reads the index along the scan dimension.
bool readsScanIndex(KernelOp kernel);

/// The state of a scan before any element: zero in every leaf.
State zeroState(ImplicitLocOpBuilder &b, KernelOp kernel);

/// The identity of the operator, if one has been proved; empty if not. Nothing
/// is combined where such a constant is.
State createIdentity(ImplicitLocOpBuilder &b, KernelOp kernel);

/// Whether there is a state in front of the first element: an init, or the
/// identity. Else what is in front of it is absent.
bool hasStartState(KernelOp kernel);

/// The step of the left fold from `earlier` by one element.
State combineItem(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange earlier,
                  ValueRange item);

/// combineItem(prefix, item), or `item` itself where the prefix is absent.
State combineItemIfPresent(ImplicitLocOpBuilder &b, KernelOp kernel,
                           const Prefix &prefix, ValueRange item);

/// combine(earlier, later), where `later` may be a part of any length.
State combine(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange earlier,
              ValueRange later);

/// combine(prefix, later), or `later` itself where the prefix is absent.
State combineIfPresent(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const Prefix &prefix, ValueRange later);

/// A prefix that is absent, or the identity where one is known.
Prefix createAbsent(ImplicitLocOpBuilder &b, KernelOp kernel);

/// combine(earlier, later), where either may be absent; whether `later` is has
/// to be a value.
Prefix joinPrefixes(ImplicitLocOpBuilder &b, KernelOp kernel,
                    const Prefix &earlier, const Prefix &later);

/// The values of those leaves that are `kept`.
SmallVector<Value> packLeaves(ArrayRef<bool> kept, ValueRange state);
/// The reverse; other leaves get a value that is never used.
State unpackLeaves(ImplicitLocOpBuilder &b, KernelOp kernel,
                   ArrayRef<bool> kept, ValueRange packed);

/// The same for those leaves that a walk has to carry from step to step.
SmallVector<Value> packCarried(KernelOp kernel, ValueRange state);
State unpackCarried(ImplicitLocOpBuilder &b, KernelOp kernel,
                    ValueRange carried);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COMBINE_H
