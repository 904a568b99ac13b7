//===- Jacobian.h - What is known of a combine region's slopes --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_JACOBIAN_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_JACOBIAN_H

#include "Rules.h"

namespace mlir::scan::differentiate {

/// What the way a region is written says of a derivative.
enum class Entry { Zero, One, Value };

/// A square matrix of such entries.
class Sparsity {
public:
  explicit Sparsity(unsigned size = 0)
      : size(size), entries(static_cast<size_t>(size) * size, Entry::Zero) {}
  unsigned getSize() const { return size; }
  Entry &at(unsigned row, unsigned column) {
    return entries[row * size + column];
  }
  Entry at(unsigned row, unsigned column) const {
    return entries[row * size + column];
  }
  bool isIdentity() const;
  /// The pattern with rows and columns `kept`.
  Sparsity select(ArrayRef<unsigned> kept) const;
  Sparsity transpose() const;
  /// What is true of the matrices of this pattern and of all their products.
  Sparsity closure() const;

private:
  unsigned size;
  SmallVector<Entry> entries;
};

/// A combine region over scalars: 2N arguments, N yields.
class CombineAdjoint {
public:
  /// `combine` is of scalars.
  explicit CombineAdjoint(Block &combine) : combine(combine) {}

  /// Finds the patterns. Fails at an operation without a derivative.
  LogicalResult init(Refuse refuse);

  unsigned getNumLeaves() const { return combine.getNumArguments() / 2; }
  Type getType(unsigned leaf) const {
    return combine.getArgument(leaf).getType();
  }
  /// Row j, column i: how result j depends on the accumulated value i.
  const Sparsity &getAccumulated() const { return accumulated; }
  /// The same for the new values.
  const Sparsity &getNew() const { return fresh; }

  /// True if the slopes are numbers wherever the arguments are: the region only
  /// adds, multiplies, compares and selects.
  bool isPolynomial() const;

  /// Emits the products of the transposed Jacobian matrices with `seeds`, one
  /// per leaf, null for zero: 2N cotangents, null where they are zero. `values`
  /// are the 2N arguments. `isMasked` says what the seeds are (Rules.h).
  SmallVector<Value> emit(OpBuilder &builder, ValueRange values,
                          ArrayRef<Value> seeds, bool isMasked = false) const;

private:
  FailureOr<SmallVector<Value>> emit(OpBuilder &builder, ValueRange values,
                                     ArrayRef<Value> seeds, bool isMasked,
                                     Refuse refuse) const;

  Block &combine;
  Sparsity accumulated, fresh;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_JACOBIAN_H
