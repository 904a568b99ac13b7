//===- GlobalAccess.h - Elements in global memory ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of up to 16 bytes to neighbouring elements, by pointers. What a
// vector holds are the parts of elements: flags are bytes, complex numbers two
// parts. The caller proves the alignment; a kernel that cannot asks
// `createIsAligned`.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_GPUCOMMON_GLOBALACCESS_H
#define SCAN_LIB_CONVERSION_GPUCOMMON_GLOBALACCESS_H

#include "IR/OperandMemory.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// The vector of the parts of `count` elements of `type`.
VectorType getPartsType(Type type, int64_t count);

/// The parts of elements as one vector, and the elements of type `type` that a
/// vector holds.
Value packElements(ImplicitLocOpBuilder &b, ValueRange elements);
SmallVector<Value> unpackElements(ImplicitLocOpBuilder &b, Value parts,
                                  Type type);
/// The parts of element number `element` of those in `vector`, and the parts of
/// all elements of `vectors` in a row; `type` is that of an element.
Value extractParts(ImplicitLocOpBuilder &b, Value vector, Type type,
                   int64_t element);
Value joinParts(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors, Type type);

/// `pointer` moved by `bytes`, an index.
Value offsetPointer(ImplicitLocOpBuilder &b, Value pointer, Value bytes);

/// Reads or writes the parts of `count` consecutive elements of type `type` at
/// `address`, an `!llvm.ptr<1>` that is aligned to all of them, or, with a
/// count of 1, to an element as memref.load knows it.
Value loadParts(ImplicitLocOpBuilder &b, Type type, Value address,
                int64_t count);
void storeParts(ImplicitLocOpBuilder &b, Value parts, Type type, Value address,
                int64_t count);

/// Reads or writes an element of type `type` at `address`, an `!llvm.ptr<1>`
/// that is aligned as memref.load wants it.
Value loadElement(ImplicitLocOpBuilder &b, Type type, Value address);
void storeElement(ImplicitLocOpBuilder &b, Value element, Value address);

/// Has the second-level cache fetch the line of `address`, an `!llvm.ptr<1>`.
/// Nothing waits for that.
void prefetchLine(ImplicitLocOpBuilder &b, Value address);

/// An operand in global memory, as an `!llvm.ptr<1>` to its element with all
/// indices 0 and strides in elements.
struct GlobalPointer {
  Value pointer;
  Type type;
  SmallVector<Value> strides;

  static GlobalPointer get(ImplicitLocOpBuilder &b, Value memref);

  /// The number of elements from the pointer to those at `indices`.
  Value createOffset(ImplicitLocOpBuilder &b, ValueRange indices) const;
  /// The address of the element `offset` elements from the pointer.
  Value createAddress(ImplicitLocOpBuilder &b, Value offset) const {
    return moveAddress(b, pointer, offset);
  }
  /// `address` moved by `elements`, an index.
  Value moveAddress(ImplicitLocOpBuilder &b, Value address,
                    Value elements) const;
  /// i1: whether the element at `offset` is aligned to `count` elements, and
  /// what lies a multiple of each of `steps` elements from there as well.
  Value createIsAligned(ImplicitLocOpBuilder &b, Value offset, ValueRange steps,
                        int64_t count) const;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_GPUCOMMON_GLOBALACCESS_H
