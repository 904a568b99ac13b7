//===- HostTracer.h - What a launch's operands stand for --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever launches a kernel has the arguments of the original function at hand
// and nothing else. The tracer follows the operands of gpu.launch_func back
// through the host function: pointers to the buffers they point into, integers
// to expressions in the extents and strides of the function's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_HOSTTRACER_H
#define SCAN_LIB_TARGET_HOSTTRACER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::scan {

/// The argument attribute of a function that marks an out-parameter: a
/// dictionary of `index`, the number of the result that it replaces, and
/// `shape`, one expression string per dimension.
inline constexpr StringLiteral resultAttrName = "scan.result";

/// The attribute of the operation that clears the workspace of a kernel: no
/// kernel is made of it, and a manifest says instead that the memory has to be
/// zero before the first launch.
inline constexpr StringLiteral workspaceAttrName = "scan.workspace";

/// A buffer that kernels read or write.
struct HostBuffer {
  enum class Kind { Argument, Result, Temporary, Constant };
  std::string name;
  Kind kind;
  /// Counts the arguments (scalars included), results, temporaries or
  /// constants of the function.
  unsigned index;
  MemRefType type;
  /// One expression per dimension.
  SmallVector<std::string> shape;
  /// The contents of a constant.
  Attribute value;
};

/// The names of what the caller knows: an integer argument, and extent, stride
/// or offset of a buffer argument.
std::string getArgumentName(unsigned argument);
std::string getExtentName(unsigned argument, unsigned dimension);
std::string getStrideName(unsigned argument, unsigned dimension);
std::string getOffsetName(unsigned argument);

/// Traces the values of one bufferized host function. An error is emitted once,
/// at the operation that cannot be followed.
class HostTracer {
public:
  explicit HostTracer(func::FuncOp function) : function(function) {}

  /// An index or integer as an expression in the names above, in the grammar of
  /// docs/manifest.md.
  FailureOr<std::string> traceIndexText(Value value);

  /// A comparison of two of those, likewise; or its opposite.
  FailureOr<std::string> traceConditionText(Value value, bool isNegated);

  /// The number in getBuffers() of the buffer that `memref` is a view of.
  FailureOr<unsigned> traceBuffer(Value memref);

  /// True if `memref` has all elements of its buffer, in the buffer's order.
  FailureOr<bool> isWholeBuffer(Value memref);

  /// Has a temporary hold result `index`, which the caller reads with `shape`.
  /// What is no temporary stays what it is.
  void holdResult(unsigned buffer, unsigned index, ArrayRef<std::string> shape);

  /// The shape of a buffer, dynamic extents traced.
  FailureOr<SmallVector<std::string>> traceShape(Value memref);

  /// Every buffer met so far, in the order of first use.
  ArrayRef<HostBuffer> getBuffers() const { return buffers; }

private:
  std::string print(AffineExpr expression) const;
  AffineExpr getSymbol(const std::string &text);
  AffineExpr getExtremum(StringRef name, ArrayRef<AffineExpr> operands);
  AffineExpr getConstant(int64_t value);
  FailureOr<AffineExpr> traceIndex(Value value);
  FailureOr<AffineExpr> traceFold(OpFoldResult value);
  FailureOr<AffineExpr> traceExtent(Value memref, unsigned dimension);
  FailureOr<AffineExpr> traceStride(Value memref, unsigned dimension);
  FailureOr<AffineExpr> traceOffset(Value memref);
  FailureOr<AffineExpr> traceCount(Value memref);
  FailureOr<AffineExpr> traceMap(AffineMap map, unsigned result,
                                 ValueRange operands);
  FailureOr<AffineExpr> traceArithmetic(Operation *op);
  FailureOr<SmallVector<AffineExpr>> traceAll(ValueRange values);

  func::FuncOp function;
  /// Emits `message` unless an error was emitted before.
  LogicalResult report(Location location, const Twine &message);

  bool reported = false;
  /// The text of each symbol: a name, or a call of min or max.
  SmallVector<std::string> symbols;
  SmallVector<HostBuffer> buffers;
  DenseMap<Value, unsigned> bufferOf;
};

/// `expression` in the grammar of docs/manifest.md, its symbols as `symbols`.
std::string printExpression(AffineExpr expression,
                            ArrayRef<std::string> symbols);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_HOSTTRACER_H
