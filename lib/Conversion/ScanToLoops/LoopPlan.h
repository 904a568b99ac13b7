//===- LoopPlan.h - How the CPU walks a kernel ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPPLAN_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPPLAN_H

#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>
#include <vector>

namespace mlir::scan {

class KernelEmitter;

/// The dimension other than the scan dimension that most inputs and outputs
/// have innermost, if that is at least as many as have the scan dimension
/// there. Walking blocks of it streams through memory.
std::optional<unsigned> chooseLaneDim(KernelOp kernel);

/// The walk over columns (ColumnLoops.cpp).
struct ColumnPlan {
  int64_t lanes = 1; ///< Columns in a vector.
  int64_t block = 1; ///< Columns in a block, a multiple of the lanes.
  /// Bytes that a block keeps from step to step: the state, and what is the
  /// same at every step.
  int64_t stateBytes = 0;
};
ColumnPlan planColumns(KernelEmitter &emitter, unsigned laneDim,
                       const ConvertScanToLoopsOptions &options);
/// Columns in the blocks that all of `kernels`, of one domain, go through.
int64_t chooseSharedBlock(MutableArrayRef<KernelEmitter> kernels,
                          unsigned laneDim,
                          const ConvertScanToLoopsOptions &options);

/// What `lowerKernelToLoops` makes of a kernel, for those who do not want it
/// made.
struct LoopPlan {
  /// The dimension of the columns; none if rows are walked.
  std::optional<unsigned> laneDim;
  ColumnPlan columns;
  /// The dimension of the rows that are in one vector; none if they are not.
  std::optional<unsigned> rowDim;
  /// Of rows: the steps in a vector, the vectors in a tile, and how many rows
  /// are walked at a time, how many of them in a vector.
  int64_t lanes = 1, vectors = 1, rows = 1, rowLanes = 1;
  /// Why vectors have one lane; empty otherwise.
  std::string scalarReason;
  /// Dimensions that are divided among threads.
  SmallVector<unsigned> threadDims;
  /// Whether each part of these has sums of its own, which are added up behind
  /// the parts (PartialSums.h).
  bool hasPartialSums = false;
  /// Whether threads share blocks of a row where there are few long ones.
  bool cutsRows = false;
  /// About the operations of one point of all kernels that are lowered
  /// together, by which it is decided whether they are.
  int64_t pointWork = 0;
  /// Whether the last steps of a row are walked as a masked vector.
  bool masksEnd = false;
  /// Operations of the regions that are not in the loop over time, since they
  /// give the same at every step.
  llvm::SmallPtrSet<Operation *, 16> hoisted;
  /// Elements that a point loads and stores: by vectors, and one by one.
  int64_t vectorElements = 0, singleElements = 0;
  /// Leaves that are carried from step to step, and bytes of a point that may
  /// be stored past the caches.
  int64_t carriedLeaves = 0, streamedBytes = 0;

  int64_t getLanes() const {
    return laneDim ? columns.lanes : std::max(lanes, rowLanes);
  }

  /// The plans of kernels that are lowered together: one, both directions of
  /// one, or a group (KernelGroups.h). Creates operations in front of them;
  /// they are on memrefs and walk in one direction each.
  static std::vector<LoopPlan> get(OpBuilder &builder,
                                   ArrayRef<KernelOp> kernels,
                                   const ConvertScanToLoopsOptions &options);

private:
  /// What does not depend on other kernels.
  static LoopPlan getAlone(OpBuilder &builder, KernelEmitter &emitter,
                           const ConvertScanToLoopsOptions &options);
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPPLAN_H
