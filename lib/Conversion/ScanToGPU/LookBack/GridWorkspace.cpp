//===- GridWorkspace.cpp - Memory that the blocks of a scan share ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridWorkspace.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::createWorkspaceBytes(ImplicitLocOpBuilder &b,
                                       const KernelPlan &plan, Value entries) {
  return addConstant(b, mulConstant(b, entries, plan.getEntryBytes()),
                     kWorkspaceHeaderBytes);
}

GridWorkspace::GridWorkspace(ImplicitLocOpBuilder &b, KernelFrame &frame)
    : descriptor(frame.getKernel(), frame.getPlan().descriptor) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, frame.getWorkspace());
  base = arith::IndexCastOp::create(b, b.getI64Type(), address);
  ticketBuffer = frame.addSharedBuffer(
      kFirstTicketWords + frame.getPlan().nextTickets, b.getI64Type());
}

Value GridWorkspace::getAddress(ImplicitLocOpBuilder &b, Value number) const {
  Value offset = addConstant(b, mulConstant(b, number, descriptor.getBytes()),
                             kWorkspaceHeaderBytes);
  return arith::AddIOp::create(
      b, base, arith::IndexCastOp::create(b, b.getI64Type(), offset));
}

/// The next number of the counter, i64.
Value GridWorkspace::createDraw(ImplicitLocOpBuilder &b) {
  auto pointerType =
      LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  Value counter = LLVM::IntToPtrOp::create(b, pointerType, base);
  Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  return LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, counter, one,
                                   LLVM::AtomicOrdering::monotonic,
                                   /*syncscope=*/"device", /*alignment=*/8);
}

GridWorkspace::Ticket GridWorkspace::drawTicket(ImplicitLocOpBuilder &b,
                                                const ThreadIds &ids,
                                                Value perLaunch,
                                                std::optional<int64_t> slot) {
  Value first = indexConstant(b, slot ? kFirstTicketWords + *slot : 0);
  Value second = indexConstant(b, 1);
  auto isFirst = compare(b, arith::CmpIPredicate::eq, ids.thread, 0);
  createIf(b, isFirst, [&](ImplicitLocOpBuilder &inner) {
    Value ticket = createDraw(inner);
    Value count = perLaunch;
    if (!count) {
      // Counted here and not taken from the size of the problem: a grid of two
      // dimensions may have more blocks than there are tiles.
      count = arith::MulIOp::create(
          inner, gpu::GridDimOp::create(inner, gpu::Dimension::x),
          gpu::GridDimOp::create(inner, gpu::Dimension::y));
      count = arith::IndexCastOp::create(inner, inner.getI64Type(), count);
    }
    storeShared(inner, arith::RemUIOp::create(inner, ticket, count),
                ticketBuffer, first);
    storeShared(inner, arith::DivUIOp::create(inner, ticket, count),
                ticketBuffer, second);
  });
  gpu::BarrierOp::create(b);
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Ticket ticket;
  Value launch = loadShared(b, i64, ticketBuffer, second);
  ticket.number = arith::IndexCastOp::create(
      b, b.getIndexType(), loadShared(b, i64, ticketBuffer, first));
  if (perLaunch)
    ticket.first = arith::MulIOp::create(b, launch, perLaunch);
  // Zeroed memory holds the flag of no launch: they begin at 1.
  Value epoch = arith::TruncIOp::create(b, i32, launch);
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value twice = arith::ShLIOp::create(b, epoch, one);
  ticket.flags.aggregate = arith::AddIOp::create(b, twice, one);
  ticket.flags.prefix = arith::AddIOp::create(b, ticket.flags.aggregate, one);
  return ticket;
}

void GridWorkspace::drawNextTicket(ImplicitLocOpBuilder &b,
                                   const ThreadIds &ids, int64_t thread,
                                   const Ticket &ticket, Value slot) {
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, thread),
           [&](ImplicitLocOpBuilder &inner) {
             storeTicket(inner, drawNumber(inner, ticket), slot);
           });
}

Value GridWorkspace::drawNumber(ImplicitLocOpBuilder &b, const Ticket &ticket) {
  Value number = arith::SubIOp::create(b, createDraw(b), ticket.first);
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), number);
}

void GridWorkspace::storeTicket(ImplicitLocOpBuilder &b, Value number,
                                Value slot) {
  storeShared(b, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), number),
              ticketBuffer, addConstant(b, slot, kFirstTicketWords));
}

Value GridWorkspace::readTicket(ImplicitLocOpBuilder &b, Value slot) {
  return arith::IndexCastOp::create(
      b, b.getIndexType(),
      loadShared(b, b.getI64Type(), ticketBuffer,
                 addConstant(b, slot, kFirstTicketWords)));
}
