//===- ThreadParts.h - Independent scans in parts ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans that differ in an index other than that of time need nothing of each
// other. Their indices are counted through as one number, and the range of
// these numbers is divided into parts, which threads may compute in any order:
//
//   scf.parallel part = 0 to parts
//     for n = part * count / parts to (part + 1) * count / parts
//       the indices that number n stands for
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_THREADPARTS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_THREADPARTS_H

#include "KernelEmitter.h"

namespace mlir::scan {

/// About the operations of one point of `kernels`, its loads and stores among
/// them.
int64_t getPointWork(MutableArrayRef<KernelEmitter> kernels);

/// Whether threads may share `kernels`, which have one domain; if not, these
/// are to stay on one thread: their work is statically known to be small, or
/// they are in a parallel loop.
bool mayUseThreads(MutableArrayRef<KernelEmitter> kernels,
                   const ConvertScanToLoopsOptions &options);

/// The dimensions in which parts of `kernels` may differ; none where these are
/// to stay on one thread. A dimension that a reduction output leaves out is not
/// among them: two parts would add to one element.
SmallVector<unsigned> getThreadDims(MutableArrayRef<KernelEmitter> kernels,
                                    const ConvertScanToLoopsOptions &options);

/// More parts than processors have cores, so that each gets several where a
/// part takes longer than others.
inline constexpr int64_t kMaxParts = 256;

/// What a function such as exp counts for, in operations.
inline constexpr int64_t kExpensiveWork = 16;

/// Emits a parallel loop that threads share over the numbers from 0 to `count`,
/// and `body` for each.
void emitThreadLoop(OpBuilder &builder, Location loc, Value count,
                    function_ref<void(Value)> body);

/// Divides the range of numbers below `count` into `parts`, which may be 0
/// where `count` is, and calls `body` with the begin and the end of each.
void emitThreadParts(OpBuilder &builder, Location loc, Value parts, Value count,
                     function_ref<void(Value, Value)> body);

class ThreadParts {
public:
  /// Counts the work of all `kernels`, which have one domain.
  ThreadParts(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
              const ConvertScanToLoopsOptions &options);

  /// i1: whether the kernels are to be divided.
  Value getIsLarge() const { return isLarge; }

  /// Emits the loop over parts of all indices below `extents`, and calls `body`
  /// with an index of each extent. `prepare` is called first in each part.
  void emit(ArrayRef<Value> extents, function_ref<void()> prepare,
            function_ref<void(ArrayRef<Value>)> body);

  /// Emits the parallel loop of `count` iterations, and `body` for each.
  void emitParallel(Value count, function_ref<void(Value)> body) {
    emitThreadLoop(builder, loc, count, body);
  }
  /// The product of `extents`, and the indices below them that a number below
  /// it stands for.
  Value countNumbers(ArrayRef<Value> extents);
  SmallVector<Value> getIndices(ArrayRef<Value> extents, Value number);

private:
  OpBuilder &builder;
  KernelEmitter &emitter;
  Location loc;
  Value isLarge;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_THREADPARTS_H
