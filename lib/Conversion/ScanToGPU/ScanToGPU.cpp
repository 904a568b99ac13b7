//===- ScanToGPU.cpp - --convert-scan-to-gpu ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "KernelFrame.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Conversion/ScanToGPU/Resources.h"
#include "Scan/IR/MatchCounts.h"
#include "Strategies.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTSCANTOGPU
#include "Scan/Conversion/ScanToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Rows do with less shared memory than they want, columns do not.
static LogicalResult checkSharedMemory(KernelOp kernel, ScheduleAttr schedule) {
  int64_t bytes = getWantedSharedBytes(kernel, schedule);
  if (schedule.getStrategy() != Strategy::Column || bytes <= kMaxSharedBytes)
    return success();
  return kernel.emitOpError()
         << "expected a schedule with at most " << kMaxSharedBytes
         << " bytes of shared memory per block, found " << schedule.getThreads()
         << " threads in " << schedule.getLanes() << " lanes with "
         << schedule.getVector() << " columns each, which take " << bytes
         << " bytes; lower threads, lanes or vector";
}

static LogicalResult checkKernel(KernelOp kernel) {
  if (!kernel.hasPureBufferSemantics())
    return kernel.emitOpError()
           << "expected memref operands to become a GPU kernel, found "
              "tensors; run one-shot-bufferize before convert-scan-to-gpu";
  if (kernel->getParentOfType<gpu::LaunchOp>() ||
      kernel->getParentOfType<gpu::GPUModuleOp>())
    return kernel.emitOpError()
           << "expected a kernel on the host to become a GPU kernel, found one "
              "in device code; convert-scan-to-loops makes loops of it there";
  if (!kernel->getParentOfType<ModuleOp>())
    return kernel.emitOpError()
           << "expected a module around it to put the GPU kernel into";
  if (!kernel.getScheduleAttr())
    return kernel.emitOpError()
           << "expected a schedule to become a GPU kernel, found none; run "
              "scan-assign-schedule before convert-scan-to-gpu";
  ScheduleAttr schedule = kernel.getScheduleAttr();
  return success(succeeded(checkIsSupported(kernel, schedule)) &&
                 succeeded(checkSharedMemory(kernel, schedule)));
}

/// The blocks that a launch takes.
static Value createBlockCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                              ScheduleAttr schedule,
                              ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> values;
  for (OpFoldResult extent : extents)
    values.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
  return countBlocks<Value>(
      kernel, schedule, indexConstant(b, 1), values,
      [&](Value lhs, Value rhs) {
        return b.createOrFold<arith::MulIOp>(lhs, rhs);
      },
      [&](Value lhs, int64_t rhs) {
        return b.createOrFold<arith::CeilDivUIOp>(lhs, indexConstant(b, rhs));
      });
}

FailureOr<Operation *> mlir::scan::lowerKernelToGPU(RewriterBase &rewriter,
                                                    KernelOp kernel) {
  if (failed(checkKernel(kernel)))
    return failure();
  SmallVector<FlatOperand> flat = getFlatOperands(kernel);
  FailureOr<SmallVector<KernelArgument>> arguments =
      listFlatArguments(kernel, flat, kernel.getStaticDomainShape());
  if (failed(arguments))
    return failure();
  ScheduleAttr schedule = kernel.getScheduleAttr();
  gpu::GPUModuleOp module =
      getKernelModule(rewriter, kernel->getParentOfType<ModuleOp>());

  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  KernelFrame frame(b, kernel, chooseKernelName(kernel, "_scan", module),
                    module, *arguments, schedule);
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    emitSequentialKernel(b, frame);
    break;
  case Strategy::Row:
    emitRowKernel(b, frame);
    break;
  case Strategy::Column:
    emitColumnKernel(b, frame);
    break;
  }

  b.setInsertionPoint(kernel);
  SmallVector<OpFoldResult> extents = kernel.getDomainSizes(b, b.getLoc());
  SmallVector<Value> operands =
      createLaunchOperands(b, flat, *arguments, extents);
  Value one = indexConstant(b, 1);
  gpu::KernelDim3 grid =
      createGrid(b, createBlockCount(b, kernel, schedule, extents));
  gpu::KernelDim3 block{indexConstant(b, schedule.getThreads()), one, one};
  Operation *launch =
      gpu::LaunchFuncOp::create(b, frame.getFunc(), grid, block,
                                /*dynamicSharedMemorySize=*/Value(), operands);
  rewriter.eraseOp(kernel);
  return launch;
}

namespace {
struct ConvertScanToGPU
    : public scan::impl::ConvertScanToGPUBase<ConvertScanToGPU> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      if (failed(lowerKernelToGPU(rewriter, kernel)))
        return signalPassFailure();
    numLowered += kernels.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", kernels.size()}});
  }
};
} // namespace
