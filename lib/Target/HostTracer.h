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

#include "HostAttributes.h"
#include "IndexTracer.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::scan {

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
  SmallVector<Attribute> shape;
  /// The contents of a constant.
  Attribute value;
};

/// Traces the values of one bufferized host function. An error is emitted once,
/// at the operation that cannot be followed.
class HostTracer {
public:
  explicit HostTracer(func::FuncOp function)
      : function(function), indices(function) {}

  /// The number in getBuffers() of the buffer that `memref` is a view of.
  FailureOr<unsigned> traceBuffer(Value memref);

  /// Has a temporary hold result `index`, which the caller reads with `shape`.
  /// What is no temporary stays what it is.
  void holdResult(unsigned buffer, unsigned index, ArrayRef<Attribute> shape);

  /// The number in getStatuses() of the status that `memref` is a view of.
  FailureOr<unsigned> traceStatus(Value memref);
  /// Of each status that kernels write, which argument of the function the
  /// offsets are that it is about; none if the function computes them.
  ArrayRef<std::optional<unsigned>> getStatuses() const { return statuses; }

  /// Every buffer met so far, in the order of first use.
  ArrayRef<HostBuffer> getBuffers() const { return buffers; }

  IndexTracer &getIndices() { return indices; }

private:
  func::FuncOp function;
  IndexTracer indices;
  SmallVector<HostBuffer> buffers;
  DenseMap<Value, unsigned> bufferOf;
  SmallVector<std::optional<unsigned>> statuses;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_HOSTTRACER_H
