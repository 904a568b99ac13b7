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

Value Turn::take(OpBuilder &builder) const {
  Value one = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/64);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value before = memref::AtomicRMWOp::create(
      builder, loc, arith::AtomicRMWKind::addi, one, counter, first);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    before);
}

void Turn::wait(OpBuilder &builder, Value number) const {
  Value wanted = emitNumber(builder, loc, number);
  auto loop = scf::WhileOp::create(
      builder, loc, /*resultTypes=*/TypeRange(), /*inits=*/ValueRange(),
      [&](OpBuilder &before, Location, ValueRange) {
        Value found = LLVM::LoadOp::create(
            before, loc, before.getI64Type(), pointer, kCounterBytes,
            /*isVolatile=*/false, /*isNonTemporal=*/false,
            /*isInvariant=*/false, /*isInvariantGroup=*/false,
            LLVM::AtomicOrdering::acquire);
        Value isOther = arith::CmpIOp::create(
            before, loc, arith::CmpIPredicate::ne, found, wanted);
        scf::ConditionOp::create(before, loc, isOther, ValueRange());
      },
      [&](OpBuilder &after, Location, ValueRange) {
        scf::YieldOp::create(after, loc);
      });
  loop->setDiscardableAttr(kWaitAttrName, builder.getUnitAttr());
}

void Turn::set(OpBuilder &builder, Value number) const {
  LLVM::StoreOp::create(builder, loc, emitNumber(builder, loc, number), pointer,
                        kCounterBytes, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::release);
}
