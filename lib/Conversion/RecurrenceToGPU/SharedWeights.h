//===- SharedWeights.h - Weights in shared memory ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a structured operation reads in each step and no step writes, copied to
// shared memory in front of the loop over time. Whatever order it has in global
// memory, there it has a row for each point of the reductions that it varies
// along, in which the elements lie side by side that neighbouring threads
// compute with. Rows are an odd number of words apart, so that neither the
// accesses along a row nor those across, of the copy, have bank conflicts.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_SHAREDWEIGHTS_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_SHAREDWEIGHTS_H

#include "BlockBody.h"

namespace mlir::scan {

class SharedWeights {
public:
  /// How `operand`, an invariant input, would lie there: `walked` and `divided`
  /// are the loops of `op` that one thread walks and that threads divide,
  /// `skipped` the points of the reductions that it is not read at. None if
  /// extents are not known or an index is not a loop's.
  static std::optional<SharedWeights>
  get(linalg::LinalgOp op, OpOperand &operand, ArrayRef<unsigned> walked,
      ArrayRef<unsigned> divided, int64_t skipped);

  MemRefType getType() const { return MemRefType::get({size}, elementType); }
  /// Copies the elements to `buffer`, of that type. `b` is in front of the loop
  /// over time, which begins with a barrier.
  void fill(ImplicitLocOpBuilder &b, BlockBody &body, Value buffer);
  /// The element at the point of these loops.
  Value load(ImplicitLocOpBuilder &b, ArrayRef<Value> point) const;

private:
  /// The index of a loop's element, from its number in the operand.
  Value getIndex(ImplicitLocOpBuilder &b,
                 function_ref<Value(unsigned)> getNumber) const;

  Value memref, buffer;
  Type elementType;
  /// Of each dimension of the operand: the loop, how many elements it has, and
  /// how far they lie from each other here.
  SmallVector<unsigned> loops;
  SmallVector<int64_t> extents, strides;
  /// The dimension whose first elements are left out, and how many.
  unsigned skippedDim = 0;
  int64_t skipped = 0;
  int64_t size = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_SHAREDWEIGHTS_H
