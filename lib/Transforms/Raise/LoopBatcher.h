//===- LoopBatcher.h - Independent iterations at once -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_LOOPBATCHER_H
#define SCAN_LIB_TRANSFORMS_RAISE_LOOPBATCHER_H

#include "LoopPreparation.h"
#include "RecurrenceLoop.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::scan {

/// Makes operations on tensors with one dimension more, the *batch*, of a loop
/// whose iterations are independent.
class LoopBatcher {
public:
  LoopBatcher(RewriterBase &rewriter, scf::ForOp loop, Obstacle &obstacle)
      : rewriter(rewriter), loop(loop), indices(loop), obstacle(obstacle) {}

  /// Replaces the loop.
  LogicalResult run();

private:
  /// A value of an iteration, in all iterations.
  struct Batched {
    Value value;
    /// Where the batch is among its dimensions; -1: it is the same in each
    /// iteration.
    int64_t position = -1;
    /// A tensor that the loop carries, as it is after all iterations: each
    /// reads and writes its place along a dimension, the batch of `value`,
    /// which the value of an iteration has too.
    bool isWhole = false;
  };
  /// A part of a tensor, in all iterations.
  struct Part {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    llvm::SmallBitVector dropped;
    int64_t dim = -1;
    /// Where the batch is in the part.
    int64_t getPosition() const;
  };

  LogicalResult convert(Operation *op);
  LogicalResult convertRead(Operation *op);
  LogicalResult convertWrite(Operation *op);
  LogicalResult convertDim(Operation *op);
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertStructured(linalg::LinalgOp op);
  LogicalResult convertScan(Operation *op);
  LogicalResult convertCast(Operation *op);
  LogicalResult convertSplat(Operation *op, Value scalar);
  LogicalResult finish();

  /// What `value` is in all iterations.
  FailureOr<Batched> get(Operation *user, Value value);
  /// The same with the batch at `position`, in a tensor like `type`.
  Value getAt(Batched value, int64_t position, Type type);
  std::optional<Part> getPart(Operation *op, const Batched &tensor,
                              ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes,
                              ArrayRef<OpFoldResult> strides,
                              const llvm::SmallBitVector &dropped);
  OpFoldResult getUniform(Operation *op, OpFoldResult value, bool &isUniform);
  /// A generic operation with the batch in front of its loops. `maps` and
  /// `operands` are those of one iteration; `captured` are further scalars.
  Value createGeneric(Location loc, ArrayRef<Batched> operands,
                      ArrayRef<AffineMap> maps, Batched init, AffineMap initMap,
                      ArrayRef<utils::IteratorType> iterators,
                      function_ref<Value(OpBuilder &, ValueRange)> body);
  void set(Value value, Value batched, int64_t position) {
    known[value] = {batched, position, false};
  }

  RewriterBase &rewriter;
  scf::ForOp loop;
  /// For its indices.
  RecurrenceLoop indices;
  Obstacle &obstacle;
  OpFoldResult count;
  llvm::DenseMap<Value, Batched> known;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_LOOPBATCHER_H
