//===- ManifestWriter.h - One function of a manifest ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_MANIFESTWRITER_H
#define SCAN_LIB_TARGET_MANIFESTWRITER_H

#include "HostTracer.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {

/// A buffer all of whose bytes become zero in front of launch number `before`,
/// or behind the last one.
struct ClearedBuffer {
  Value memref;
  size_t before;
};

/// Writes the entry of one host function. The JSON is complete even where an
/// error was emitted, but must not be used then.
class ManifestWriter {
public:
  /// A launch, and under which conditions it is: all of these, or their
  /// opposites where the flag is set.
  struct Launch {
    gpu::LaunchFuncOp op;
    SmallVector<std::pair<Value, bool>> conditions;
  };

  ManifestWriter(llvm::json::OStream &json, func::FuncOp function)
      : json(json), function(function), tracer(function) {}

  /// `results[k]` is the buffer that result k of the function is in.
  LogicalResult writeFunction(ArrayRef<Launch> launches,
                              ArrayRef<ClearedBuffer> cleared,
                              ArrayRef<Value> results);

private:
  void writeArguments();
  void writeShape(ArrayRef<std::string> shape);
  LogicalResult writeResult(unsigned index, Value result);
  void writeBuffer(const HostBuffer &buffer);
  LogicalResult writeKernel(const Launch &launch);
  LogicalResult writeConditions(const Launch &launch);
  LogicalResult writeArgument(gpu::GPUFuncOp kernel, DictionaryAttr description,
                              Value operand);
  LogicalResult writeWorkspace(gpu::GPUFuncOp kernel, ArrayAttr arguments,
                               ArrayRef<std::string> sizes);
  LogicalResult writeScalar(Type type, Value operand);
  void writeSharedMemory(gpu::GPUFuncOp kernel, int64_t dynamicBytes);

  llvm::json::OStream &json;
  func::FuncOp function;
  HostTracer tracer;
};

/// Whether this entry of scan.args is a workspace.
bool isWorkspace(DictionaryAttr argument);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_MANIFESTWRITER_H
