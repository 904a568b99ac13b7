//===- HostArray.h - Dense arrays in host memory ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into and comes out of a compiled or interpreted function.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_REFERENCE_HOSTARRAY_H
#define SCAN_REFERENCE_HOSTARRAY_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::scan {

/// A dense array, row-major, little-endian. `i1` takes one byte per element (0
/// or 1), other integers the bytes of their width, `index` eight, `f16` and
/// `bf16` two, complex numbers are pairs (real, imaginary). A scalar is an
/// array of rank 0.
struct HostArray {
  Type elementType;
  llvm::SmallVector<int64_t> shape;
  std::vector<char> data;

  /// The product of the extents; 1 for a scalar.
  int64_t getNumElements() const;

  /// An array of zeros. `shape` and `elementType` must have been checked with
  /// `getByteSize`.
  static HostArray zeros(Type elementType, llvm::ArrayRef<int64_t> shape);
};

/// The bytes that one element takes; nothing for an unsupported element type.
std::optional<int64_t> getElementByteSize(Type elementType);

/// The bytes of a whole array; nothing if the element type is unsupported, an
/// extent is negative or the product does not fit into 63 bits.
std::optional<int64_t> getByteSize(Type elementType,
                                   llvm::ArrayRef<int64_t> shape);

/// How many bytes of arrays a run may keep alive: half of the machine's memory.
/// More is refused with an error before anything is allocated.
int64_t getMemoryLimit();

/// "4x1024xf32", or "f32" for a scalar: for messages and tables.
std::string describeArray(Type elementType, llvm::ArrayRef<int64_t> shape);

/// Whether `array` may be passed for a parameter of type `type` (a ranked
/// tensor or a scalar). `reason`, if given, receives what was expected and
/// found.
bool isCompatible(const HostArray &array, Type type,
                  std::string *reason = nullptr);

} // namespace mlir::scan

#endif // SCAN_REFERENCE_HOSTARRAY_H
