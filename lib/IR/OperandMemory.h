//===- OperandMemory.h - How operands lie in memory -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_OPERANDMEMORY_H
#define SCAN_LIB_IR_OPERANDMEMORY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::scan {

/// Bytes that one value of a supported element type takes in memory.
int64_t getStorageBytes(Type type);

/// Strides of a shaped operand in elements: of the memref's layout, row-major
/// for a tensor; dynamic where unknown. Empty if the layout is not strided.
SmallVector<int64_t> getOperandStrides(ShapedType type);

/// Whether consecutive positions along domain dimension `dim` are neighbours
/// in `operand`'s memory, each with its dense block of trailing elements.
bool isContiguousAlong(Value operand, AffineMap map, unsigned dim);

/// Moves that one of `dims` to their end along which most bytes are contiguous;
/// `contiguousBytes` has a number for each dimension of the domain.
void moveContiguousLast(MutableArrayRef<unsigned> dims,
                        ArrayRef<int64_t> contiguousBytes);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_OPERANDMEMORY_H
