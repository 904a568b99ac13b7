//===- AsyncCopyPatterns.cpp - Asynchronous copies to calls of the runtime ===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations nvgpu.device_async_*, which are cp.async on the hardware.
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::scan::emulator;

/// The access sites of a copy, as attributes of the operation.
static constexpr llvm::StringLiteral kReadSite = "scan_emulator.read";
static constexpr llvm::StringLiteral kWriteSite = "scan_emulator.write";

void mlir::scan::emulator::createAsyncCopySites(
    Operation *root, MemoryInstrumentation &instrumentation) {
  root->walk([&](nvgpu::DeviceAsyncCopyOp op) {
    const int64_t bytes =
        DataLayout()
            .getTypeSize(
                cast<MemRefType>(op.getDst().getType()).getElementType())
            .getFixedValue();
    op->setAttr(kReadSite,
                instrumentation.createSite(op, 0, bytes, AccessKind::Read));
    op->setAttr(kWriteSite,
                instrumentation.createSite(op, 0, bytes, AccessKind::Write));
  });
}

namespace {

/// A token has no value at run time: groups are told apart by their order.
Value createToken(OpBuilder &builder, Location loc) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
}

struct AsyncCopyPattern
    : public ConvertOpToLLVMPattern<nvgpu::DeviceAsyncCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto dstType = cast<MemRefType>(op.getDst().getType());
    auto srcType = cast<MemRefType>(op.getSrc().getType());
    Value dst = getStridedElementPtr(rewriter, loc, dstType, adaptor.getDst(),
                                     adaptor.getDstIndices());
    Value src = getStridedElementPtr(rewriter, loc, srcType, adaptor.getSrc(),
                                     adaptor.getSrcIndices());
    Type i64 = rewriter.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, i64, value);
    };
    const int64_t elementBytes =
        DataLayout().getTypeSize(dstType.getElementType()).getFixedValue();
    Value dstBytes =
        constant(op.getDstElements().getZExtValue() * elementBytes);
    Value srcBytes = dstBytes;
    if (adaptor.getSrcElements())
      srcBytes = LLVM::MulOp::create(rewriter, loc, adaptor.getSrcElements(),
                                     constant(elementBytes));
    auto site = [&](StringRef name) {
      return getSiteAddress(rewriter, loc,
                            op->getAttrOfType<FlatSymbolRefAttr>(name));
    };
    callRuntime(
        rewriter, loc, RuntimeCall::AsyncCopy,
        {site(kReadSite), site(kWriteSite), dst, src, dstBytes, srcBytes});
    rewriter.replaceOp(op, createToken(rewriter, loc));
    return success();
  }
};

struct AsyncGroupPattern
    : public ConvertOpToLLVMPattern<nvgpu::DeviceAsyncCreateGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncCreateGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callRuntime(rewriter, op.getLoc(), RuntimeCall::AsyncGroup, {});
    rewriter.replaceOp(op, createToken(rewriter, op.getLoc()));
    return success();
  }
};

struct AsyncWaitPattern
    : public ConvertOpToLLVMPattern<nvgpu::DeviceAsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value groups =
        LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                 op.getNumGroups().value_or(0));
    callRuntime(rewriter, op.getLoc(), RuntimeCall::AsyncWait, groups);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::scan::emulator::populateAsyncCopyPatterns(
    LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  patterns.add<AsyncCopyPattern, AsyncGroupPattern, AsyncWaitPattern>(
      converter);
}
