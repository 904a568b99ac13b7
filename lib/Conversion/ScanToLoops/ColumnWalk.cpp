//===- ColumnWalk.cpp - A block of columns, step by step ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnWalk.h"
#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"
#include "StreamingStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr int64_t alignment = 64;

/// A buffer of at least that many bytes on the stack, which all kernels of a
/// function share: no two run at a time.
static Value getScratch(OpBuilder &builder, Location loc, int64_t bytes) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface, scf::ParallelOp, scf::ForallOp>(parent) &&
         !parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
    parent = parent->getParentOp();
  Block &block = parent->getRegion(0).front();
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
      builder.getI64IntegerAttr(alignment));
  scratch->setDiscardableAttr(kScratchAttrName, builder.getUnitAttr());
  if (existing) {
    existing->replaceAllUsesWith(scratch);
    existing->erase();
  }
  return scratch;
}

ColumnWalk::ColumnWalk(OpBuilder &builder, KernelEmitter &emitter,
                       unsigned laneDim,
                       const ConvertScanToLoopsOptions &options)
    : builder(builder), kernel(emitter.getKernel()), emitter(emitter),
      loc(kernel.getLoc()), laneDim(laneDim),
      held(emitter.getHeldReductions(laneDim)) {
  int64_t columns = emitter.getStaticSizes()[laneDim];
  bool isStatic = !ShapedType::isDynamic(columns);
  if (emitter.isVectorizable(laneDim)) {
    width = emitter.getLanes(options.vectorBits);
    if (isStatic)
      width = std::min<int64_t>(
          width, llvm::bit_floor(std::max<uint64_t>(columns, 1)));
  }

  int64_t bytes = 0;
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried()))
    if (isCarried)
      bytes += getStorageBits(type) / 8;
  fixedTypes = emitter.getInvariantTypes();
  for (Type type : fixedTypes)
    bytes += getStorageBits(type) / 8;
  blockSize = options.stateBytes / std::max<int64_t>(bytes, 1);
  blockSize = std::clamp<int64_t>(blockSize, 64, 4096);
  blockSize = std::max(blockSize - blockSize % width, width);
  if (isStatic && columns < blockSize)
    blockSize = std::max<int64_t>(columns, 1);
  isLarge = emitIsLarge(builder, emitter, laneDim, options);
}

void ColumnWalk::allocateBuffers() {
  int64_t scratchBytes = 0;
  auto place = [&](Type type) {
    // A vector of i1 is packed to bits, a memref of i1 has one byte each.
    Type stored = type.isInteger(1) ? builder.getI8Type() : type;
    std::pair placed(MemRefType::get({blockSize}, stored), scratchBytes);
    scratchBytes +=
        llvm::alignTo(blockSize * getStorageBits(stored) / 8, alignment);
    return placed;
  };
  SmallVector<std::pair<MemRefType, int64_t>> layout;
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried())) {
    if (isCarried)
      layout.push_back(place(type));
    else
      layout.emplace_back();
  }
  for (Type type : fixedTypes)
    layout.push_back(place(type));
  Value scratch;
  if (scratchBytes != 0)
    scratch = getScratch(builder, loc, scratchBytes);
  for (auto [type, offset] : layout)
    buffers.push_back(type ? memref::ViewOp::create(builder, loc, type, scratch,
                                                    emitter.index(offset),
                                                    /*sizes=*/ValueRange())
                                 .getResult()
                           : Value());
  fixedBuffers.assign(buffers.end() - fixedTypes.size(), buffers.end());
  buffers.truncate(buffers.size() - fixedTypes.size());
}

Value ColumnWalk::loadFrom(Value buffer, Type type, Value position) {
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

void ColumnWalk::storeTo(Value buffer, Value value, Value position) {
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

SmallVector<Value> ColumnWalk::loadState(Value position, int64_t width) {
  SmallVector<Value> state = emitter.zeroState(width);
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      value = loadFrom(buffer, value.getType(), position);
  return state;
}

void ColumnWalk::storeState(Value position, ValueRange state) {
  for (auto [value, buffer] : llvm::zip_equal(state, buffers))
    if (buffer)
      storeTo(buffer, value, position);
}

void ColumnWalk::forColumns(const Point &point, Value begin, Value count,
                            function_ref<void(const Point &, Value)> body) {
  SmallVector<bool> reduced;
  std::swap(reduced, held);
  (void)reduceColumns(point, begin, count,
                      [&](const Point &at, Value position,
                          SmallVectorImpl<Value> &) { body(at, position); });
  std::swap(reduced, held);
}

SmallVector<Value> ColumnWalk::reduceColumns(
    const Point &point, Value begin, Value count,
    function_ref<void(const Point &, Value, SmallVectorImpl<Value> &)> body) {
  Value zero = emitter.index(0);
  auto emitLoop = [&](Value from, Value to, int64_t step, ValueRange totals) {
    auto loop =
        scf::ForOp::create(builder, loc, from, to, emitter.index(step), totals);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Point at = point;
    Value position = loop.getInductionVar();
    at.indices[laneDim] = arith::AddIOp::create(builder, loc, begin, position);
    at.laneDim = laneDim;
    at.width = step;
    SmallVector<Value> next(loop.getRegionIterArgs());
    body(at, position, next);
    if (!next.empty())
      scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  };
  if (width == 1)
    return emitLoop(zero, count, 1, emitter.zeroReductions(held, 1));
  Value rest =
      arith::RemUIOp::create(builder, loc, count, emitter.index(width));
  Value whole = arith::SubIOp::create(builder, loc, count, rest);
  SmallVector<Value> totals = emitter.reduceLanes(
      emitLoop(zero, whole, width, emitter.zeroReductions(held, width)));
  int64_t columns = emitter.getStaticSizes()[laneDim];
  if (ShapedType::isDynamic(columns) || columns % width != 0)
    totals = emitLoop(whole, count, 1, totals);
  return totals;
}

void ColumnWalk::emitStep(const Point &point, Value begin, Value count,
                          bool isFirst) {
  SmallVector<Value> all = reduceColumns(
      point, begin, count,
      [&](const Point &at, Value position, SmallVectorImpl<Value> &totals) {
        SmallVector<Value> inputs = emitter.loadInputs(at);
        SmallVector<Value> state;
        if (!isFirst)
          state = loadState(position, at.width);
        SmallVector<Value> fixed;
        for (auto [type, buffer] : llvm::zip_equal(fixedTypes, fixedBuffers))
          fixed.push_back(loadFrom(
              buffer,
              at.width > 1 ? Type(VectorType::get(at.width, type)) : type,
              position));
        KernelEmitter::Step step = emitter.step(state, inputs, at, fixed);
        emitter.storeOutputs(at, {step.outputs}, held,
                             at.width > 1 ? streams : Value());
        emitter.addToReductions(held, step.outputs, totals);
        storeState(position, step.state);
      });
  emitter.storeReductions(point, held, all);
}

void ColumnWalk::emitBlock(Point point, Value begin, Value count) {
  Value zero = emitter.index(0), one = emitter.index(1);
  Value length = emitter.getSizes()[kernel.getDim()];
  if (!fixedTypes.empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      for (auto [buffer, value] :
           llvm::zip_equal(fixedBuffers, emitter.computeInvariants(at)))
        storeTo(buffer, value, position);
    });
  if (kernel.hasInit()) {
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      storeState(position, emitter.initialize(at));
    });
  } else {
    bool needsZeros = !kernel.getFinals().empty();
    Value hasSteps = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, length, zero);
    auto branch = scf::IfOp::create(builder, loc, hasSteps,
                                    /*withElseRegion=*/needsZeros);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    point.indices[kernel.getDim()] = emitter.getTime(zero);
    emitStep(point, begin, count, /*isFirst=*/true);
    if (needsZeros) {
      builder.setInsertionPointToStart(branch.elseBlock());
      forColumns(point, begin, count, [&](const Point &at, Value position) {
        storeState(position, emitter.zeroState(at.width));
      });
    }
  }

  {
    auto loop = scf::ForOp::create(builder, loc, kernel.hasInit() ? zero : one,
                                   length, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    point.indices[kernel.getDim()] = emitter.getTime(loop.getInductionVar());
    emitStep(point, begin, count, /*isFirst=*/false);
  }

  if (!kernel.getFinals().empty())
    forColumns(point, begin, count, [&](const Point &at, Value position) {
      emitter.finalize(at, loadState(position, at.width));
    });
}

void ColumnWalk::chooseStreams(Point point) {
  if (!isLarge || width == 1)
    return;
  point.laneDim = laneDim;
  point.width = width;
  Value zero = emitter.index(0);
  point.indices[laneDim] = zero;
  streams = isLarge;
  auto require = [&](Value condition) {
    streams = arith::AndIOp::create(builder, loc, streams, condition);
  };
  // Blocks begin at multiples of the width. If the first two steps are aligned,
  // so are all others.
  for (int64_t step : {0, 1}) {
    point.indices[kernel.getDim()] = emitter.index(step);
    StoreAlignment alignment =
        emitStoreAlignment(builder, emitter, point, /*reverse=*/false);
    if (!alignment.points) {
      streams = Value();
      return;
    }
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  alignment.points, zero));
    require(alignment.isShared);
  }
}
