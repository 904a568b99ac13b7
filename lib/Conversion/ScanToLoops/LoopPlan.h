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
  /// About the operations of one point, by which it is decided whether they
  /// are.
  int64_t pointWork = 0;
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

  /// Creates operations in front of the kernel, which is on memrefs and walks
  /// in one direction.
  static LoopPlan get(OpBuilder &builder, KernelOp kernel,
                      const ConvertScanToLoopsOptions &options);
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPPLAN_H
