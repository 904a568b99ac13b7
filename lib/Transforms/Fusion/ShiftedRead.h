//===- ShiftedRead.h - Pads, slices and joins that move time ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs write the elements some steps before as a slice of a padded tensor,
// or as initial rows joined with a slice. Where the result has the extents of
// the tensor that was padded or sliced, that is a scan.shift of it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_SHIFTEDREAD_H
#define SCAN_LIB_TRANSFORMS_FUSION_SHIFTEDREAD_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// The value of an index that is known up to a constant: `value`, or the extent
/// of `shaped` in dimension `dim`, and `plus` on top of it.
struct KnownExtent {
  explicit KnownExtent(OpFoldResult value) : value(value) { follow(); }
  KnownExtent(Value shaped, int64_t dim) : shaped(shaped), dim(dim) {
    follow();
  }
  /// True if both are equal in every run, as far as it can be told.
  bool operator==(const KnownExtent &other) const;
  KnownExtent operator+(int64_t more) const {
    KnownExtent result(*this);
    result.plus += more;
    return result;
  }

private:
  /// Looks through additions of constants, casts, pads, slices and elementwise
  /// code.
  void follow();
  bool followValue();
  bool followShaped();

  OpFoldResult value;
  Value shaped;
  int64_t dim = -1, plus = 0;
};

/// Elements of `source`, moved by `by` steps along a dimension, and what is
/// read where there are none.
struct ShiftedRead {
  /// The tensor `value` as such a read along `dim`, if it is one of a pad, a
  /// slice or a concatenation, and has the extents of its source.
  static std::optional<ShiftedRead> get(Value value, int64_t dim);
  /// The slice of `tensor` from `offset` on along `dim`, of `size` elements,
  /// and whole along other dimensions.
  static std::optional<ShiftedRead>
  getSlice(Value tensor, int64_t dim, int64_t offset, const KnownExtent &size);

  /// Creates the scan.shift, of the type `type`.
  Value create(OpBuilder &builder, Location loc, int64_t dim,
               RankedTensorType type) const;

  Value source;
  int64_t by = 0;
  /// A scalar, all the elements of a tensor that are the same, or a tensor that
  /// has one element along the dimension. Nothing if nothing is read outside.
  OpFoldResult scalar;
  Value row;
};

/// Creates what computes the result of `op`, a sum over at most eight steps at
/// constant distances, by one elementwise operation per step: of shifts of what
/// was padded, or else of slices, if not `onlyShifts` is asked for. Leaves `op`
/// alone; fails if it is another operation.
FailureOr<Value> createUnrolledWindow(RewriterBase &rewriter,
                                      linalg::LinalgOp op, bool onlyShifts);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_SHIFTEDREAD_H
