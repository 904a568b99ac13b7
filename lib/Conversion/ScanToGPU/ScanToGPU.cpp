//===- ScanToGPU.cpp - --convert-scan-to-gpu ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Emit.h"
#include "Frame/GridSize.h"
#include "Frame/ShareKernels.h"
#include "IR/MatchCounts.h"
#include "IR/OffsetsCheck.h"
#include "IR/SplitBidirectional.h"
#include "Kernels/Strategies.h"
#include "LookBack/GridWorkspace.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "Primitives/ProductGuard.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Target/HostTracer.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// Whether one kernel can scan in both directions; if not, it has to be split.
static bool canScanBidirectionally(KernelOp kernel) {
  return isScannedInOneTile(kernel, kernel.getScheduleAttr());
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
  if (kernel.isBidirectional() && !canScanBidirectionally(kernel) &&
      failed(checkSplittable(kernel)))
    return failure();
  ScheduleAttr schedule = kernel.getScheduleAttr();
  return success(
      succeeded(checkIsSupported(kernel, schedule)) &&
      succeeded(checkSharedMemory(kernel, schedule,
                                  schedule.isPersistent() ? kDynamicSharedLimit
                                                          : kStaticSharedLimit,
                                  /*where=*/"")));
}

/// The widest access to a workspace, in bytes.
static constexpr int64_t kWorkspaceAlignment = 16;

/// Memory of `bytes` bytes, which is zero before the first launch. The loop
/// that clears it stands for what a launcher does once, and is marked so that
/// it becomes no kernel of its own.
static memref::AllocOp createWorkspace(ImplicitLocOpBuilder &b, Value bytes) {
  constexpr int64_t wordBytes = 8;
  Value words =
      b.createOrFold<arith::DivUIOp>(bytes, indexConstant(b, wordBytes));
  std::optional<int64_t> known = getConstantIntValue(words);
  auto type =
      MemRefType::get({known.value_or(ShapedType::kDynamic)}, b.getI64Type());
  auto workspace =
      memref::AllocOp::create(b, type, known ? ValueRange() : ValueRange(words),
                              b.getI64IntegerAttr(kWorkspaceAlignment));
  // It is freed right here, and not by a deallocation pass.
  workspace->setAttr(bufferization::BufferizationDialect::kManualDeallocation,
                     b.getUnitAttr());
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  auto fill = linalg::FillOp::create(b, zero, workspace.getResult());
  fill->setAttr(workspaceAttrName, b.getUnitAttr());
  return workspace;
}

/// Sets every status to zero, in a way that stands for what a launcher does.
static void clearStatuses(Operation *module) {
  module->walk([](memref::AllocOp alloc) {
    if (!isStatus(alloc))
      return;
    auto b =
        ImplicitLocOpBuilder::atBlockBegin(alloc.getLoc(), alloc->getBlock());
    b.setInsertionPointAfter(alloc);
    Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    linalg::FillOp::create(b, zero, alloc.getResult())
        ->setAttr(workspaceAttrName, b.getUnitAttr());
  });
}

static void emitKernel(RewriterBase &rewriter, ImplicitLocOpBuilder &b,
                       KernelFrame &frame) {
  switch (frame.getPlan().kind) {
  case KernelKind::Sequential:
    return emitSequentialKernel(b, frame);
  case KernelKind::SplitStates:
    return emitSplitStatesKernel(b, frame);
  case KernelKind::Row:
  case KernelKind::GridRow:
    return emitRowKernel(b, frame);
  case KernelKind::PersistentRow:
    return emitPipelinedRowKernel(b, frame);
  case KernelKind::Bidirectional:
    return emitBidirectionalKernel(rewriter, b, frame);
  case KernelKind::BidirectionalColumn:
    return emitBidirectionalColumnKernel(rewriter, b, frame);
  case KernelKind::Column:
  case KernelKind::GridColumn:
    return emitColumnKernel(b, frame);
  }
  llvm_unreachable("unknown kind of kernel");
}

FailureOr<Operation *> mlir::scan::lowerKernelToGPU(RewriterBase &rewriter,
                                                    KernelOp kernel) {
  if (failed(checkKernel(kernel)))
    return failure();
  if (kernel.isBidirectional() && !canScanBidirectionally(kernel))
    return kernel.emitOpError()
           << "expected a schedule whose block holds all steps in one tile to "
              "scan "
              "forward and in reverse in one GPU kernel, found "
           << kernel.getScheduleAttr()
           << "; run scan-bidirectional=split to make two kernels of it";
  SmallVector<FlatOperand> flat = getFlatOperands(kernel);
  FailureOr<SmallVector<KernelArgument>> arguments =
      listFlatArguments(kernel, flat, getFlatExtents(kernel));
  if (failed(arguments))
    return failure();
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (schedule.isGridWide())
    arguments->push_back({KernelArgument::Kind::Workspace});
  Attribute checked = kernel->getAttr(checkOffsetsAttrName);
  for (unsigned i = 0, e = kernel.getInputs().size(); checked && i < e; ++i)
    if (kernel.isSegmentOffsets(i))
      arguments->push_back({KernelArgument::Kind::Status, i});
  gpu::GPUModuleOp module =
      getKernelModule(rewriter, kernel->getParentOfType<ModuleOp>());

  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  markProducts(kernel);
  KernelFrame frame(b, kernel, chooseKernelName(kernel, "_scan", module),
                    module, *arguments, KernelPlan::get(kernel, schedule));
  emitKernel(rewriter, b, frame);
  const KernelPlan &plan = frame.getPlan();
  // The plan is what schedules are judged by.
  if (frame.getSharedBytes() != plan.sharedBytes)
    return kernel.emitOpError()
           << "internal error: expected a kernel with " << plan.sharedBytes
           << " bytes of shared memory, found " << frame.getSharedBytes();

  b.setInsertionPoint(kernel);
  SmallVector<OpFoldResult> extents = createFlatExtents(b, kernel);
  ArrayRef<OpFoldResult> domain =
      ArrayRef(extents).take_front(kernel.getDomainRank());
  Value workspace;
  if (schedule.isGridWide()) {
    Value descriptors = createDescriptorCount(b, kernel, schedule, domain);
    workspace = createWorkspace(b, createWorkspaceBytes(b, plan, descriptors));
  }
  SmallVector<Value> statuses;
  for (const KernelArgument &argument : *arguments)
    if (argument.kind == KernelArgument::Kind::Status)
      statuses.push_back(
          createStatus(b, b.getLoc(), flat[argument.operand].value, checked));
  for (Value status : statuses)
    status.getDefiningOp()->setAttr(
        bufferization::BufferizationDialect::kManualDeallocation,
        b.getUnitAttr());
  SmallVector<Value> operands =
      createLaunchOperands(b, flat, *arguments, extents, workspace, statuses);
  Value one = indexConstant(b, 1);
  Value blocks = schedule.isPersistent()
                     ? indexConstant(b, schedule.getBlocks())
                     : createPartCount(b, kernel, schedule, domain);
  gpu::KernelDim3 grid = createGrid(b, blocks);
  gpu::KernelDim3 block{indexConstant(b, schedule.getThreads()), one, one};
  Value sharedBytes;
  if (plan.hasDynamicSharedMemory())
    sharedBytes =
        arith::ConstantOp::create(b, b.getI32IntegerAttr(plan.sharedBytes));
  Operation *launch = gpu::LaunchFuncOp::create(b, frame.getFunc(), grid, block,
                                                sharedBytes, operands);
  if (Attribute variant = kernel->getAttr(variantAttrName))
    launch->setAttr(variantAttrName, variant);
  if (workspace)
    statuses.push_back(workspace);
  for (Value own : statuses)
    memref::DeallocOp::create(b, own)->setAttr(
        bufferization::BufferizationDialect::kManualDeallocation,
        b.getUnitAttr());
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
    splitWhereNeeded(rewriter, kernels);
    SmallVector<gpu::LaunchFuncOp> launches;
    for (KernelOp kernel : kernels) {
      FailureOr<Operation *> launch = lowerKernelToGPU(rewriter, kernel);
      if (failed(launch))
        return signalPassFailure();
      launches.push_back(cast<gpu::LaunchFuncOp>(*launch));
    }
    shareKernels(launches);
    clearStatuses(getOperation());
    numLowered += kernels.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", kernels.size()}});
  }

  /// Replaces bidirectional kernels that cannot scan in both directions by one
  /// kernel per direction.
  static void splitWhereNeeded(RewriterBase &rewriter,
                               SmallVector<KernelOp> &kernels) {
    SmallVector<KernelOp> all;
    for (KernelOp kernel : kernels) {
      if (!kernel.isBidirectional() || canScanBidirectionally(kernel)) {
        all.push_back(kernel);
        continue;
      }
      KernelDirections split = splitBidirectional(rewriter, kernel);
      for (KernelOp direction : {split.same, split.opposite})
        if (direction)
          all.push_back(direction);
    }
    kernels = std::move(all);
  }
};
} // namespace
