//===- CaptureGradients.h - Gradients of weights behind the loop *- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all steps see, the captures of a scan.recurrence, has the sum of what
// all steps give it as gradient. A product of matrices in a step gives weights
// of K x N a product of its own, of rank one without a batch: added up step by
// step, each step would read and write the whole gradient, T times. Behind the
// loop it is one contraction over batch and time, of what the steps have read
// and the cotangents of what they have computed, which are outputs of the
// backward pass: T rows of K and of N instead, and a product large enough to be
// computed in blocks. The same holds for all that sums up over a row, as a bias
// does that is broadcast over a batch: the step stays free of reductions, and
// pointwise if it was.
//
// A capture that a step reads element by element (a diagonal weight) is given
// no more than a row per step, and as fast as rows are: a state sums it up.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_CAPTUREGRADIENTS_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_CAPTUREGRADIENTS_H

#include "GraphAdjoint.h"
#include "RecurrenceBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::scan::differentiate {

class CaptureGradients {
public:
  /// For the backward pass `recurrence`, in whose body `inner` goes backwards.
  CaptureGradients(GraphAdjoint &outer, GraphAdjoint &inner,
                   RecurrenceBuilder &recurrence, int64_t dim,
                   OpFoldResult steps)
      : outer(outer), inner(inner), recurrence(recurrence), dim(dim),
        steps(steps) {}

  /// The captures, as arguments of the body, whose gradients by `op` are
  /// computed behind the loop. What that needs of each step becomes an output.
  SmallVector<Value> defer(Operation *op);

  /// Computes them behind `backward`, the operation that was made.
  LogicalResult emit(RecurrenceOp backward, Refuse refuse);

private:
  /// A value of the body at all steps: a tensor outside with or without the
  /// dimension of time, or an output.
  struct Source {
    Value outside;
    int output = -1;
    bool hasTime = false;
    int64_t rank = 0;
  };
  /// A structured operation of the body with time as one more loop, where it is
  /// in rows of one dimension per loop.
  struct Deferred {
    explicit Deferred(Location loc) : loc(loc) {}
    Location loc;
    bool isMasked = false;
    SmallVector<Source> inputs, destinations;
    /// Of destinations that are only written.
    SmallVector<SmallVector<OpFoldResult>> destinationSizes;
    SmallVector<Type> elements;
    /// Of each result; none where it has no cotangent.
    SmallVector<std::optional<Source>> cotangents;
    SmallVector<AffineMap> maps;
    SmallVector<utils::IteratorType> iterators;
    std::unique_ptr<Region> region;
    /// The inputs whose gradient is asked for.
    SmallVector<unsigned> wanted;
  };

  std::optional<Source> getSource(Value value);
  /// The tensor of `source`, once the backward pass is there.
  Value getTensor(const Source &source, RecurrenceOp backward);
  std::optional<SmallVector<OpFoldResult>> getSizesOutside(Value value);
  bool fill(Deferred &deferred, linalg::LinalgOp op);
  LogicalResult emit(Deferred &deferred, RecurrenceOp backward, Refuse refuse);
  /// Where time is beside `rank` dimensions.
  int64_t getTimeDim(int64_t rank) { return std::min(dim, rank); }
  AffineMap addTime(AffineMap map, bool hasTime);

  GraphAdjoint &outer, &inner;
  RecurrenceBuilder &recurrence;
  int64_t dim;
  OpFoldResult steps;
  std::vector<Deferred> all;
  DenseMap<int, Value> tensorOf;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_CAPTUREGRADIENTS_H
