//===- KernelWriter.h - One kernel of a manifest ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_KERNELWRITER_H
#define SCAN_LIB_TARGET_KERNELWRITER_H

#include "HostTracer.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {

/// A launch, and under which conditions it is: all of these, or their opposites
/// where the flag is set.
struct Launch {
  gpu::LaunchFuncOp op;
  SmallVector<std::pair<Value, bool>> conditions;
};

/// Writes the entries of the kernels that one host function launches.
class KernelWriter {
public:
  KernelWriter(llvm::json::OStream &json, func::FuncOp function,
               HostTracer &tracer)
      : json(json), function(function), tracer(tracer) {}

  LogicalResult write(const Launch &launch);

private:
  LogicalResult writeConditions(const Launch &launch);
  void writeVariant(gpu::LaunchFuncOp launch);
  LogicalResult writeArgument(gpu::GPUFuncOp kernel, DictionaryAttr description,
                              Value operand);
  LogicalResult writeWorkspace(gpu::GPUFuncOp kernel, ArrayAttr arguments,
                               ArrayRef<Attribute> sizes);
  LogicalResult writeScalar(Type type, Value operand);
  LogicalResult writeValue(Value operand);
  void writeSharedMemory(gpu::GPUFuncOp kernel, int64_t dynamicBytes);

  llvm::json::OStream &json;
  func::FuncOp function;
  HostTracer &tracer;
};

/// Writes an expression as the next value.
void writeExpression(llvm::json::OStream &json, Attribute expression);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_KERNELWRITER_H
