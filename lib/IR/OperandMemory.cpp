//===- OperandMemory.cpp - How operands lie in memory ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandMemory.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

int64_t mlir::scan::getStorageBytes(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getStorageBytes(complexType.getElementType());
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

SmallVector<int64_t> mlir::scan::getOperandStrides(ShapedType type) {
  // Schedules are rated by the thousand, each by its strides: upstream derives
  // those of an identity layout by simplifying affine expressions.
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && !memref.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      strides.clear();
    return strides;
  }
  SmallVector<int64_t> strides(type.getRank());
  int64_t stride = 1;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    bool isKnown = !ShapedType::isDynamic(stride) && !type.isDynamicDim(i);
    if (!isKnown || llvm::MulOverflow(stride, type.getDimSize(i), stride))
      stride = ShapedType::kDynamic;
  }
  return strides;
}

bool mlir::scan::isContiguousAlong(Value operand, AffineMap map, unsigned dim) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  std::optional<unsigned> position =
      map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  if (!type || !position)
    return false;
  SmallVector<int64_t> strides = getOperandStrides(type);
  if (strides.empty() ||
      strides[*position] != KernelOp::getNumElements(operand, map))
    return false;
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(operand, map);
  return ArrayRef(strides).take_back(trailing.size()) ==
         ArrayRef(computeStrides(trailing));
}

void mlir::scan::moveContiguousLast(MutableArrayRef<unsigned> dims,
                                    ArrayRef<int64_t> contiguousBytes) {
  if (dims.empty())
    return;
  unsigned *best = &dims.back();
  for (unsigned &dim : dims)
    if (contiguousBytes[dim] > contiguousBytes[*best])
      best = &dim;
  std::rotate(best, best + 1, dims.end());
}
