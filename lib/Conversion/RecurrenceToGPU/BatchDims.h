//===- BatchDims.h - Dimensions that a step treats apart --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *batch dimension* of a recurrence is one along which no step reads across:
// what a step computes at index i depends on the previous rows, the inputs and
// the captures at i. Thread blocks divide it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHDIMS_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHDIMS_H

#include "Scan/IR/ScanRecurrence.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

class BatchDims {
public:
  explicit BatchDims(RecurrenceOp op);

  /// How many there are; they are numbered as the first state has them.
  unsigned size() const { return batches.size(); }
  /// Which one dimension `dim` of `value`, a tensor in the body, is.
  std::optional<unsigned> get(Value value, int64_t dim) const;
  /// `type` as the type of `value` with extents of 1 along them.
  Type getType(Value value) const;

  /// Copies the operations of the body but for its terminator, where `mapping`
  /// has tensors with extents of 1 for its arguments. Returns what is yielded.
  SmallVector<Value> cloneBody(OpBuilder &builder, IRMapping &mapping) const;

private:
  using Node = std::pair<const void *, int64_t>;
  unsigned getNode(Node key);
  unsigned getNode(Value value, int64_t dim) {
    return getNode({value.getAsOpaquePointer(), dim});
  }
  unsigned find(unsigned node) const;
  void unite(unsigned lhs, unsigned rhs);
  void forbid(unsigned node) { forbidden.push_back(node); }
  void forbidAll(Value value);
  void uniteAll(Value lhs, Value rhs);
  /// `size` is the extent of dimension `dim` of `value`.
  void addSize(OpFoldResult size, Value value, int64_t dim);

  void addOperation(Operation *op);
  void addLinalg(linalg::LinalgOp op);
  template <typename OpTy>
  bool addSlice(OpTy op, Value whole, Value part, bool isLast);
  bool addSlices(bool isLast);
  void addDimUses(Operation *op);
  void choose();
  bool isInAll(unsigned root);

  void cloneOperation(OpBuilder &builder, Operation &op,
                      IRMapping &mapping) const;
  SmallVector<OpFoldResult> getSizes(Value value, ArrayRef<OpFoldResult> sizes,
                                     const IRMapping &mapping) const;

  RecurrenceOp op;
  DenseMap<Node, unsigned> nodes;
  SmallVector<unsigned> parents, forbidden;
  /// The roots of the batch dimensions.
  SmallVector<unsigned> batches;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHDIMS_H
