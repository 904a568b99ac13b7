//===- VectorAccess.cpp - Neighbouring elements in shared memory ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::addPartsBuffer(KernelFrame &frame, int64_t size, Type type) {
  VectorType parts = getPartsType(type, size);
  return frame.addSharedBuffer(parts.getNumElements(), parts.getElementType());
}

/// The number of the first part of element number `slot`.
static Value getFirstPart(ImplicitLocOpBuilder &b, Type type, Value slot) {
  return mulConstant(b, slot, getPartsType(type, 1).getNumElements());
}

Value mlir::scan::loadSharedParts(ImplicitLocOpBuilder &b, Type type,
                                  Value buffer, Value slot, int64_t count) {
  return vector::LoadOp::create(
      b, getPartsType(type, count), buffer,
      ValueRange(getFirstPart(b, type, slot)),
      /*nontemporal=*/false, llvm::MaybeAlign(count * getStorageBytes(type)));
}

void mlir::scan::storeSharedParts(ImplicitLocOpBuilder &b, Value parts,
                                  Type type, Value buffer, Value slot,
                                  int64_t count) {
  vector::StoreOp::create(
      b, parts, buffer, ValueRange(getFirstPart(b, type, slot)),
      /*nontemporal=*/false, llvm::MaybeAlign(count * getStorageBytes(type)));
}
