//===- IndexTracer.h - Sizes in a host function -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_INDEXTRACER_H
#define SCAN_LIB_TARGET_INDEXTRACER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"

namespace mlir::scan {

/// The argument, allocation or constant that `memref` is a view of.
Value getRootBuffer(Value memref);

/// Follows integers of one host function back to the extents,
/// strides and integers among its arguments. What is traced is an expression in
/// their names (HostExpression.h). An error is emitted once, at the operation
/// that cannot be followed.
class IndexTracer {
public:
  explicit IndexTracer(func::FuncOp function) : function(function) {}
  /// No errors are emitted: who asks can do without what cannot be followed.
  static IndexTracer getSilent(func::FuncOp function) {
    IndexTracer tracer(function);
    tracer.reported = true;
    return tracer;
  }

  /// An index or integer.
  FailureOr<Attribute> trace(Value value);
  FailureOr<Attribute> trace(OpFoldResult value);

  /// How often a loop of launches runs.
  FailureOr<Attribute> traceTripCount(scf::ForOp loop);
  /// The name of the number of an iteration of such a loop.
  std::string getStepName(scf::ForOp loop);

  /// Extent `dimension` of a tensor, before bufferization.
  FailureOr<Attribute> traceTensor(Value tensor, unsigned dimension);

  /// A comparison of two of those; or its opposite.
  FailureOr<Attribute> traceCondition(Value value, bool isNegated);

  /// The shape of a buffer.
  FailureOr<SmallVector<Attribute>> traceShape(Value memref);

  /// True if `memref` has all elements of its buffer, in the buffer's order.
  FailureOr<bool> isWholeBuffer(Value memref);

  /// Emits `message` unless an error was emitted before.
  LogicalResult report(Location location, const Twine &message);

private:
  AffineExpr getSymbol(Attribute expression);
  AffineExpr getSymbol(const std::string &name);
  AffineExpr getExtremum(StringRef name, ArrayRef<AffineExpr> operands);
  AffineExpr getConstant(int64_t value);
  FailureOr<AffineExpr> traceIndex(Value value);
  FailureOr<AffineExpr> traceFold(OpFoldResult value);
  /// The index of an iteration of a loop of launches.
  FailureOr<AffineExpr> traceStep(BlockArgument argument);
  FailureOr<AffineExpr> traceExtent(Value memref, unsigned dimension);
  FailureOr<AffineExpr> traceTensorExtent(Value tensor, unsigned dimension);
  FailureOr<AffineExpr> traceStride(Value memref, unsigned dimension);
  FailureOr<AffineExpr> traceOffset(Value memref);
  FailureOr<AffineExpr> traceCount(Value memref);
  /// The extents that casts on the way from the buffer to `memref` make static,
  /// and what they then are.
  FailureOr<llvm::DenseMap<AffineExpr, AffineExpr>> traceCasts(Value memref);
  /// The expression of a tree; what is no affine expression is a symbol.
  AffineExpr getExpression(Attribute tree);
  /// `expression`, a number of elements, say, as it is where the requirements
  /// of the function hold (`scan.requires`): equal ones become the same.
  AffineExpr applyRequirements(AffineExpr expression);
  FailureOr<AffineExpr> traceMap(AffineMap map, unsigned result,
                                 ValueRange operands);
  FailureOr<AffineExpr> traceArithmetic(Operation *op);
  FailureOr<SmallVector<AffineExpr>> traceAll(ValueRange values);

  func::FuncOp function;
  bool reported = false;
  /// What each symbol stands for: a name, or a call of min or max.
  SmallVector<Attribute> symbols;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_INDEXTRACER_H
