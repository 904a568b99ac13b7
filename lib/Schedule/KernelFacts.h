//===- KernelFacts.h - What the speed of a scan depends on ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_KERNELFACTS_H
#define SCAN_LIB_SCHEDULE_KERNELFACTS_H

#include "Scan/IR/ScanDialect.h"
#include <optional>

namespace mlir::scan {

/// A kernel, as far as the choice of a schedule looks at it.
struct KernelFacts {
  /// An operand as it lies in memory.
  struct Operand {
    /// All of it, once; an array that is read at two shifts counts once.
    double bytes;
    /// Per point and step, with its trailing elements; 32-bit registers for it.
    int64_t elementBytes, words;
    bool isInput;
    /// Whether it varies along the scan dimension.
    bool isVarying;
    /// Whether neighbours along the scan dimension, or along the innermost
    /// other dimension, are neighbours in memory.
    bool isContiguousInScan, isContiguousAcross;
  };

  /// An output that is a sum; among the operands it is one that does not vary,
  /// with its bytes read and written.
  struct Sum {
    /// Of one of its points, with its trailing elements; registers for it.
    int64_t elementBytes, elements, words;
    /// Whether there is one for each step, and one for all points along the
    /// innermost other dimension.
    bool isPerStep, isShared;
  };

  /// Extent of the scan dimension, and product of the others.
  int64_t extent, points;
  /// Whether these are known at compile time.
  bool isExtentStatic, arePointsStatic;
  /// The product of those of the other extents that are static.
  int64_t staticPoints;
  /// Whether these are neither static nor asked for, but assumed.
  bool isExtentAssumed, arePointsAssumed;
  SmallVector<Operand> operands;
  SmallVector<Sum> sums;
  /// Whether it looks up in a list where sequences start.
  bool hasSegmentOffsets;
  /// 32-bit registers for one state, and for what a walk carries of it.
  int64_t stateWords, carriedWords;
  /// Instructions of the regions per point and step, roughly.
  int64_t instructions;

  /// Bytes in plus bytes out, each once.
  double getFloor() const;
  /// Bytes of the varying inputs per point and step.
  int64_t getInputBytes() const;

  /// Extents to ask about, where they are dynamic; the default where none is
  /// given.
  struct Question {
    std::optional<int64_t> extent, points;
  };
  static KernelFacts get(KernelOp kernel, Question question = {});
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_KERNELFACTS_H
