//===- BlockAccesses.h - Where the threads of a block meet ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which memory the threads of a block have accessed since they met at a
// barrier: another one is needed in front of an access to what another thread
// may have written, or a write of what it may have read.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKACCESSES_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKACCESSES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// The buffer that `memref` is a view of.
Value getBuffer(Value memref);

struct BlockAccess {
  enum class By {
    /// Any thread any element.
    Any,
    /// The threads divide the elements of the memref, in order.
    Owner,
    /// The first thread.
    First
  };
  Value memref;
  By by;
  bool isWrite;
};

class BlockAccesses {
public:
  /// Notes what comes next, with a barrier in front of it if it needs one.
  void add(ImplicitLocOpBuilder &b, ArrayRef<BlockAccess> accesses);
  /// A barrier, unless nothing was accessed since the last one.
  void meet(ImplicitLocOpBuilder &b);
  /// What either of two has accessed.
  void join(const BlockAccesses &other) {
    pending.append(other.pending.begin(), other.pending.end());
  }

private:
  SmallVector<BlockAccess> pending;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKACCESSES_H
