//===- ScanWalk.h - Lines of a scan -----------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_SCANWALK_H
#define SCAN_LIB_REFERENCE_SCANWALK_H

#include "Compiler.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::scan::reference {

/// Calls `fn` with the first point of each line along `dim`, in row-major order
/// of the other dimensions: the number of the call is the line's position in a
/// tensor without `dim`.
LogicalResult
forEachLine(ArrayRef<int64_t> shape, int64_t dim,
            llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> fn);

SmallVector<int64_t> withoutDim(ArrayRef<int64_t> shape, int64_t dim);

int64_t dot(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// Steps of a line that one state walks through.
struct Run {
  /// The first step of the walk, and how many there are.
  int64_t first = 0;
  int64_t count = 0;
  /// The number of its segment, or with flags its first step: where its init is
  /// in a tensor of one per segment or step.
  int64_t state = 0;
};

/// The segments of a scan; one for the whole dimension where it has none.
class Segments {
public:
  /// The operand `segments` of `op`, which may be null and is read by `use`.
  /// Fails with a diagnostic if it does not fit `shape`, the iteration shape.
  static FailureOr<Segments> create(Frame &frame, Operation *op, Value segments,
                                    std::optional<Use> use,
                                    ArrayRef<int64_t> shape, int64_t dim,
                                    bool reverse);

  /// The shape of the final states of a leaf.
  SmallVector<int64_t> getFinalShape(ArrayRef<int64_t> leaf) const;
  /// The shape of an init tensor of the rank `rank` for a leaf.
  SmallVector<int64_t> getInitShape(ArrayRef<int64_t> leaf, size_t rank) const;
  /// The walks along the line through `point`. With offsets one per segment, in
  /// their order; otherwise at least one, in the order of the walk.
  SmallVector<Run> getRuns(ArrayRef<int64_t> point) const;

private:
  enum Kind { None, Offsets, Flags };
  Kind kind = None;
  int64_t extent = 0, dim = 0;
  bool reverse = false;
  SmallVector<int64_t> offsets;
  Tensor flags;
  SmallVector<int64_t> strides;
};

/// Fails with a diagnostic if `offsets`, a list that `op` reads, decrease.
LogicalResult verifyAscending(Operation *op, const Tensor &offsets);
/// True if some element of `offsets`, which do not decrease, is `value`.
bool isInOffsets(const Tensor &offsets, int64_t value);

/// Where the states of a line are in a tensor of inits or final states, counted
/// in blocks of trailing elements.
class StateIndex {
public:
  StateIndex(ArrayRef<int64_t> state, ArrayRef<int64_t> leaf, size_t rank,
             int64_t dim);
  int64_t operator()(ArrayRef<int64_t> point, const Run &run,
                     int64_t line) const;

private:
  int64_t dim;
  /// Empty without the scan dimension: there is one state per line.
  SmallVector<int64_t> strides;
};

/// Checks elements against what `op` assumes of them; null if it assumes
/// nothing.
Step compileInvariants(Compiler &compiler, AssociativeOp op);
FailureOr<Step> compileCompensated(Compiler &compiler, AssociativeOp op);
FailureOr<Step> compileLinearRecurrence(Compiler &compiler,
                                        LinearRecurrenceOp op);
FailureOr<Step> compileShift(Compiler &compiler, ShiftOp op);
FailureOr<Step> compileHeadFlags(Compiler &compiler, HeadFlagsOp op);
FailureOr<Step> compileKernel(Compiler &compiler, KernelOp op);
FailureOr<Step> compileRecurrence(Compiler &compiler, RecurrenceOp op);
FailureOr<Step> compileScatter(Compiler &compiler, ScatterOp op);

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_SCANWALK_H
