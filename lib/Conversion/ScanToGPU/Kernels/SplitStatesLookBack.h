//===- SplitStatesLookBack.h - The states before a tile's parts -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoupled look-back (LookBack.h) where the lanes of a warp share the states
// of scans, of which each block has a tile. The state of each part has a
// descriptor of its own, which the lane publishes that owns the part, and the
// lane of the same number in the blocks behind reads. No lane waits for another
// one of its block.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESLOOKBACK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESLOOKBACK_H

#include "../LookBack/GridWorkspace.h"
#include "PartStates.h"

namespace mlir::scan {

class SplitStatesLookBack {
public:
  /// Of tile number `tile`, an index, of scans in `groups` blocks side by side.
  SplitStatesLookBack(KernelFrame &frame, const StateSplit &split,
                      const SplitStatesIO &io, const GridWorkspace &workspace,
                      const DescriptorFlags &flags, Value tile, Value groups)
      : kernel(frame.getKernel()), split(split), io(io),
        descriptor(workspace.getDescriptor()), workspace(workspace),
        states(frame.getKernel(), split), flags(flags), tile(tile),
        groups(groups), scansPerBlock(frame.getSchedule().getScansPerBlock()) {}

  /// Publishes `totals`, what the steps of the tile add up to, of each own
  /// part, and the states behind it, unless it is the last one (`isLast`, i1);
  /// returns the states before it.
  SmallVector<State> exchange(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                              Value isLast);

private:
  bool isDeterministic() const {
    return KernelOp(kernel).getOrder().value_or(Order::Any) != Order::Any;
  }
  SmallVector<Value> getAddresses(ImplicitLocOpBuilder &b, Value number) const;
  void publish(ImplicitLocOpBuilder &b, Descriptor::Kind kind,
               ArrayRef<State> published) const;
  Descriptor::Observed observe(ImplicitLocOpBuilder &b, Value number) const;
  SmallVector<State> combine(ImplicitLocOpBuilder &b, ArrayRef<State> earlier,
                             ArrayRef<State> later) const;
  SmallVector<State> findBefore(ImplicitLocOpBuilder &b) const;

  KernelOp kernel;
  const StateSplit &split;
  const SplitStatesIO &io;
  const Descriptor &descriptor;
  const GridWorkspace &workspace;
  PartStates states;
  DescriptorFlags flags;
  Value tile, groups;
  int64_t scansPerBlock;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESLOOKBACK_H
