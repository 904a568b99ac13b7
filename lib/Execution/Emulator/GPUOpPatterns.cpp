//===- GPUOpPatterns.cpp - GPU operations to calls of the runtime ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FiberRuntime.h"
#include "GPUToFibers.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::emulator;

// The numbers of the dialect's modes are not those of its printed order, so the
// two enumerations are related by name.
static ShuffleMode convertMode(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return ShuffleMode::Xor;
  case gpu::ShuffleMode::UP:
    return ShuffleMode::Up;
  case gpu::ShuffleMode::DOWN:
    return ShuffleMode::Down;
  case gpu::ShuffleMode::IDX:
    return ShuffleMode::Idx;
  }
  llvm_unreachable("unknown shuffle mode");
}

static Value constant(OpBuilder &builder, Location loc, unsigned bits,
                      int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getIntegerType(bits),
                                  value);
}

namespace {

//===----------------------------------------------------------------------===//
// Ids and sizes
//===----------------------------------------------------------------------===//

/// The ops that exist once per dimension.
template <typename OpTy, RuntimeCall call>
struct DimensionPattern : public ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value which = constant(rewriter, op.getLoc(), 32,
                           static_cast<int64_t>(op.getDimension()));
    rewriter.replaceOp(op, callRuntime(rewriter, op.getLoc(), call, which));
    return success();
  }
};

struct GlobalIdPattern : public ConvertOpToLLVMPattern<gpu::GlobalIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::GlobalIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value which =
        constant(rewriter, loc, 32, static_cast<int64_t>(op.getDimension()));
    auto call = [&](RuntimeCall callee) {
      return callRuntime(rewriter, loc, callee, which).getResult();
    };
    Value first = LLVM::MulOp::create(rewriter, loc, call(RuntimeCall::BlockId),
                                      call(RuntimeCall::BlockDim));
    rewriter.replaceOpWithNewOp<LLVM::AddOp>(op, first,
                                             call(RuntimeCall::ThreadId));
    return success();
  }
};

/// The lane and the subgroup of a thread follow from its number in the block.
struct LaneIdPattern : public ConvertOpToLLVMPattern<gpu::LaneIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::LaneIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value number =
        callRuntime(rewriter, op.getLoc(), RuntimeCall::LinearThreadId, {})
            .getResult();
    rewriter.replaceOpWithNewOp<LLVM::AndOp>(
        op, number, constant(rewriter, op.getLoc(), 64, kLanesPerWarp - 1));
    return success();
  }
};

struct SubgroupIdPattern : public ConvertOpToLLVMPattern<gpu::SubgroupIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value number =
        callRuntime(rewriter, op.getLoc(), RuntimeCall::LinearThreadId, {})
            .getResult();
    rewriter.replaceOpWithNewOp<LLVM::LShrOp>(
        op, number,
        constant(rewriter, op.getLoc(), 64, llvm::Log2_32(kLanesPerWarp)));
    return success();
  }
};

struct SubgroupSizePattern
    : public ConvertOpToLLVMPattern<gpu::SubgroupSizeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupSizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, constant(rewriter, op.getLoc(), 64, kLanesPerWarp));
    return success();
  }
};

struct NumSubgroupsPattern
    : public ConvertOpToLLVMPattern<gpu::NumSubgroupsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::NumSubgroupsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value count = constant(rewriter, loc, 64, kLanesPerWarp - 1);
    Value threads;
    for (int64_t dim = 0; dim < 3; ++dim) {
      Value extent = callRuntime(rewriter, loc, RuntimeCall::BlockDim,
                                 constant(rewriter, loc, 32, dim))
                         .getResult();
      threads =
          threads
              ? LLVM::MulOp::create(rewriter, loc, threads, extent).getResult()
              : extent;
    }
    Value rounded = LLVM::AddOp::create(rewriter, loc, threads, count);
    rewriter.replaceOpWithNewOp<LLVM::LShrOp>(
        op, rounded, constant(rewriter, loc, 64, llvm::Log2_32(kLanesPerWarp)));
    return success();
  }
};

/// Workgroup memory whose size is known at launch only.
struct DynamicSharedMemoryPattern
    : public ConvertOpToLLVMPattern<gpu::DynamicSharedMemoryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::DynamicSharedMemoryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getResultMemref().getType());
    Value memory =
        callRuntime(rewriter, loc, RuntimeCall::DynamicSharedMemory, {})
            .getResult();
    Value bytes =
        callRuntime(rewriter, loc, RuntimeCall::DynamicSharedBytes, {})
            .getResult();
    rewriter.replaceOp(
        op, {createMemRefDescriptor(loc, type, memory, memory, bytes,
                                    constant(rewriter, loc, 64, 1), rewriter)});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

/// Waits for the threads of the block, or for those of the warp.
template <typename OpTy, RuntimeCall call>
struct WaitPattern : public ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto site = op->template getAttrOfType<FlatSymbolRefAttr>(kSiteAttr);
    callRuntime(rewriter, op.getLoc(), call,
                getSiteAddress(rewriter, op.getLoc(), site));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ShufflePattern : public ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType();
    unsigned width = type.getIntOrFloatBitWidth();
    Type word = rewriter.getIntegerType(width);
    Type i64 = rewriter.getI64Type();

    Value bits = adaptor.getValue();
    if (type != word)
      bits = LLVM::BitcastOp::create(rewriter, loc, word, bits);
    if (width < 64)
      bits = LLVM::ZExtOp::create(rewriter, loc, i64, bits);
    auto site = op->getAttrOfType<FlatSymbolRefAttr>(kSiteAttr);
    Value mode = constant(rewriter, loc, 32,
                          static_cast<int64_t>(convertMode(op.getMode())));
    Value result = callRuntime(rewriter, loc, RuntimeCall::Shuffle,
                               {getSiteAddress(rewriter, loc, site), mode, bits,
                                adaptor.getOffset(), adaptor.getWidth()})
                       .getResult();

    Value value = LLVM::ExtractValueOp::create(rewriter, loc, result, 0);
    if (width < 64)
      value = LLVM::TruncOp::create(rewriter, loc, word, value);
    if (type != word)
      value = LLVM::BitcastOp::create(rewriter, loc, type, value);
    Value valid = LLVM::ExtractValueOp::create(rewriter, loc, result, 1);
    valid = LLVM::TruncOp::create(rewriter, loc, rewriter.getI1Type(), valid);
    rewriter.replaceOp(op, {value, valid});
    return success();
  }
};

/// Lanes exchange what holds in pairs, then in pairs of pairs.
struct VotePattern : public ConvertOpToLLVMPattern<NVVM::VoteSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NVVM::VoteSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value site = getSiteAddress(
        rewriter, loc, op->getAttrOfType<FlatSymbolRefAttr>(kSiteAttr));
    Value mode =
        constant(rewriter, loc, 32, static_cast<int64_t>(ShuffleMode::Xor));
    Value width = constant(rewriter, loc, 32, kLanesPerWarp);
    Value bits = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI64Type(),
                                      adaptor.getPred());
    for (int64_t mask = 1; mask < kLanesPerWarp; mask *= 2) {
      Value result = callRuntime(rewriter, loc, RuntimeCall::Shuffle,
                                 {site, mode, bits,
                                  constant(rewriter, loc, 32, mask), width})
                         .getResult();
      bits = LLVM::AndOp::create(
          rewriter, loc, bits,
          LLVM::ExtractValueOp::create(rewriter, loc, result, 0));
    }
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, rewriter.getI1Type(), bits);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

class LaunchPattern : public ConvertOpToLLVMPattern<gpu::LaunchFuncOp> {
public:
  LaunchPattern(const LLVMTypeConverter &converter, const KernelMap &kernels)
      : ConvertOpToLLVMPattern(converter), kernels(kernels) {}

  LogicalResult
  matchAndRewrite(gpu::LaunchFuncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const auto *kernel = kernels.find(op.getKernelAttr());
    if (kernel == kernels.end())
      return rewriter.notifyMatchFailure(op, "the kernel is unknown");
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    Type pointer = LLVM::LLVMPointerType::get(getContext());

    SmallVector<Value> arguments = getTypeConverter()->promoteOperands(
        loc, op.getKernelOperands(), adaptor.getKernelOperands(), rewriter,
        kernel->second.barePointers);
    // As for the driver of a GPU: an array of pointers to the arguments.
    Value slots = allocate(op, rewriter, pointer, arguments.size());
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Value slot = allocate(op, rewriter, argument.getType(), 1);
      LLVM::StoreOp::create(rewriter, loc, argument, slot);
      Value entry =
          LLVM::GEPOp::create(rewriter, loc, pointer, pointer, slots,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(rewriter, loc, slot, entry);
    }

    auto widen = [&](Value size) -> Value {
      return size.getType() == i64
                 ? size
                 : LLVM::SExtOp::create(rewriter, loc, i64, size).getResult();
    };
    Value dynamicShared = adaptor.getDynamicSharedMemorySize()
                              ? widen(adaptor.getDynamicSharedMemorySize())
                              : constant(rewriter, loc, 64, 0);
    Value descriptor = LLVM::AddressOfOp::create(
        rewriter, loc, pointer, kernel->second.name + kKernelSuffix.str());
    callRuntime(rewriter, loc, RuntimeCall::Launch,
                {descriptor, widen(adaptor.getGridSizeX()),
                 widen(adaptor.getGridSizeY()), widen(adaptor.getGridSizeZ()),
                 widen(adaptor.getBlockSizeX()), widen(adaptor.getBlockSizeY()),
                 widen(adaptor.getBlockSizeZ()), dynamicShared, slots});
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Room on the stack of the host's function, taken once however often the
  /// launch is in a loop.
  static Value allocate(gpu::LaunchFuncOp op,
                        ConversionPatternRewriter &rewriter, Type type,
                        int64_t count) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<FunctionOpInterface>();
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    return LLVM::AllocaOp::create(rewriter, op.getLoc(), pointer, type,
                                  constant(rewriter, op.getLoc(), 64, count));
  }

  const KernelMap &kernels;
};

} // namespace

void mlir::scan::emulator::populateGPUOpPatterns(
    const LLVMTypeConverter &converter, const KernelMap &kernels,
    RewritePatternSet &patterns) {
  patterns
      .add<DimensionPattern<gpu::ThreadIdOp, RuntimeCall::ThreadId>,
           DimensionPattern<gpu::BlockIdOp, RuntimeCall::BlockId>,
           DimensionPattern<gpu::BlockDimOp, RuntimeCall::BlockDim>,
           DimensionPattern<gpu::GridDimOp, RuntimeCall::GridDim>,
           GlobalIdPattern, LaneIdPattern, SubgroupIdPattern,
           SubgroupSizePattern, NumSubgroupsPattern, DynamicSharedMemoryPattern,
           WaitPattern<gpu::BarrierOp, RuntimeCall::Barrier>,
           WaitPattern<NVVM::SyncWarpOp, RuntimeCall::SyncWarp>, ShufflePattern,
           VotePattern>(converter);
  patterns.add<LaunchPattern>(converter, kernels);
}
