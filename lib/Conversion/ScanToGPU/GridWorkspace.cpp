//===- GridWorkspace.cpp - Memory that the blocks of a scan share ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridWorkspace.h"
#include "Emit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

/// The counter has a cache line to itself: all blocks update it, while others
/// poll descriptors.
static constexpr int64_t kHeaderBytes = 128;

int64_t mlir::scan::getTileSteps(ScheduleAttr schedule) {
  int64_t threads = schedule.getThreads();
  if (schedule.getStrategy() == Strategy::Column)
    threads /= schedule.getLanes();
  return threads * schedule.getItems();
}

int64_t mlir::scan::getDescriptorBytes(KernelOp kernel, ScheduleAttr schedule) {
  int64_t bytes = Descriptor(kernel).getBytes();
  if (schedule.getStrategy() == Strategy::Column)
    bytes *= int64_t(schedule.getLanes()) * schedule.getVector();
  return bytes;
}

AffineExpr mlir::scan::getWorkspaceBytes(KernelOp kernel, ScheduleAttr schedule,
                                         AffineExpr tiles) {
  return tiles * getDescriptorBytes(kernel, schedule) + kHeaderBytes;
}

Value mlir::scan::createWorkspaceBytes(ImplicitLocOpBuilder &b, KernelOp kernel,
                                       ScheduleAttr schedule, Value tiles) {
  return addConstant(
      b, mulConstant(b, tiles, getDescriptorBytes(kernel, schedule)),
      kHeaderBytes);
}

int64_t GridWorkspace::getSharedBytes() { return alignShared(16); }

GridWorkspace::GridWorkspace(ImplicitLocOpBuilder &b, KernelFrame &frame)
    : descriptor(frame.getKernel()) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, frame.getWorkspace());
  base = arith::IndexCastOp::create(b, b.getI64Type(), address);
  ticketBuffer = frame.addSharedBuffer(2, b.getI64Type());
}

Value GridWorkspace::getAddress(ImplicitLocOpBuilder &b, Value number) {
  Value offset = addConstant(b, mulConstant(b, number, descriptor.getBytes()),
                             kHeaderBytes);
  return arith::AddIOp::create(
      b, base, arith::IndexCastOp::create(b, b.getI64Type(), offset));
}

GridWorkspace::Ticket GridWorkspace::drawTicket(ImplicitLocOpBuilder &b,
                                                const ThreadIds &ids) {
  Value first = indexConstant(b, 0), second = indexConstant(b, 1);
  auto isFirst = compare(b, arith::CmpIPredicate::eq, ids.thread, 0);
  createIf(b, isFirst, [&](ImplicitLocOpBuilder &inner) {
    Type i64 = inner.getI64Type();
    auto pointerType =
        LLVM::LLVMPointerType::get(inner.getContext(), /*addressSpace=*/1);
    Value counter = LLVM::IntToPtrOp::create(inner, pointerType, base);
    Value one = arith::ConstantOp::create(inner, inner.getIntegerAttr(i64, 1));
    Value ticket = LLVM::AtomicRMWOp::create(
        inner, LLVM::AtomicBinOp::add, counter, one,
        LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device",
        /*alignment=*/8);
    // Counted here and not taken from the size of the problem: a grid of two
    // dimensions may have more blocks than there are tiles.
    Value blocks = arith::MulIOp::create(
        inner, gpu::GridDimOp::create(inner, gpu::Dimension::x),
        gpu::GridDimOp::create(inner, gpu::Dimension::y));
    blocks = arith::IndexCastOp::create(inner, i64, blocks);
    storeShared(inner, arith::RemUIOp::create(inner, ticket, blocks),
                ticketBuffer, first);
    storeShared(inner, arith::DivUIOp::create(inner, ticket, blocks),
                ticketBuffer, second);
  });
  gpu::BarrierOp::create(b);
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Ticket ticket;
  ticket.number = arith::IndexCastOp::create(
      b, b.getIndexType(), loadShared(b, i64, ticketBuffer, first));
  // Zeroed memory holds the flag of no launch: they begin at 1.
  Value epoch =
      arith::TruncIOp::create(b, i32, loadShared(b, i64, ticketBuffer, second));
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value twice = arith::ShLIOp::create(b, epoch, one);
  ticket.flags.aggregate = arith::AddIOp::create(b, twice, one);
  ticket.flags.prefix = arith::AddIOp::create(b, ticket.flags.aggregate, one);
  return ticket;
}
