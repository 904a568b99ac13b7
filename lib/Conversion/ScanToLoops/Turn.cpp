//===- Turn.cpp - A number that threads wait for --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Turn.h"
#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Counters are on cache lines of their own.
static constexpr int64_t kLineBytes = 64;
static constexpr int64_t kCounterBytes = 8;

static Value emitNumber(OpBuilder &builder, Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Turn::Turn(OpBuilder &builder, Location loc) : loc(loc) {
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&getStackBlock(builder));
    auto type =
        MemRefType::get({kLineBytes / kCounterBytes}, builder.getI64Type());
    counter = memref::AllocaOp::create(builder, loc, type,
                                       builder.getI64IntegerAttr(kLineBytes));
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, counter);
    pointer = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        emitNumber(builder, loc, address));
  }
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/64);
  LLVM::StoreOp::create(builder, loc, zero, pointer, kCounterBytes);
}

Value Turn::update(OpBuilder &builder, arith::AtomicRMWKind kind,
                   Value word) const {
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value before = memref::AtomicRMWOp::create(builder, loc, kind, word, counter,
                                             ValueRange(first));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    before);
}

Value Turn::take(OpBuilder &builder) const {
  Value one = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/64);
  return update(builder, arith::AtomicRMWKind::addi, one);
}

void Turn::raise(OpBuilder &builder, Value number) const {
  update(builder, arith::AtomicRMWKind::maxu, emitNumber(builder, loc, number));
}

Value Turn::confirm(OpBuilder &builder) const {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/64);
  return update(builder, arith::AtomicRMWKind::addi, zero);
}

Value Turn::readWord(OpBuilder &builder) const {
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(), pointer,
                              kCounterBytes, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/false,
                              /*isInvariantGroup=*/false,
                              LLVM::AtomicOrdering::acquire);
}

Value Turn::read(OpBuilder &builder) const {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    readWord(builder));
}

void Turn::wait(OpBuilder &builder, Value number) const {
  Value wanted = emitNumber(builder, loc, number);
  auto loop = scf::WhileOp::create(
      builder, loc, /*resultTypes=*/TypeRange(), /*inits=*/ValueRange(),
      [&](OpBuilder &before, Location, ValueRange) {
        Value isLess = arith::CmpIOp::create(
            before, loc, arith::CmpIPredicate::ult, readWord(before), wanted);
        scf::ConditionOp::create(before, loc, isLess, ValueRange());
      },
      [&](OpBuilder &after, Location, ValueRange) {
        scf::YieldOp::create(after, loc);
      });
  loop->setDiscardableAttr(kWaitAttrName, builder.getUnitAttr());
}
