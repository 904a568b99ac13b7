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
#include "Plan/ColumnCheckpoints.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "Plan/StateSplit.h"
#include "Primitives/ProductGuard.h"
#include "Primitives/SumsOfProducts.h"
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
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTSCANTOGPU
#include "Scan/Conversion/ScanToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether one kernel can scan in both directions; if not, it has to be split.
static bool canScanBidirectionally(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  return isScannedInOneTile(kernel, schedule) ||
         (schedule.sharesStates() && StateSplit::get(kernel)) ||
         keepsCheckpoints(kernel, schedule);
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
      succeeded(checkSharedMemory(kernel, schedule, getSharedLimit(schedule),
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
    return emitRowKernel(b, frame);
  case KernelKind::GridRow:
    return emitGridRowKernel(b, frame);
  case KernelKind::PersistentRow:
    return emitPipelinedRowKernel(b, frame);
  case KernelKind::WarpSpecializedRow:
    return emitWarpSpecializedRowKernel(b, frame);
  case KernelKind::Bidirectional:
    return emitBidirectionalKernel(rewriter, b, frame);
  case KernelKind::BidirectionalColumn:
    return emitBidirectionalColumnKernel(rewriter, b, frame);
  case KernelKind::CheckpointedColumn:
    return emitCheckpointedColumnKernel(rewriter, b, frame);
  case KernelKind::Column:
  case KernelKind::GridColumn:
    return emitColumnKernel(b, frame);
  }
  llvm_unreachable("unknown kind of kernel");
}

namespace {
/// One kernel on its way to the GPU. Only `emit` may run for several kernels at
/// the same time.
class KernelLowering {
public:
  explicit KernelLowering(KernelOp kernel)
      : kernel(kernel), flat(getFlatOperands(kernel)) {}

  /// Makes the function, which is empty.
  LogicalResult begin(RewriterBase &rewriter);

  /// Whether emitting changes the function that the kernel is in.
  bool isEmittedAlone() const {
    KernelKind kind = frame->getPlan().kind;
    return kind == KernelKind::Bidirectional ||
           kind == KernelKind::BidirectionalColumn ||
           kind == KernelKind::CheckpointedColumn;
  }

  /// Fills in the function.
  void emit(RewriterBase &rewriter);

  /// Replaces the kernel by the launch of the function.
  FailureOr<gpu::LaunchFuncOp> finish(RewriterBase &rewriter);

private:
  KernelOp kernel;
  SmallVector<FlatOperand> flat;
  SmallVector<KernelArgument> arguments;
  /// What says how segment offsets are checked, if they are.
  Attribute checked;
  std::optional<KernelFrame> frame;
  /// Where the body of the function begins.
  OpBuilder::InsertPoint start;
};
} // namespace

LogicalResult KernelLowering::begin(RewriterBase &rewriter) {
  if (failed(checkKernel(kernel)))
    return failure();
  if (kernel.isBidirectional() && !canScanBidirectionally(kernel))
    return kernel.emitOpError()
           << "expected a schedule whose block holds all steps in one tile to "
              "scan "
              "forward and in reverse in one GPU kernel, found "
           << kernel.getScheduleAttr()
           << "; run scan-bidirectional=split to make two kernels of it";
  FailureOr<SmallVector<KernelArgument>> listed =
      listFlatArguments(kernel, flat, getFlatExtents(kernel));
  if (failed(listed))
    return failure();
  arguments = std::move(*listed);
  KernelPlan plan = KernelPlan::get(kernel, kernel.getScheduleAttr());
  if (plan.hasWorkspace())
    arguments.push_back({KernelArgument::Kind::Workspace});
  checked = kernel->getAttr(checkOffsetsAttrName);
  for (unsigned i = 0, e = kernel.getInputs().size(); checked && i < e; ++i)
    if (kernel.isSegmentOffsets(i))
      arguments.push_back({KernelArgument::Kind::Status, i});
  gpu::GPUModuleOp module =
      getKernelModule(rewriter, kernel->getParentOfType<ModuleOp>());

  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  markProducts(kernel);
  // Threads that walk whole scans take the steps of the left fold.
  if (plan.kind != KernelKind::Sequential)
    contractSteps(kernel);
  contractProducts(kernel);
  // Where lanes share states, each has a part of such a sum.
  if (plan.kind != KernelKind::SplitStates)
    contractSums(kernel);
  frame.emplace(b, kernel, chooseKernelName(kernel, "_scan", module), module,
                arguments, std::move(plan));
  start = b.saveInsertionPoint();
  return success();
}

void KernelLowering::emit(RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  b.restoreInsertionPoint(start);
  emitKernel(rewriter, b, *frame);
}

FailureOr<gpu::LaunchFuncOp> KernelLowering::finish(RewriterBase &rewriter) {
  const KernelPlan &plan = frame->getPlan();
  // The plan is what schedules are judged by.
  if (frame->getSharedBytes() != plan.sharedBytes)
    return kernel.emitOpError()
           << "internal error: expected a kernel with " << plan.sharedBytes
           << " bytes of shared memory, found " << frame->getSharedBytes();

  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  b.setInsertionPoint(kernel);
  ScheduleAttr schedule = plan.schedule;
  SmallVector<OpFoldResult> extents = createFlatExtents(b, kernel);
  ArrayRef<OpFoldResult> domain =
      ArrayRef(extents).take_front(kernel.getDomainRank());
  Value workspace;
  if (plan.hasWorkspace())
    workspace = createWorkspace(
        b, createWorkspaceBytes(
               b, plan, createWorkspaceEntries(b, kernel, plan, domain)));
  SmallVector<Value> statuses;
  for (const KernelArgument &argument : arguments)
    if (argument.kind == KernelArgument::Kind::Status)
      statuses.push_back(
          createStatus(b, b.getLoc(), flat[argument.operand].value, checked));
  for (Value status : statuses)
    status.getDefiningOp()->setAttr(
        bufferization::BufferizationDialect::kManualDeallocation,
        b.getUnitAttr());
  SmallVector<Value> operands =
      createLaunchOperands(b, flat, arguments, extents, workspace, statuses);
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
  auto launch = gpu::LaunchFuncOp::create(b, frame->getFunc(), grid, block,
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

FailureOr<Operation *> mlir::scan::lowerKernelToGPU(RewriterBase &rewriter,
                                                    KernelOp kernel) {
  KernelLowering lowering(kernel);
  if (failed(lowering.begin(rewriter)))
    return failure();
  lowering.emit(rewriter);
  FailureOr<gpu::LaunchFuncOp> launch = lowering.finish(rewriter);
  if (failed(launch))
    return failure();
  return launch->getOperation();
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
    SmallVector<std::unique_ptr<KernelLowering>> lowerings;
    for (KernelOp kernel : kernels) {
      lowerings.push_back(std::make_unique<KernelLowering>(kernel));
      if (failed(lowerings.back()->begin(rewriter)))
        return signalPassFailure();
    }
    emitAll(lowerings);
    SmallVector<gpu::LaunchFuncOp> launches;
    for (std::unique_ptr<KernelLowering> &lowering : lowerings) {
      FailureOr<gpu::LaunchFuncOp> launch = lowering->finish(rewriter);
      if (failed(launch))
        return signalPassFailure();
      launches.push_back(*launch);
    }
    shareKernels(launches);
    clearStatuses(getOperation());
    numLowered += kernels.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", kernels.size()}});
  }

  /// Fills in the functions, each in a thread where it can.
  void emitAll(ArrayRef<std::unique_ptr<KernelLowering>> lowerings) {
    IRRewriter alone(&getContext());
    for (const std::unique_ptr<KernelLowering> &lowering : lowerings)
      if (lowering->isEmittedAlone())
        lowering->emit(alone);
    parallelForEach(&getContext(), lowerings,
                    [&](const std::unique_ptr<KernelLowering> &lowering) {
                      if (lowering->isEmittedAlone())
                        return;
                      IRRewriter rewriter(&getContext());
                      lowering->emit(rewriter);
                    });
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
