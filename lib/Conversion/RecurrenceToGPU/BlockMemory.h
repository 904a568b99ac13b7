//===- BlockMemory.h - The shared memory of a block -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are declared by the kernel while that is allowed, and lie in what its
// launch asks for from there on.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKMEMORY_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKMEMORY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

class BlockMemory {
public:
  /// Of `limit` bytes.
  explicit BlockMemory(int64_t limit) : limit(limit) {}

  /// A place for a buffer of static extents, dense.
  struct Place {
    MemRefType type;
    bool isDynamic;
    /// In the dynamic memory.
    int64_t offset;
  };
  bool hasRoom(MemRefType type) const;
  /// Takes one; none if there is no room.
  std::optional<Place> take(MemRefType type);
  /// The same for `count` of them; no place if there is no room for all.
  SmallVector<Place> take(MemRefType type, int64_t count);

  /// The buffer there, in `func`.
  static Value create(gpu::GPUFuncOp func, const Place &place);

  /// What the kernel declares, and what its launch has to ask for.
  int64_t getStaticBytes() const { return staticBytes; }
  int64_t getDynamicBytes() const { return dynamicBytes; }
  int64_t getBytes() const { return staticBytes + dynamicBytes; }

private:
  int64_t limit, staticBytes = 0, dynamicBytes = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKMEMORY_H
