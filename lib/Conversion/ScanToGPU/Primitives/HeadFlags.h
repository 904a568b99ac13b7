//===- HeadFlags.h - Items at which no segment starts -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan of packed sequences has a head flag for each item, and a combine
// region that selects the later operand where its flag is set. Sequences have
// hundreds of steps, so that most warps have none of their starts: these take
// code in which the flags are known to be clear, and all selects fold.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_HEADFLAGS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_HEADFLAGS_H

#include "ThreadScan.h"

namespace mlir::scan {

class HeadFlags {
public:
  /// `ofScans` has the leaves of all items of a thread, scan by scan; all
  /// threads of the warp are here.
  HeadFlags(ImplicitLocOpBuilder &b, KernelOp kernel,
            SmallVector<SmallVector<State>> ofScans);

  /// Whether there are flags by which code is specialized.
  bool any() const { return areClear != nullptr; }
  /// What `body` returns for the leaves: where no item of the warp has its flag
  /// set, for leaves with constant flags. The same branch is taken by all
  /// threads of the warp. Without flags there is one body.
  SmallVector<Value>
  specialize(ImplicitLocOpBuilder &b,
             function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                             ArrayRef<SmallVector<State>>)>
                 body) const;

  /// The combination of the items of each scan.
  SmallVector<State> reduce(ImplicitLocOpBuilder &b) const;

private:
  KernelOp kernel;
  SmallVector<SmallVector<State>> leaves;
  SmallVector<unsigned> flags;
  /// An i1, the same in all threads of a warp.
  Value areClear;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_HEADFLAGS_H
