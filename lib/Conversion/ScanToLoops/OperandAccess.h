//===- OperandAccess.h - Elements of operands at a point --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Where code is emitted for: a point of the domain, or `width` neighbouring
/// points along `laneDim` that start there.
struct Point {
  SmallVector<Value> indices; ///< One per domain dimension.
  unsigned laneDim = 0;       ///< Meaningful if width > 1.
  int64_t width = 1;          ///< 1: scalars; otherwise vectors of this length.
};

/// Emits loads and stores of the operands of one kernel. All emitted values are
/// scalars or, at points that are wider than 1, vectors.
class OperandAccess {
public:
  OperandAccess(OpBuilder &builder, KernelOp kernel);

  Location getLoc() const { return loc; }
  KernelOp getKernel() const { return kernel; }
  Value index(int64_t value);
  /// The extents of the domain as index values.
  ArrayRef<Value> getSizes() const { return sizes; }

protected:
  /// How an operand moves with the lanes of a vector.
  enum class LaneAccess { Invariant, Contiguous, Flags, Elements };
  LaneAccess getLaneAccess(OpOperand &operand, unsigned laneDim);

  void load(OpOperand &operand, const Point &point,
            SmallVectorImpl<Value> &elements);
  /// Loads an input that is shifted, or the boundary that it continues with.
  void loadShifted(OpOperand &operand, const Point &point,
                   SmallVectorImpl<Value> &elements);
  /// Stores the elements; with `isAdded`, adds them to what is there.
  void store(OpOperand &operand, const Point &point, ValueRange elements,
             bool isAdded = false);
  Value add(Value a, Value b);
  Value zero(Type type, int64_t width);
  Value splat(Value scalar, int64_t width);
  MutableArrayRef<OpOperand> operandsOf(OperandRange group);

  OpBuilder &builder;
  KernelOp kernel;
  Location loc;
  SmallVector<Value> sizes;

private:
  SmallVector<Value> indicesOf(AffineMap map, ArrayRef<Value> point,
                               ArrayRef<int64_t> trailing, int64_t element);
  /// The address of an element of an array of flags.
  Value getFlagAddress(Value source, ValueRange indices);
  SmallVector<Point> getLanes(const Point &point);
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H
