//===- StateSplit.h - States that threads can share -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that was unrolled over a dimension, such as the 16 states of a
// channel of Mamba, computes the same thing once per index of that dimension:
// with parts of its own of some operands, and what all indices share. Threads
// can then have some of the indices each, where nothing joins these but sums.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_STATESPLIT_H
#define SCAN_LIB_PLAN_STATESPLIT_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// The parts of a kernel's states, numbered from 0. All regions compute for
/// each part what they compute for part 0, with the arguments of that part:
/// who emits code for a part clones that of part 0.
struct StateSplit {
  /// How many there are, a power of two.
  int64_t parts = 0;
  unsigned leavesPerPart = 0;
  /// How many of these, the first ones, are scanned in the kernel's direction:
  /// all, unless it is bidirectional.
  unsigned sameLeavesPerPart = 0;
  /// Whether the leaves of one part and direction follow each other; else their
  /// first leaves come first.
  bool isPartMajor = true;
  /// Of the inputs, the inits and the outputs: whether each part has an element
  /// of its own, or all share one. All finals have one per part.
  SmallVector<bool> hasInputParts, hasInitParts, hasOutputParts;

  /// A sum over the parts in the store region, on which results that all share
  /// depend.
  struct Total {
    Value value;
    /// What part 0 contributes, and what is added besides.
    Value term;
    SmallVector<Value> others;
  };
  SmallVector<Total> totals;

  /// The number of a leaf, from 0, of part `part`.
  unsigned getLeaf(int64_t part, unsigned number) const {
    if (!isPartMajor)
      return number * parts + unsigned(part);
    unsigned same = sameLeavesPerPart;
    return number < same
               ? part * same + number
               : parts * same + part * (leavesPerPart - same) + (number - same);
  }
  /// Whether leaf number `number` of a part is scanned in the direction
  /// opposite to the kernel's.
  bool isOpposite(unsigned number) const { return number >= sameLeavesPerPart; }

  /// What the store region yields for output number `output`: of part 0, if
  /// each part has an element.
  Value getYielded(KernelOp kernel, unsigned output) const;

  /// The split of `kernel`; none if it has no such parts, or anything that only
  /// one thread can do for a scan: scattered outputs, segment offsets, no init,
  /// or indices in regions; nor if it is bidirectional and no output depends on
  /// both directions, as two kernels are as good then.
  static std::optional<StateSplit> get(KernelOp kernel);
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_STATESPLIT_H
