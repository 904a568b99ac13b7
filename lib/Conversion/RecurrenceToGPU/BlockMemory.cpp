//===- BlockMemory.cpp - The shared memory of a block ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMemory.h"
#include "../GPUCommon/Emit.h"
#include "IR/OperandMemory.h"
#include "Plan/SharedMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

static int64_t getBufferBytes(MemRefType type) {
  return alignShared(type.getNumElements() *
                     getStorageBytes(type.getElementType()));
}

bool BlockMemory::hasRoom(MemRefType type) const {
  return getBufferBytes(type) <= limit - getBytes();
}

std::optional<BlockMemory::Place> BlockMemory::take(MemRefType type) {
  if (!hasRoom(type))
    return std::nullopt;
  int64_t bytes = getBufferBytes(type);
  if (dynamicBytes == 0 && staticBytes + bytes <= kStaticSharedLimit) {
    staticBytes += bytes;
    return Place{type, /*isDynamic=*/false, 0};
  }
  Place place = {type, /*isDynamic=*/true, dynamicBytes};
  dynamicBytes += bytes;
  return place;
}

SmallVector<BlockMemory::Place> BlockMemory::take(MemRefType type,
                                                  int64_t count) {
  SmallVector<Place> places;
  int64_t bytes = getBufferBytes(type);
  if (bytes > 0 && count > (limit - getBytes()) / bytes)
    return places;
  while (static_cast<int64_t>(places.size()) < count)
    places.push_back(*take(type));
  return places;
}

Value BlockMemory::create(gpu::GPUFuncOp func, const Place &place) {
  MLIRContext *context = func.getContext();
  Type element = place.type.getElementType();
  // There is no addressing single bits.
  if (element.isInteger(1))
    element = IntegerType::get(context, 8);
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(place.type.getShape(), element,
                              MemRefLayoutAttrInterface(), space);
  if (place.isDynamic) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(),
                                                &func.getBody().front());
    Value all = gpu::DynamicSharedMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                           MemRefLayoutAttrInterface(), space));
    return memref::ViewOp::create(b, type, all, indexConstant(b, place.offset),
                                  ValueRange());
  }
  unsigned number = func.getNumWorkgroupAttributions();
  Value buffer = func.addWorkgroupAttribution(type, func.getLoc());
  func.setWorkgroupAttributionAttr(
      number, LLVM::LLVMDialect::getAlignAttrName(),
      IntegerAttr::get(IntegerType::get(context, 64), kSharedAlignment));
  return buffer;
}
