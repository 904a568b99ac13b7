//===- BackwardScan.h - Scans of an adjoint ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARDSCAN_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARDSCAN_H

#include "AffineMaps.h"
#include "LeafParts.h"

namespace mlir::scan::differentiate {

/// What the scan of cotangents reads of the scan that is differentiated.
struct BackwardOperands {
  const LeafParts &parts;
  const CombineAdjoint &combine;
  SegmentsAdjoint &segments;
  /// The extents of the domain.
  ArrayRef<OpFoldResult> sizes;
  /// Per part the cotangent of its final state; null where it is zero.
  ArrayRef<Value> lastCotangents;
};

/// The scan of affine maps, in the other direction, whose states are the
/// cotangents s_t (AssociativeAdjoint.h). Of the matrices only the entries are
/// scanned that differ from step to step.
class BackwardScan {
public:
  /// `carried` are the parts whose cotangent is scanned, in this order.
  BackwardScan(GraphAdjoint &graph, AssociativeOp op,
               const BackwardOperands &operands, ArrayRef<unsigned> carried);

  ArrayRef<unsigned> getCarried() const { return carried; }
  /// Per entry of the matrices that is scanned: its row and column.
  ArrayRef<std::pair<unsigned, unsigned>> getEntries() const {
    return affine.getEntries();
  }
  /// The pattern of the matrix of one step.
  const Sparsity &getPattern() const { return affine.getPattern(); }

  /// Creates the scan. `maps` has the entries, then the offsets.
  void create(ArrayRef<Value> maps);
  /// Per carried part: u_t, and the final states, null where nobody asks for
  /// them.
  ArrayRef<Value> getStates() const { return states; }
  ArrayRef<Value> getFirst() const { return first; }

private:
  void createAssociativeScan(ArrayRef<Value> maps);
  /// What the scan of part `part` starts from: the cotangent of its final
  /// state.
  Value createInit(unsigned part);

  GraphAdjoint &graph;
  OpBuilder &builder;
  AssociativeOp op;
  Location loc;
  int64_t dim;
  const LeafParts &parts;
  const CombineAdjoint &combine;
  SegmentsAdjoint &segments;
  ArrayRef<OpFoldResult> sizes;
  ArrayRef<Value> lastCotangents;
  SmallVector<unsigned> carried;
  AffineMaps affine;
  SmallVector<Value> states, first;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARDSCAN_H
