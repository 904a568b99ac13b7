//===- GPUToNVVM.cpp - --scan-gpu-to-nvvm ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUMath.h"
#include "Scan/Pipelines/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANGPUTONVVM
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// What has to be expressed by other operations first: reductions of a block by
/// a pattern of the function around them.
static SmallVector<Operation *> listCompound(gpu::GPUModuleOp module) {
  llvm::SetVector<Operation *> compound;
  module.walk([&](Operation *op) {
    if (isa<gpu::AllReduceOp>(op))
      compound.insert(op->getParentOfType<gpu::GPUFuncOp>());
    else if (isa<gpu::GlobalIdOp, gpu::ShuffleOp>(op))
      compound.insert(op);
    else if (auto elements = dyn_cast<vector::FromElementsOp>(op))
      if (elements.getDest().getType().getRank() > 1)
        compound.insert(op);
  });
  // Reductions in other functions have no pattern.
  compound.remove(nullptr);
  return compound.takeVector();
}

static LowerToLLVMOptions getOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  options.useBarePtrCallConv = true;
  return options;
}

namespace {
/// An exponential that may be approximate is the instruction for that to the
/// base of two, of a multiple to other bases. libdevice's functions
/// (__nv_fast_expf, __nv_exp2f) scale arguments so that results below 2^-126
/// are not zero, which takes more instructions than the exponential itself.
template <typename OpTy> struct FastExponential : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    Value power = adaptor.getOperand();
    if (std::is_same_v<OpTy, math::ExpOp>) {
      Value log2e = LLVM::ConstantOp::create(
          rewriter, loc, rewriter.getF32FloatAttr(llvm::numbers::log2ef));
      power = LLVM::FMulOp::create(rewriter, loc, power, log2e);
    }
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
        ValueRange(power));
    return success();
  }
};

/// What all kernels are converted by.
struct Conversion {
  explicit Conversion(MLIRContext *context)
      : types(context, getOptions(context)), target(*context) {
    RewritePatternSet compound(context);
    populateGpuRewritePatterns(compound);
    vector::populateVectorFromElementsUnrollPatterns(compound);
    expansion = FrozenRewritePatternSet(std::move(compound));

    configureGpuToNVVMTypeConverter(types);
    RewritePatternSet all(context);
    populateGpuToNVVMConversionPatterns(types, all, PatternBenefit(10));
    for (Dialect *dialect : context->getLoadedDialects())
      if (auto *interface = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
        interface->populateConvertToLLVMConversionPatterns(target, types, all);
    populateGpuWMMAToNVVMConversionPatterns(types, all);
    // What libdevice has no function for: math.trunc, math.absi, math.ctpop.
    populateMathToLLVMConversionPatterns(types, all);
    all.add<FastExponential<math::ExpOp>, FastExponential<math::Exp2Op>>(
        types, PatternBenefit(20));
    configureGpuToNVVMConversionLegality(target);
    patterns = FrozenRewritePatternSet(std::move(all));
  }

  LLVMTypeConverter types;
  LLVMConversionTarget target;
  FrozenRewritePatternSet expansion, patterns;
};

struct ScanGPUToNVVM : scan::impl::ScanGPUToNVVMBase<ScanGPUToNVVM> {
  LogicalResult initialize(MLIRContext *context) override {
    conversion = std::make_shared<Conversion>(context);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> compound = listCompound(getOperation());
    if (!compound.empty() &&
        failed(applyOpPatternsGreedily(compound, conversion->expansion)))
      return signalPassFailure();
    // LLVM would find fewer of the blocks that do the same.
    IRRewriter rewriter(&getContext());
    (void)simplifyRegions(rewriter, getOperation()->getRegions());
    scan::shortenMath(rewriter, getOperation());
    // No pattern fails once it has begun, and to remember what it replaced
    // takes a third of the conversion's time.
    ConversionConfig config;
    config.allowPatternRollback = false;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), conversion->target,
                                      conversion->patterns, config)))
      signalPassFailure();
  }

private:
  std::shared_ptr<Conversion> conversion;
};
} // namespace
