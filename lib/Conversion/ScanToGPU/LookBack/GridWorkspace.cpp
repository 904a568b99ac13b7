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

/// The counter has the number of a ticket in so many bits, and above them that
/// of the launch. Tiles of more tickets would not fit in memory.
static constexpr int64_t kTicketBits = 32;
static constexpr int64_t kTicketsPerLaunch = int64_t(1) << kTicketBits;

Value mlir::scan::createWorkspaceBytes(ImplicitLocOpBuilder &b,
                                       const KernelPlan &plan, Value entries) {
  return addConstant(b, mulConstant(b, entries, plan.getEntryBytes()),
                     kWorkspaceHeaderBytes);
}

GridWorkspace::GridWorkspace(ImplicitLocOpBuilder &b, KernelFrame &frame)
    : descriptor(frame.getPlan().descriptor) {
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

/// What the counter was before, i64.
Value GridWorkspace::addToCounter(ImplicitLocOpBuilder &b, Value summand) {
  auto pointerType =
      LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  Value counter = LLVM::IntToPtrOp::create(b, pointerType, base);
  return LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, counter, summand,
                                   LLVM::AtomicOrdering::monotonic,
                                   /*syncscope=*/"device", /*alignment=*/8);
}

static Value createI64(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

/// The number of a ticket, i64, of what was drawn.
static Value getNumber(ImplicitLocOpBuilder &b, Value drawn) {
  return arith::AndIOp::create(b, drawn, createI64(b, kTicketsPerLaunch - 1));
}

Value GridWorkspace::createDraw(ImplicitLocOpBuilder &b) {
  return addToCounter(b, createI64(b, 1));
}

/// The last draw of a launch makes the counter that of the next one.
void GridWorkspace::finishDraw(ImplicitLocOpBuilder &b, Value drawn,
                               Value perLaunch) {
  Value drawnBefore =
      arith::AddIOp::create(b, getNumber(b, drawn), createI64(b, 1));
  createIf(b,
           arith::CmpIOp::create(b, arith::CmpIPredicate::eq, drawnBefore,
                                 perLaunch),
           [&](ImplicitLocOpBuilder &last) {
             Value rest = arith::SubIOp::create(
                 last, createI64(last, kTicketsPerLaunch), perLaunch);
             addToCounter(last, rest);
           });
}

static Value isFirstThread(ImplicitLocOpBuilder &b, const ThreadIds &ids) {
  return compare(b, arith::CmpIPredicate::eq, ids.thread, 0);
}

Value GridWorkspace::beginTicket(ImplicitLocOpBuilder &b,
                                 const ThreadIds &ids) {
  return createIfElse(
             b, isFirstThread(b, ids),
             [&](ImplicitLocOpBuilder &inner) {
               return SmallVector<Value>{createDraw(inner)};
             },
             [&](ImplicitLocOpBuilder &inner) {
               return SmallVector<Value>{createI64(inner, 0)};
             })
      .front();
}

GridWorkspace::Ticket GridWorkspace::takeTicket(ImplicitLocOpBuilder &b,
                                                const ThreadIds &ids,
                                                Value drawnHere,
                                                Value perLaunch,
                                                std::optional<int64_t> slot) {
  Value at = indexConstant(b, slot ? kFirstTicketWords + *slot : 0);
  createIf(b, isFirstThread(b, ids), [&](ImplicitLocOpBuilder &inner) {
    storeShared(inner, drawnHere, ticketBuffer, at);
    Value count = perLaunch;
    if (!count) {
      // Counted here and not taken from the size of the problem: a grid of two
      // dimensions may have more blocks than there are tiles.
      count = arith::MulIOp::create(
          inner, gpu::GridDimOp::create(inner, gpu::Dimension::x),
          gpu::GridDimOp::create(inner, gpu::Dimension::y));
      count = arith::IndexCastOp::create(inner, inner.getI64Type(), count);
    }
    finishDraw(inner, drawnHere, count);
  });
  gpu::BarrierOp::create(b);
  Value drawn = loadShared(b, b.getI64Type(), ticketBuffer, at);
  Ticket ticket;
  ticket.number =
      arith::IndexCastOp::create(b, b.getIndexType(), getNumber(b, drawn));
  ticket.perLaunch = perLaunch;
  Value launch = arith::TruncIOp::create(
      b, b.getI32Type(),
      arith::ShRUIOp::create(b, drawn, createI64(b, kTicketBits)));
  // Zeroed memory holds the flag of no launch: they begin at 1.
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value twice = arith::ShLIOp::create(b, launch, one);
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
  Value drawn = createDraw(b);
  finishDraw(b, drawn, ticket.perLaunch);
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(),
                                            getNumber(b, drawn));
}

void GridWorkspace::storeTicket(ImplicitLocOpBuilder &b, Value number,
                                Value slot) {
  storeShared(b, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), number),
              ticketBuffer, addConstant(b, slot, kFirstTicketWords));
}

Value GridWorkspace::readTicket(ImplicitLocOpBuilder &b, Value slot) {
  Value drawn = loadShared(b, b.getI64Type(), ticketBuffer,
                           addConstant(b, slot, kFirstTicketWords));
  return arith::IndexCastOp::create(b, b.getIndexType(), getNumber(b, drawn));
}
