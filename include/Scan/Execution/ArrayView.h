//===- ArrayView.h - Arrays in memory of somebody else ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_ARRAYVIEW_H
#define SCAN_EXECUTION_ARRAYVIEW_H

#include "Scan/Reference/HostArray.h"

namespace mlir::scan {

/// An array whose memory is not its own. Elements are held as HostArray says.
struct ArrayView {
  Type elementType;
  llvm::SmallVector<int64_t> shape;
  /// Distances between neighbours in a dimension, in elements, of any sign.
  llvm::SmallVector<int64_t> strides;
  /// The element with all indices zero.
  const char *data = nullptr;

  /// All of `array`.
  static ArrayView get(const HostArray &array);

  /// Whether the elements lie one after the other, in row-major order.
  bool isDense() const;
  /// Whether neighbours in the innermost dimension are neighbours in memory.
  bool isInnermostDense() const;
};

/// The strides, in elements, of a dense array in row-major order.
llvm::SmallVector<int64_t> getDenseStrides(llvm::ArrayRef<int64_t> shape);

/// Copies all elements of `source` to `target`, an array of the same shape and
/// element type with these strides, which does not overlap it.
void copyElements(const ArrayView &source, char *target,
                  llvm::ArrayRef<int64_t> targetStrides);

/// A dense copy. The bytes must have been checked with `getByteSize`.
HostArray copyToHostArray(const ArrayView &source);

} // namespace mlir::scan

#endif // SCAN_EXECUTION_ARRAYVIEW_H
