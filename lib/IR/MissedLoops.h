//===- MissedLoops.h - Why a loop is still a loop ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What keeps a loop from becoming a scan is known where loops are raised, and
// wanted where a loop is refused, long after. In between it is in the location
// of the loop, which lowerings keep.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_MISSEDLOOPS_H
#define SCAN_LIB_IR_MISSEDLOOPS_H

#include "mlir/IR/Location.h"
#include <optional>

namespace mlir::scan {

/// The location of a loop that is not raised because of what is at `place`.
Location getMissedLoopLoc(Location loop, Location place, llvm::StringRef why);

/// What keeps a loop of this location from being raised, and where.
struct MissedLoop {
  Location place;
  llvm::StringRef why;
};
std::optional<MissedLoop> getMissedLoop(Location loop);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_MISSEDLOOPS_H
