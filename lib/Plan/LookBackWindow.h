//===- LookBackWindow.h - How many tiles are looked at first ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_LOOKBACKWINDOW_H
#define SCAN_LIB_PLAN_LOOKBACKWINDOW_H

#include "DescriptorLayout.h"

namespace mlir::scan {

/// How many tiles before its own a tile of a row looks at first. `tileBytes`
/// are those that it moves besides, `searchBytes` those that it reads to find
/// its segment offsets.
int64_t getFirstLookBackTiles(KernelOp kernel, ScheduleAttr schedule,
                              const DescriptorLayout &descriptor,
                              int64_t tileBytes, int64_t searchBytes);

/// How many tiles all rows have under `schedule`, if that is known.
std::optional<int64_t> countTiles(KernelOp kernel, ScheduleAttr schedule);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_LOOKBACKWINDOW_H
