//===- GridSize.h - How many blocks and tiles a scan takes ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_GRIDSIZE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_GRIDSIZE_H

#include "Plan/KernelPlan.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// The parts that `kernel` is divided into, one for each block unless the
/// kernel is persistent: an expression in the dynamic extents of the domain, as
/// symbols in order, and on the host.
AffineExpr getPartCount(KernelOp kernel, ScheduleAttr schedule);
Value createPartCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                      ScheduleAttr schedule, ArrayRef<OpFoldResult> extents);

/// The entries of the workspace of a kernel that has one. Over the grid they
/// are the descriptors of states: one for each scan of each part, but no more
/// for a tile of columns than there are columns in the innermost dimension.
/// Else they are the checkpoints of each scan that the blocks have room for.
AffineExpr getWorkspaceEntries(KernelOp kernel, const KernelPlan &plan);
Value createWorkspaceEntries(ImplicitLocOpBuilder &b, KernelOp kernel,
                             const KernelPlan &plan,
                             ArrayRef<OpFoldResult> extents);

/// The tiles along the scan dimension, whose extent is `extent`; an index.
Value createTileCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                      ScheduleAttr schedule, Value extent);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_GRIDSIZE_H
