//===- GraphAdjoint.h - Cotangents of tensors -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the derivatives of all operations at graph level share: the cotangents
// so far, and operations on tensors whose extents the program need not know.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_GRAPHADJOINT_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_GRAPHADJOINT_H

#include "Rules.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::scan::differentiate {

class GraphAdjoint {
public:
  explicit GraphAdjoint(OpBuilder &builder) : builder(builder) {}

  OpBuilder &builder;

  /// Marks `value` as one that depends on a differentiated argument.
  void activate(Value value) { active.insert(value); }
  void deactivate(Value value) { active.erase(value); }
  bool isActive(Value value) const { return active.contains(value); }
  /// Marks the results that depend on active operands of `op`.
  void activateResults(Operation *op);

  /// The cotangent of `value`; null where it is zero.
  Value getCotangent(Value value) const { return cotangents.lookup(value); }
  /// Adds to the cotangent of `value`, if it is active. The contribution has
  /// the rank and the element type of the value. It is masked (Rules.h) if
  /// `isMasked` says so or the operation that is visited has a masked
  /// cotangent.
  void accumulate(Value value, Value contribution, bool isMasked = false);

  /// Says that the cotangents of `results`, of one operation, are looked at
  /// now.
  void enter(ValueRange results);
  /// True if one of these is masked.
  bool isMasked() const { return isCurrentMasked; }
  /// True if the cotangent of `value` is.
  bool isMasked(Value value) const { return masked.contains(value); }
  /// What is given from now on is a sum of products, in which no zeros have to
  /// be kept: masked no more.
  void dropMask() { isCurrentMasked = false; }

  /// The extents of a tensor, asked for as far up as they are known, so that
  /// the value itself need not exist.
  SmallVector<OpFoldResult> getSizes(Value tensor);
  /// A tensor (or scalar) of zeros with the extents of `like`; of `elementType`
  /// if given.
  Value createZeros(Location loc, Value like, Type elementType = {});
  Value createFill(Location loc, Type elementType, ArrayRef<OpFoldResult> sizes,
                   double number);
  /// `value` summed over `dims`, in ascending order.
  Value createSum(Location loc, Value value, ArrayRef<int64_t> dims);
  /// The same for all dimensions, as a scalar.
  Value createTotal(Location loc, Value value);
  /// `value` with elements of `type`, which is of the same kind.
  Value castElements(Location loc, Value value, Type type);
  /// A tensor of another static type for the same extents.
  Value castTo(Location loc, Value value, Type type);
  /// `value`, which has the dimensions that are dropped from `type`, as a
  /// `type`: the dimensions `dims` have extent 1.
  Value createUnitDims(Location loc, Value value, ArrayRef<int64_t> dims,
                       RankedTensorType type);

private:
  DenseSet<Value> active;
  DenseMap<Value, Value> cotangents;
  DenseSet<Value> masked;
  bool isCurrentMasked = false;
};

/// Each goes through one operation of its kind, given that some result has
/// a cotangent, and accumulates those of its operands, or refuses.
LogicalResult visitLoops(GraphAdjoint &graph, Operation *op, Refuse refuse);
LogicalResult visitTensorOp(GraphAdjoint &graph, Operation *op, Refuse refuse);
void visitRecurrence(GraphAdjoint &graph, LinearRecurrenceOp op);
void visitShift(GraphAdjoint &graph, ShiftOp op);
void visitScatter(GraphAdjoint &graph, ScatterOp op);
LogicalResult visitAssociative(GraphAdjoint &graph, AssociativeOp op,
                               Refuse refuse);
LogicalResult visitTimeLoop(GraphAdjoint &graph, RecurrenceOp op,
                            Refuse refuse);

/// Goes through any operation, unless no result has a cotangent.
LogicalResult visitOperation(GraphAdjoint &graph, Operation *op, Refuse refuse);

/// The segments of a scan of the backward pass.
struct SegmentsAdjoint {
  /// Of the scan `op`; all null where `segments` are. `dim` is scanned, and
  /// `leaf` one of the tensors along it, of rank `rank` without trailing
  /// dimensions.
  SegmentsAdjoint(GraphAdjoint &graph, Location loc, Value segments,
                  ValueRange inits, Value leaf, unsigned rank, int64_t dim,
                  bool reverse);

  /// True if flags say where walks start.
  bool areFlags() const { return headFlags && !areOffsets; }
  /// What comes before the first step of a tensor of states like `leaf` when
  /// these are shifted: `init` if there is only one, of all walks; else zero,
  /// which `selectPrevious` replaces.
  Value getBoundary(Value init, Value like);
  /// The states before each step: `shifted` but at segment heads, where there
  /// is `init`; zero if that is null.
  Value selectPrevious(Value init, Value shifted);
  /// The map of `headFlags` from the dimensions of a tensor of rank `toRank`.
  AffineMap getHeadFlagsMap(unsigned toRank);
  /// The sum over all segments of `gradients`, one per segment, where `init`
  /// has one for all of them. `init` has `trailing` dimensions more than these.
  Value sumForInit(Value init, Value gradients, unsigned trailing = 0);

  /// With flags, which do not say of a step which walk it belongs to, what a
  /// walk starts from and what the last one leaves are told by the step:
  /// `headFlags` and the first step of all, which starts a walk in any case.
  Value getAllHeadFlags();
  /// A tensor with one state of type `type` per step: `last` at the last step,
  /// zero elsewhere. The backward scan starts from it.
  Value spreadLast(Value last, ArrayRef<OpFoldResult> sizes, Type type);
  /// The gradient of an init that all walks start from: the sum over all steps
  /// of `perStep`, which is zero but at segment heads. Without steps the init
  /// is the final state, which has the cotangent `last` (or null).
  Value sumOverHeads(Value perStep, Value last);

  GraphAdjoint &graph;
  Location loc;
  Value leaf;
  unsigned rank;
  int64_t dim;
  bool isReverse;
  bool areOffsets = false;
  /// Set at the steps where a walk starts, per step or per point.
  Value headFlags;
  /// Of each step the number of its segment; null unless an init asks for it.
  Value numbers;
  /// The segments of the scan that goes back.
  Value backward;

private:
  /// The number of steps, of type i64.
  Value createExtent();
  Value allHeadFlags;
};

/// True for what `visitLoops` takes: structured operations on tensors and
/// elementwise ones.
bool isLoopNest(Operation *op);

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_GRAPHADJOINT_H
