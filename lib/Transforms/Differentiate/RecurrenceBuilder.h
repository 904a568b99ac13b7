//===- RecurrenceBuilder.h - A scan.recurrence part by part -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step of a backward pass reads, and what has to be kept of it, is known
// when its body has been written. So the body comes first, and the operation
// with the operands that are left in use.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RECURRENCEBUILDER_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RECURRENCEBUILDER_H

#include "Scan/IR/ScanRecurrence.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::scan::differentiate {

class RecurrenceBuilder {
public:
  /// A recurrence over `steps` steps along `dim` that `builder` will insert.
  /// `order` may be null.
  RecurrenceBuilder(OpBuilder &builder, Location loc, int64_t dim, bool reverse,
                    OpFoldResult steps, OrderAttr order);

  /// Inserts at the end of the body.
  OpBuilder &getBodyBuilder() { return inner; }
  Value getTime() { return body->getArgument(0); }

  /// Each returns the block argument. States have one row of init.
  Value addState(Value init);
  Value addInput(Value tensor);
  Value addCapture(Value value);
  /// The tensor outside whose row `row` is; null if it is no row of an input.
  Value getInputOf(Value row) const { return inputOf.lookup(row); }
  /// The value outside that `argument` is; null if it is no capture.
  Value getCaptureOf(Value argument) const {
    return captureOf.lookup(argument);
  }

  /// Says what the next row of state number `i` is.
  void setNext(unsigned i, Value row) { nexts[i] = row; }
  /// The number of the output that has the rows `row`, whose extents outside
  /// are `sizes`. Rows with fewer dimensions than there are in front of time
  /// get unit dimensions in front; the number of these is `getUnitDims`.
  unsigned addOutput(Value row, ArrayRef<OpFoldResult> sizes);
  unsigned getUnitDims(Type row) const;
  /// `row` with these unit dimensions; null if it has a type that no row has.
  Value padRow(Value row);

  /// The number `index`, which the body computes, computed outside; null if
  /// that depends on the step or on what is computed there.
  OpFoldResult getOutside(OpFoldResult index);

  /// Erases what is not used, and creates the operation. `hasSteps` keeps the
  /// number of steps as an operand, as inputs may have more rows.
  RecurrenceOp create(bool hasSteps);

private:
  Value getOutside(Value index);
  void eraseUnused();

  OpBuilder &builder;
  OpBuilder inner;
  Location loc;
  int64_t dim;
  bool isReverse;
  OpFoldResult steps;
  OrderAttr order;
  /// Has the body until the operation is created: values that are used in
  /// a region are looked for up to an operation.
  OwningOpRef<RecurrenceOp> holder;
  Block *body;
  SmallVector<Value> inits, inputs, captures, nexts, outputs;
  SmallVector<SmallVector<OpFoldResult>> outputSizes;
  DenseMap<Value, Value> inputOf, captureOf, initOf;
  DenseMap<Value, unsigned> outputOf;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_RECURRENCEBUILDER_H
