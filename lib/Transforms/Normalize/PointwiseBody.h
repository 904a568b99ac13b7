//===- PointwiseBody.h - A step of a recurrence, lane by lane ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a scan.recurrence computes rows. It is pointwise if an element of
// the next rows depends on the same element of the previous ones, of the inputs
// and of the captures, where these may be broadcast. Then it is scalar code
// for one lane: this.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEBODY_H
#define SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEBODY_H

#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Transforms/Normalize.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::scan {

class PointwiseBody {
public:
  /// What a lane reads at each step besides the states: an element of an input
  /// or of a capture under `map`, from the lanes to the dimensions of its row;
  /// or, without a value, an index.
  struct Element {
    /// The block argument that is the row; null for an index.
    BlockArgument row;
    /// For an index: the lane's along this dimension, or the step's number if
    /// there is none.
    std::optional<unsigned> lane;
    /// For an extent: a dimension of `row`.
    std::optional<unsigned> extent;
    AffineMap map;
    /// The type that it is carried in: indices are i64.
    Type type;

    bool operator==(const Element &other) const {
      return row == other.row && lane == other.lane && extent == other.extent &&
             map == other.map;
    }
  };

  PointwiseBody(RecurrenceOp op, NormalizeObstacle &obstacle);
  ~PointwiseBody();

  /// Computes all that the body yields; fails, and says why in the obstacle, if
  /// it is not pointwise.
  LogicalResult compute();

  /// How many dimensions rows of states have.
  unsigned getNumLanes() const { return numLanes; }
  ArrayRef<Element> getElements() const { return elements; }
  /// What one lane yields: elements of the states' rows, then of the outputs.
  ArrayRef<Value> getYields() const { return yields; }
  /// The element types of the states' previous rows, one per row.
  ArrayRef<Type> getRowTypes() const { return rowTypes; }

  /// Stops the program, by checks at the place of `builder`, where extents of
  /// operands are not those of the lanes that walk along them.
  void createChecks(OpBuilder &builder);

  /// Moves the code to the end of `block`, which may be in no region, where
  /// `rows` and `read` are the elements of the previous rows and what is read.
  /// Returns what is yielded.
  SmallVector<Value> moveTo(Block &block, ValueRange rows, ValueRange read);

private:
  Value fail(Operation *op, const Twine &reason);
  Value evaluate(Value value, AffineMap map);
  Value evaluateArgument(BlockArgument argument, AffineMap map);
  Value evaluateTensorOp(Operation *op, unsigned result, AffineMap map);
  Value evaluateScalarOp(Operation *op, unsigned result);
  Value read(Element element, Type type);
  LogicalResult checkExtents();

  RecurrenceOp op;
  NormalizeObstacle &obstacle;
  unsigned numLanes = 0;
  /// The code: its arguments are the previous rows' elements, then those of
  /// `elements`.
  std::unique_ptr<Block> code;
  OpBuilder builder;
  SmallVector<Type> rowTypes;
  SmallVector<Element> elements;
  SmallVector<Value> yields;
  DenseMap<std::pair<Value, AffineMap>, Value> known;
  /// Rows of the body that elementwise code reads at the same places, so that
  /// they have the same extents: block arguments, and what is yielded.
  llvm::EquivalenceClasses<unsigned> sameExtents;
  /// What is being computed among them.
  unsigned current = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NORMALIZE_POINTWISEBODY_H
