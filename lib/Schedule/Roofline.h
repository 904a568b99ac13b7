//===- Roofline.h - What bounds a kernel, whatever its schedule -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roofline model (Williams, Waterman and Patterson, 2009, "Roofline: an
// insightful visual performance model for multicore architectures"), with a
// roof for each unit that a scan may keep busy. Counted is what a walk from
// step to step computes: what schedules add to bracket differently, to address
// and to exchange is what they are judged by.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_ROOFLINE_H
#define SCAN_LIB_SCHEDULE_ROOFLINE_H

#include "KernelFacts.h"
#include "Target/Chips.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {

struct Roofline {
  /// One of the roofs: bytes or operations of the whole kernel, and the time
  /// that takes at the unit's full rate, in nanoseconds.
  struct Roof {
    StringRef unit;
    double count, nanoseconds;
  };
  /// "memory", "special functions", "float operations", "issue slots".
  SmallVector<Roof, 4> roofs;

  const Roof &getHighest() const;

  /// What each roof has, and which part of the highest one is reached by a
  /// kernel that takes so long.
  void printText(llvm::raw_ostream &os, double nanoseconds) const;
  /// Attributes of an object.
  void printJson(llvm::json::OStream &json) const;

  /// `bandwidth` in bytes per nanosecond.
  static Roofline get(const KernelFacts &facts, const Chip &chip,
                      double bandwidth);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_ROOFLINE_H
