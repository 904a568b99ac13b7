//===- MBarriers.cpp - Barriers of warps with roles -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarriers.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

static Value castAddressSpace(ImplicitLocOpBuilder &b, Value pointer,
                              NVVM::NVVMMemorySpace space) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), unsigned(space));
  return LLVM::AddrSpaceCastOp::create(b, type, pointer);
}

Value mlir::scan::createSharedPointer(ImplicitLocOpBuilder &b, Value address) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  return LLVM::IntToPtrOp::create(
      b, type, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), address));
}

void mlir::scan::copyBulk(ImplicitLocOpBuilder &b, Value target, Value source,
                          int64_t bytes, Value barrier) {
  // The form for the shared memory of the block alone is of a later PTX ISA
  // than that of its cluster, which is the block itself here.
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      b, castAddressSpace(b, target, NVVM::NVVMMemorySpace::SharedCluster),
      source, barrier, i32Constant(b, bytes), /*multicastMask=*/Value(),
      /*l2CacheHint=*/Value());
}

void mlir::scan::fenceBeforeBulkCopies(ImplicitLocOpBuilder &b) {
  MLIRContext *context = b.getContext();
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// RingPosition
//===----------------------------------------------------------------------===//

RingPosition RingPosition::first(ImplicitLocOpBuilder &b) {
  return {indexConstant(b, 0), i32Constant(b, 0)};
}

RingPosition RingPosition::next(ImplicitLocOpBuilder &b, int64_t stages) const {
  Value following = addConstant(b, slot, 1);
  Value wraps = compare(b, arith::CmpIPredicate::eq, following, stages);
  Value flipped = arith::XOrIOp::create(b, phase, i32Constant(b, 1));
  return {arith::SelectOp::create(b, wraps, indexConstant(b, 0), following),
          arith::SelectOp::create(b, wraps, flipped, phase)};
}

//===----------------------------------------------------------------------===//
// MBarriers
//===----------------------------------------------------------------------===//

MBarriers::MBarriers(KernelFrame &frame)
    : stages(frame.getPlan().stages),
      numKinds(frame.getPlan().barriersPerStage) {
  static_assert(Drawn == kBarriersPerStage, "the plan has room for all");
  buffer = frame.addSharedBuffer(
      stages * numKinds, IntegerType::get(frame.getFunc().getContext(), 64));
}

Value MBarriers::getPointer(ImplicitLocOpBuilder &b, Kind kind, Value slot) {
  constexpr int64_t bytes = sizeof(int64_t);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  address = b.createOrFold<arith::AddIOp>(address, mulConstant(b, slot, bytes));
  return createSharedPointer(b, addConstant(b, address, kind * stages * bytes));
}

void MBarriers::init(ImplicitLocOpBuilder &b, int64_t scanning) {
  for (int64_t kind = 0; kind < numKinds; ++kind) {
    int64_t arrivals = 1;
    if (kind == Scanned || kind == Stored)
      arrivals = scanning;
    else if (kind == Loaded && has(Drawn))
      arrivals = 2;
    for (int64_t slot = 0; slot < stages; ++slot)
      NVVM::MBarrierInitOp::create(
          b, getPointer(b, Kind(kind), indexConstant(b, slot)),
          i32Constant(b, arrivals), /*predicate=*/Value());
  }
  // Bulk copies have to see them, too.
  fenceBeforeBulkCopies(b);
}

void MBarriers::arrive(ImplicitLocOpBuilder &b, Kind kind,
                       const RingPosition &at) {
  NVVM::MBarrierArriveOp::create(b, /*res=*/b.getI64Type(),
                                 getPointer(b, kind, at.slot),
                                 /*count=*/Value());
}

void MBarriers::arriveExpecting(ImplicitLocOpBuilder &b, Kind kind,
                                const RingPosition &at, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      b, /*res=*/Type(), getPointer(b, kind, at.slot), i32Constant(b, bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
}

void MBarriers::waitForParity(ImplicitLocOpBuilder &b, Kind kind, Value slot,
                              Value parity) {
  Value pointer = getPointer(b, kind, slot);
  scf::WhileOp::create(
      b, TypeRange(), ValueRange(),
      [&](OpBuilder &builder, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value isComplete = NVVM::MBarrierTryWaitOp::create(
            inner, inner.getI1Type(), pointer, parity, /*ticks=*/Value());
        scf::ConditionOp::create(inner, createNot(inner, isComplete),
                                 ValueRange());
      },
      [&](OpBuilder &builder, Location loc, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
}

void MBarriers::wait(ImplicitLocOpBuilder &b, Kind kind,
                     const RingPosition &at) {
  waitForParity(b, kind, at.slot, at.phase);
}

void MBarriers::waitForPrevious(ImplicitLocOpBuilder &b, Kind kind,
                                const RingPosition &at) {
  waitForParity(b, kind, at.slot,
                arith::XOrIOp::create(b, at.phase, i32Constant(b, 1)));
}
