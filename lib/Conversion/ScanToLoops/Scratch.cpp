//===- Scratch.cpp - Memory that stays in the cache -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "OperandAccess.h"
#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr int64_t kAlignment = 64;

Block &mlir::scan::getStackBlock(OpBuilder &builder) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface, scf::ParallelOp, scf::ForallOp>(parent) &&
         !parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
    parent = parent->getParentOp();
  return parent->getRegion(0).front();
}

/// A buffer of at least that many bytes on the stack, which all kernels of a
/// function share.
static Value getScratch(OpBuilder &builder, Location loc, int64_t bytes) {
  Block &block = getStackBlock(builder);
  memref::AllocaOp existing;
  for (auto alloca : block.getOps<memref::AllocaOp>())
    if (alloca->hasAttr(kScratchAttrName))
      existing = alloca;
  if (existing && existing.getType().getDimSize(0) >= bytes)
    return existing;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  auto scratch = memref::AllocaOp::create(
      builder, loc, MemRefType::get({bytes}, builder.getI8Type()),
      builder.getI64IntegerAttr(kAlignment));
  scratch->setDiscardableAttr(kScratchAttrName, builder.getUnitAttr());
  if (existing) {
    existing->replaceAllUsesWith(scratch);
    existing->erase();
  }
  return scratch;
}

/// A vector of i1 is packed to bits, a memref of i1 has one byte each.
static Type getStoredType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

SmallVector<Value> mlir::scan::allocateScratch(OpBuilder &builder, Location loc,
                                               ArrayRef<Type> types,
                                               int64_t count) {
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (Type type : types) {
    offsets.push_back(bytes);
    if (type)
      bytes += llvm::alignTo(count * getStorageBits(getStoredType(type)) / 8,
                             kAlignment);
  }
  SmallVector<Value> buffers(types.size());
  if (bytes == 0)
    return buffers;
  Value scratch = getScratch(builder, loc, bytes);
  for (auto [buffer, type, offset] : llvm::zip_equal(buffers, types, offsets))
    if (type)
      buffer = memref::ViewOp::create(
          builder, loc, MemRefType::get({count}, getStoredType(type)), scratch,
          arith::ConstantIndexOp::create(builder, loc, offset),
          /*sizes=*/ValueRange());
  return buffers;
}

Value mlir::scan::loadScratch(OpBuilder &builder, Location loc, Value buffer,
                              Type type, Value position) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  Value value;
  if (auto vector = dyn_cast<VectorType>(type))
    value = vector::LoadOp::create(builder, loc, vector.clone(stored), buffer,
                                   position);
  else
    value = memref::LoadOp::create(builder, loc, buffer, position);
  if (getElementTypeOrSelf(type).isInteger(1))
    value = arith::TruncIOp::create(builder, loc, type, value);
  return value;
}

void mlir::scan::storeScratch(OpBuilder &builder, Location loc, Value buffer,
                              Value value, Value position) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  auto vector = dyn_cast<VectorType>(value.getType());
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    value = arith::ExtUIOp::create(
        builder, loc, vector ? Type(vector.clone(stored)) : stored, value);
  if (vector)
    vector::StoreOp::create(builder, loc, value, buffer, position);
  else
    memref::StoreOp::create(builder, loc, value, buffer, position);
}

/// Marks what allocates or frees memory that no other pass has to free.
static void setManual(Operation *op) {
  op->setAttr(bufferization::BufferizationDialect::kManualDeallocation,
              UnitAttr::get(op->getContext()));
}

Value mlir::scan::allocateHeap(OpBuilder &builder, Location loc,
                               ArrayRef<OpFoldResult> sizes, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  auto memory =
      memref::AllocOp::create(builder, loc, MemRefType::get(shape, elementType),
                              dynamic, builder.getI64IntegerAttr(kAlignment));
  setManual(memory);
  return memory;
}

void mlir::scan::freeHeap(OpBuilder &builder, Location loc, Value memory) {
  setManual(memref::DeallocOp::create(builder, loc, memory));
}
