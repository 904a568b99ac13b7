//===- SharedStates.h - States in shared memory -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States that the threads of a block leave for each other. Each leaf has a
// buffer of its own: neighbouring slots are neighbours in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SHAREDSTATES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SHAREDSTATES_H

#include "../Frame/KernelFrame.h"
#include "Combine.h"

namespace mlir::scan {

class SharedStates {
public:
  /// Allocates shared memory in `frame`'s function for `count` states with the
  /// leaves of `kernel`, of which there may be none.
  SharedStates(KernelFrame &frame, KernelOp kernel, int64_t count);

  bool empty() const { return buffers.empty(); }

  /// Reads or writes the state in slot number `slot`, an index.
  State load(ImplicitLocOpBuilder &b, Value slot) const;
  void store(ImplicitLocOpBuilder &b, ValueRange state, Value slot) const;
  /// Writes those leaves that are `kept` alone; all if that is empty.
  void storeKept(ImplicitLocOpBuilder &b, ArrayRef<bool> kept, ValueRange state,
                 Value slot) const;

private:
  SmallVector<Type> types;
  /// One per leaf.
  SmallVector<Value> buffers;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SHAREDSTATES_H
