//===- GlobalAccess.cpp - Elements in global memory -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is accessed through LLVM's pointers: a memref of complex
// numbers cannot be looked at as one of their parts, nor one whose contiguous
// dimension is not the last by vector.load.
//
//===----------------------------------------------------------------------===//

#include "GlobalAccess.h"
#include "Emit.h"
#include "IR/LinePrefetch.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

/// The type of the parts of `type` in memory.
static Type getStoredPartType(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return complexType.getElementType();
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

static int64_t getNumParts(Type type) { return isa<ComplexType>(type) ? 2 : 1; }

VectorType mlir::scan::getPartsType(Type type, int64_t count) {
  return VectorType::get({count * getNumParts(type)}, getStoredPartType(type));
}

Value mlir::scan::packElements(ImplicitLocOpBuilder &b, ValueRange elements) {
  Type type = elements.front().getType();
  SmallVector<Value> parts;
  for (Value element : elements) {
    if (isa<ComplexType>(type)) {
      parts.push_back(complex::ReOp::create(b, element));
      parts.push_back(complex::ImOp::create(b, element));
    } else if (type.isInteger(1)) {
      parts.push_back(
          arith::ExtUIOp::create(b, getStoredPartType(type), element));
    } else {
      parts.push_back(element);
    }
  }
  return vector::FromElementsOp::create(b, getPartsType(type, elements.size()),
                                        parts);
}

SmallVector<Value> mlir::scan::unpackElements(ImplicitLocOpBuilder &b,
                                              Value parts, Type type) {
  SmallVector<Value> elements;
  int64_t numParts = cast<VectorType>(parts.getType()).getNumElements();
  for (int64_t part = 0; part < numParts; part += getNumParts(type)) {
    Value element = vector::ExtractOp::create(b, parts, part);
    if (isa<ComplexType>(type))
      element = complex::CreateOp::create(
          b, type, element, vector::ExtractOp::create(b, parts, part + 1));
    else if (element.getType() != type)
      element = arith::TruncIOp::create(b, type, element);
    elements.push_back(element);
  }
  return elements;
}

Value mlir::scan::extractParts(ImplicitLocOpBuilder &b, Value vector, Type type,
                               int64_t element) {
  VectorType one = getPartsType(type, 1);
  if (vector.getType() == one)
    return vector;
  int64_t size = one.getNumElements();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(vector::ExtractOp::create(b, vector, element * size + i));
  return vector::FromElementsOp::create(b, one, parts);
}

Value mlir::scan::joinParts(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors,
                            Type type) {
  if (vectors.size() == 1)
    return vectors.front();
  SmallVector<Value> parts;
  for (Value vector : vectors)
    for (int64_t i = 0; i < getPartsType(type, 1).getNumElements(); ++i)
      parts.push_back(vector::ExtractOp::create(b, vector, i));
  return vector::FromElementsOp::create(b, getPartsType(type, vectors.size()),
                                        parts);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Value mlir::scan::offsetPointer(ImplicitLocOpBuilder &b, Value pointer,
                                Value bytes) {
  Value offset = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

GlobalPointer GlobalPointer::get(ImplicitLocOpBuilder &b, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  SmallVector<int64_t> strides;
  int64_t offset;
  // The frame refuses operands without strides.
  (void)type.getStridesAndOffset(strides, offset);
  auto get = [&](int64_t known, Value value) {
    return ShapedType::isDynamic(known) ? value : indexConstant(b, known);
  };
  GlobalPointer result;
  result.type = type.getElementType();
  for (auto [known, value] : llvm::zip_equal(strides, metadata.getStrides()))
    result.strides.push_back(get(known, value));
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      b, metadata.getBaseBuffer());
  Value bits = arith::IndexCastOp::create(b, b.getI64Type(), address);
  // By way of the generic address space, in which kernels get pointers.
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  auto global = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  Value pointer = LLVM::IntToPtrOp::create(b, generic, ValueRange(bits));
  pointer = LLVM::AddrSpaceCastOp::create(b, global, pointer);
  Value start = mulConstant(b, get(offset, metadata.getOffset()),
                            getStorageBytes(result.type));
  result.pointer = offsetPointer(b, pointer, start);
  return result;
}

Value GlobalPointer::createOffset(ImplicitLocOpBuilder &b,
                                  ValueRange indices) const {
  Value offset = indexConstant(b, 0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    offset = b.createOrFold<arith::AddIOp>(
        offset, b.createOrFold<arith::MulIOp>(index, stride));
  return offset;
}

Value GlobalPointer::moveAddress(ImplicitLocOpBuilder &b, Value address,
                                 Value elements) const {
  return offsetPointer(b, address,
                       mulConstant(b, elements, getStorageBytes(type)));
}

static unsigned getAlignment(Type type, int64_t count) {
  return count == 1 ? getStorageBytes(getStoredPartType(type))
                    : count * getStorageBytes(type);
}

Value mlir::scan::loadParts(ImplicitLocOpBuilder &b, Type type, Value address,
                            int64_t count) {
  return LLVM::LoadOp::create(b, getPartsType(type, count), address,
                              getAlignment(type, count));
}

void mlir::scan::storeParts(ImplicitLocOpBuilder &b, Value parts, Type type,
                            Value address, int64_t count) {
  LLVM::StoreOp::create(b, parts, address, getAlignment(type, count));
}

Value mlir::scan::loadElement(ImplicitLocOpBuilder &b, Type type,
                              Value address) {
  if (isa<ComplexType>(type))
    return unpackElements(b, loadParts(b, type, address, 1), type).front();
  Value part = LLVM::LoadOp::create(b, getStoredPartType(type), address,
                                    getAlignment(type, 1));
  return part.getType() == type ? part : arith::TruncIOp::create(b, type, part);
}

void mlir::scan::storeElement(ImplicitLocOpBuilder &b, Value element,
                              Value address) {
  Type type = element.getType();
  if (isa<ComplexType>(type))
    return storeParts(b, packElements(b, element), type, address, 1);
  if (type.isInteger(1))
    element = arith::ExtUIOp::create(b, getStoredPartType(type), element);
  LLVM::StoreOp::create(b, element, address, getAlignment(type, 1));
}

void mlir::scan::prefetchLine(ImplicitLocOpBuilder &b, Value address) {
  LLVM::InlineAsmOp::create(
      b, /*res=*/TypeRange(), ValueRange(address), kLinePrefetch,
      /*constraints=*/"l", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
}

Value GlobalPointer::createIsAligned(ImplicitLocOpBuilder &b, Value offset,
                                     ValueRange steps, int64_t count) const {
  int64_t bytes = getStorageBytes(type);
  Value start =
      LLVM::PtrToIntOp::create(b, b.getI64Type(), ValueRange(pointer));
  Value address = arith::IndexCastOp::create(b, b.getIndexType(), start);
  Value bits =
      b.createOrFold<arith::AddIOp>(address, mulConstant(b, offset, bytes));
  for (Value step : steps)
    bits = b.createOrFold<arith::OrIOp>(bits, mulConstant(b, step, bytes));
  Value rest =
      b.createOrFold<arith::RemUIOp>(bits, indexConstant(b, count * bytes));
  return compare(b, arith::CmpIPredicate::eq, rest, 0);
}
