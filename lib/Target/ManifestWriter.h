//===- ManifestWriter.h - One function of a manifest ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_MANIFESTWRITER_H
#define SCAN_LIB_TARGET_MANIFESTWRITER_H

#include "KernelWriter.h"

namespace mlir::scan {

/// A buffer all of whose bytes become zero in front of launch number `before`,
/// or behind the last one.
struct ClearedBuffer {
  Value memref;
  size_t before;
};

/// `count` launches, from number `first` on, that a loop of the host makes.
struct RepeatedLaunches {
  scf::ForOp loop;
  size_t first, count;
};

/// Writes the entry of one host function. The JSON is complete even where an
/// error was emitted, but must not be used then.
class ManifestWriter {
public:
  ManifestWriter(llvm::json::OStream &json, func::FuncOp function)
      : json(json), function(function), tracer(function) {}

  /// `results[k]` is the buffer that result k of the function is in.
  LogicalResult writeFunction(ArrayRef<Launch> launches,
                              ArrayRef<RepeatedLaunches> repeats,
                              ArrayRef<ClearedBuffer> cleared,
                              ArrayRef<Value> results);

private:
  void writeArguments();
  void writeShape(ArrayRef<Attribute> shape);
  /// The name where the number is not static.
  void writeNumberOrName(int64_t number, StringRef name);
  LogicalResult writeResult(unsigned index, Value result);
  void writeBuffer(const HostBuffer &buffer);
  LogicalResult writeRepeat(const RepeatedLaunches &repeat);

  llvm::json::OStream &json;
  func::FuncOp function;
  HostTracer tracer;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_MANIFESTWRITER_H
