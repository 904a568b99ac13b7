//===- AssociativeAdjoint.h - Adjoint of associative scans ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With y_t = f(y_{t-1}, x_t), and A_t and B_t the Jacobian matrices of f by its
// accumulated and by its new values at step t, the whole cotangent of y_t is
//
//   g_t = dy_t + u_t,  u_t = A_{t+1}^T g_{t+1},  and  dx_t = B_t^T g_t.
//
// The states s_t = A_t^T g_t = A_t^T s_{t+1} + A_t^T dy_t are those of a scan
// in the other direction whose elements are affine maps, and u_t is s before
// step t. Of an exclusive scan dy_t is the cotangent of y_{t-1}: there, s_t =
// A_t^T s_{t+1} + dy_t and g_t = u_t. Leaves that no cotangent reaches, leaves
// that nobody asks for, and entries of A that are 0 or 1 in every product are
// left out.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_ASSOCIATIVEADJOINT_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_ASSOCIATIVEADJOINT_H

#include "BackwardScan.h"
#include "Loops.h"

namespace mlir::scan::differentiate {

class AssociativeAdjoint {
public:
  AssociativeAdjoint(GraphAdjoint &graph, AssociativeOp op)
      : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
        rank(op.getIterationRank()), dim(op.getDim()),
        identity(builder.getMultiDimIdentityMap(rank)),
        segments(graph, loc, op.getSegments(), op.getInits(),
                 op.getInputs().front(), rank, dim, op.getReverse()),
        parts(graph, op) {}
  LogicalResult visit(Refuse refuse);

private:
  LogicalResult initCombine(Refuse refuse);
  void initParts();
  /// Finds the parts that have a cotangent on the way and that somebody asks
  /// for.
  void initCarried();

  /// The states before each step, per leaf.
  void createPrevious();
  /// The operands of the loops over all elements: per part the state before
  /// the step, the new element, the cotangent if there is one, and `more`.
  SmallVector<LoopOperand> getReads(ArrayRef<Value> more);
  /// The 2N arguments of the combine region at one point.
  SmallVector<Value> getCombineValues(OpBuilder &b, ValueRange args,
                                      Value isFirst);
  /// The cotangent of each part at one point, null where it is zero.
  SmallVector<Value> getCotangents(OpBuilder &b, ValueRange args);
  /// The same with what later steps make of it, u, which has been read as the
  /// first of `more`: of the state after the step.
  SmallVector<Value> getWholeCotangents(OpBuilder &b, ValueRange args);
  /// True at the first step of a walk; null if it does not matter.
  Value createIsFirst(OpBuilder &b, ValueRange args);

  /// The affine maps that the backward scan composes: entries and offsets.
  SmallVector<Value> createMaps();
  void accumulateInits();
  /// The same for flags.
  void accumulateInitsAtHeads();
  /// The gradients `values`, per part, to an init of their leaf.
  void accumulateInit(unsigned leaf, ArrayRef<Value> values);
  void accumulateInputs();

  GraphAdjoint &graph;
  OpBuilder &builder;
  AssociativeOp op;
  Location loc;
  unsigned rank;
  int64_t dim;
  AffineMap identity;
  SegmentsAdjoint segments;
  SmallVector<OpFoldResult> sizes;
  Region scalars, region;
  std::optional<CombineAdjoint> combine;
  LeafParts parts;
  SmallVector<Value> previous, inputs, cotangents, lastCotangents;
  unsigned firstCotangent = 0, firstMore = 0;
  /// No init: the first state is the first element, whatever f does.
  bool needsFirst = false;
  Value lastIndex;
  /// Set once it is known whose cotangents are scanned.
  std::optional<BackwardScan> backward;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_ASSOCIATIVEADJOINT_H
