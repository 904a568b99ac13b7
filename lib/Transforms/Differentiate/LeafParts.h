//===- LeafParts.h - The elements of leaves, one by one ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LEAFPARTS_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LEAFPARTS_H

#include "GraphAdjoint.h"

namespace mlir::scan::differentiate {

/// One element of the leaves: which leaf, and where in its trailing dimensions.
struct Part {
  unsigned leaf;
  SmallVector<int64_t> position;
};

/// The elements of all leaves of a scan, in the order in which the combine
/// region over scalars has them.
class LeafParts {
public:
  LeafParts(GraphAdjoint &graph, AssociativeOp op) : graph(graph), op(op) {}

  /// Lists the elements, once it is known that there are not too many.
  void init();

  size_t size() const { return parts.size(); }
  const Part &operator[](size_t number) const { return parts[number]; }
  auto begin() const { return parts.begin(); }
  auto end() const { return parts.end(); }

  /// The elements of one part of a tensor: of a leaf, a result or a cotangent,
  /// or of one without the scan dimension.
  Value extract(Value tensor, const Part &part);
  /// The tensor of type and extents of `like` that has these values, one per
  /// part, in its parts; null if it would have none.
  Value join(Value like, unsigned leaf, ArrayRef<Value> values,
             RankedTensorType type);

private:
  ArrayRef<int64_t> getTrailingShape(unsigned leaf);

  GraphAdjoint &graph;
  AssociativeOp op;
  SmallVector<Part> parts;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LEAFPARTS_H
