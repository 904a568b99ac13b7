//===- MBarrierPatterns.cpp - mbarriers to calls of the runtime -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations nvvm.mbarrier.*, the bulk copies that complete on an mbarrier,
// and the fences between the proxies. Which forms of them there are is checked
// before, in SupportedMBarrierOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::scan::emulator;

/// The access sites of a copy, and that of an initialisation, as attributes of
/// the operation.
static constexpr llvm::StringLiteral kReadSite = "scan_emulator.read";
static constexpr llvm::StringLiteral kWriteSite = "scan_emulator.write";

void mlir::scan::emulator::createMBarrierSites(
    Operation *root, SiteTable &sites, MemoryInstrumentation &instrumentation) {
  root->walk([&](Operation *op) {
    if (isa<NVVM::MBarrierInitOp>(op)) {
      op->setAttr(kWriteSite,
                  instrumentation.createSite(op, kMBarrierBytes, kMBarrierBytes,
                                             AccessKind::Write));
    } else if (isa<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op)) {
      // What the elements are is not known: messages count in bytes.
      op->setAttr(kReadSite,
                  instrumentation.createSite(op, 0, 0, AccessKind::Read));
      op->setAttr(kWriteSite,
                  instrumentation.createSite(op, 0, 0, AccessKind::Write));
    } else if (isa<NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp,
                   NVVM::MBarrierTryWaitOp>(op)) {
      op->setAttr(kSiteAttr,
                  sites.create(op->getName().getStringRef(), op->getLoc()));
    }
  });
}

static Value getSite(OpBuilder &builder, Operation *op, StringRef name) {
  return getSiteAddress(builder, op->getLoc(),
                        op->getAttrOfType<FlatSymbolRefAttr>(name));
}

namespace {

struct InitPattern : public ConvertOpToLLVMPattern<NVVM::MBarrierInitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::MBarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callRuntime(rewriter, op.getLoc(), RuntimeCall::MBarrierInit,
                {getSite(rewriter, op, kWriteSite), adaptor.getAddr(),
                 adaptor.getCount()});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Of both ways to arrive; the value that they may have has no uses.
template <typename OpTy>
struct ArrivePattern : public ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value bytes;
    if constexpr (std::is_same_v<OpTy, NVVM::MBarrierArriveExpectTxOp>)
      bytes = adaptor.getTxcount();
    else
      bytes = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), 0);
    callRuntime(rewriter, loc, RuntimeCall::MBarrierArrive,
                {getSite(rewriter, op, kSiteAttr), adaptor.getAddr(), bytes});
    if (op->getNumResults() == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOpWithNewOp<LLVM::PoisonOp>(op, rewriter.getI64Type());
    return success();
  }
};

/// The call returns when the phase has completed, so that the loop around it
/// ends after one iteration.
struct TryWaitPattern : public ConvertOpToLLVMPattern<NVVM::MBarrierTryWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::MBarrierTryWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callRuntime(rewriter, op.getLoc(), RuntimeCall::MBarrierWait,
                {getSite(rewriter, op, kSiteAttr), adaptor.getAddr(),
                 adaptor.getStateOrPhase()});
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, rewriter.getI1Type(), 1);
    return success();
  }
};

struct BulkCopyPattern
    : public ConvertOpToLLVMPattern<NVVM::CpAsyncBulkGlobalToSharedClusterOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::CpAsyncBulkGlobalToSharedClusterOp op,
                  OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callRuntime(rewriter, op.getLoc(), RuntimeCall::BulkCopy,
                {getSite(rewriter, op, kReadSite),
                 getSite(rewriter, op, kWriteSite), adaptor.getDstMem(),
                 adaptor.getSrcMem(), adaptor.getMbar(), adaptor.getSize()});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ProxyFencePattern : public ConvertOpToLLVMPattern<NVVM::FenceProxyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::FenceProxyOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callRuntime(rewriter, op.getLoc(), RuntimeCall::ProxyFence, {});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An mbarrier is initialised at once, for all proxies.
struct InitFencePattern
    : public ConvertOpToLLVMPattern<NVVM::FenceMbarrierInitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::FenceMbarrierInitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::scan::emulator::populateMBarrierPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<InitPattern, ArrivePattern<NVVM::MBarrierArriveOp>,
               ArrivePattern<NVVM::MBarrierArriveExpectTxOp>, TryWaitPattern,
               BulkCopyPattern, ProxyFencePattern, InitFencePattern>(converter);
}
