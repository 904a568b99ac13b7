//===- PointwiseParts.h - Operands of a pointwise recurrence ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a recurrence with a pointwise step reads and returns, as operands and
// results of code over a domain: its lanes, with time in between.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEPARTS_H
#define SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEPARTS_H

#include "PointwiseBody.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

class PointwiseParts {
public:
  /// What a point of the domain reads: an element of `source` under `map`, or
  /// an index, where `source` is null.
  struct Read {
    Value source;
    AffineMap map;
  };

  /// `steps` is how many steps `op` has.
  PointwiseParts(RewriterBase &rewriter, RecurrenceOp op, OpFoldResult steps);

  Read createRead(const PointwiseBody::Element &element);
  /// Row `number` of the init of a state, a tensor without the dimension of
  /// time.
  Value createInitRow(unsigned state, int64_t number);
  /// The history of a state of which `rows` has all steps: with the rows of the
  /// init where the recurrence asks for them.
  Value createHistory(unsigned state, Value rows);

private:
  /// A map from the lanes as one from the domain, with the step put in between
  /// where `isPerStep`.
  AffineMap getDomainMap(AffineMap fromLanes, bool isPerStep);

  RewriterBase &rewriter;
  RecurrenceOp op;
  Location loc;
  unsigned dim, rank;
  OpFoldResult steps;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEPARTS_H
