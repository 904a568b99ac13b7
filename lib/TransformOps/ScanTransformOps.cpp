//===- ScanTransformOps.cpp - Transform ops for scans ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/TransformOps/ScanTransformOps.h"
#include "Plan/WalkSchedule.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Transforms/Passes.h"
#include "Scan/Transforms/Raise.h"
#include "Schedule/CostModel.h"
#include "Schedule/Variants.h"
#include "TransformOpSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::transform;

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Runs `body`. If it fails, the errors that it emitted are those of
/// `transform`, which may be silenced.
static DiagnosedSilenceableFailure
captureErrors(TransformOpInterface transform, Operation *target,
              function_ref<LogicalResult()> body) {
  SmallVector<Diagnostic> errors;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(
        target->getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          errors.push_back(std::move(diagnostic));
          return success();
        });
    result = body();
  }
  if (succeeded(result))
    return DiagnosedSilenceableFailure::success();
  if (errors.empty())
    return refuse(transform, target, "failed to apply");
  DiagnosedSilenceableFailure failure =
      transform.emitSilenceableError(errors.front().str());
  for (Diagnostic &note : errors.front().getNotes())
    failure.attachNote(note.getLocation()) << note.str();
  failure.attachNote(target->getLoc()) << "when applied to this op";
  return failure;
}

static LogicalResult verifyChip(Operation *op, StringRef chip) {
  if (lookupGPUModel(chip))
    return success();
  return op->emitOpError("expected a known chip, found '")
         << chip << "'; known are " << getKnownChipNames();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Why threads cannot compute `op` as `schedule` says; empty if they can.
static std::string checkRecurrenceSchedule(RecurrenceOp op,
                                           ScheduleAttr schedule) {
  if (schedule.getStrategy() == Strategy::Sequential)
    return checkWalkSchedule(op, schedule);
  std::string split =
      ("the strategy sequential, as " +
       stringifyStrategy(schedule.getStrategy()) +
       " splits time, the dimension that the recurrence walks, and ")
          .str();
  if (op.getOrder() == Order::Sequential)
    return split + "order = sequential asks for steps one after the other";
  std::string why = getRaiseObstacle(op);
  return why.empty() ? why : split + "its step is none of a scan: " + why;
}

LogicalResult ScanSetScheduleOp::verify() {
  return verifyChip(*this, getChip());
}

DiagnosedSilenceableFailure
ScanSetScheduleOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                              ApplyToEachResultList &results,
                              TransformState &state) {
  ScheduleAttr schedule = getSchedule();
  auto apply = [&](auto scan) {
    if (scan.getOrder() == Order::Sequential && !schedule.keepsOrder())
      return refuse(*this, target,
                    "expected the strategy sequential, or row with as many "
                    "rows as threads, for a scan of the order sequential, "
                    "found " +
                        stringifyStrategy(schedule.getStrategy()));
    rewriter.modifyOpInPlace(scan, [&] { scan.setScheduleAttr(schedule); });
    return DiagnosedSilenceableFailure::success();
  };
  if (auto op = dyn_cast<AssociativeOp>(target))
    return apply(op);
  if (auto op = dyn_cast<LinearRecurrenceOp>(target))
    return apply(op);
  if (auto op = dyn_cast<RecurrenceOp>(target)) {
    if (std::string why = checkRecurrenceSchedule(op, schedule); !why.empty())
      return refuse(*this, target, "expected " + why);
    rewriter.modifyOpInPlace(
        op, [&] { op->setAttr(RecurrenceOp::getScheduleName(), schedule); });
    return DiagnosedSilenceableFailure::success();
  }
  auto kernel = dyn_cast<KernelOp>(target);
  if (!kernel)
    return refuseKind(*this, target, "a scan");
  DiagnosedSilenceableFailure checked = captureErrors(*this, target, [&] {
    return checkSchedule(kernel, schedule, *lookupGPUModel(getChip()));
  });
  return checked.succeeded() ? apply(kernel) : std::move(checked);
}

LogicalResult ScanAssignScheduleOp::verify() {
  return verifyChip(*this, getChip());
}

DiagnosedSilenceableFailure
ScanAssignScheduleOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                 ApplyToEachResultList &results,
                                 TransformState &state) {
  auto kernel = dyn_cast<KernelOp>(target);
  if (!kernel)
    return refuseKind(*this, target, "a 'scan.kernel'");
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel.setScheduleAttr(chooseSchedule(kernel, *lookupGPUModel(getChip())));
  });
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Normalisation and fusion
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
ScanNormalizeOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                            ApplyToEachResultList &results,
                            TransformState &state) {
  if (auto op = dyn_cast<AssociativeOp>(target)) {
    NormalizeObstacle obstacle;
    FailureOr<KernelOp> kernel = normalizeScan(rewriter, op, obstacle);
    if (succeeded(kernel)) {
      results.push_back(kernel->getOperation());
      return DiagnosedSilenceableFailure::success();
    }
    DiagnosedSilenceableFailure failure =
        emitSilenceableError("'" + obstacle.op->getName().getStringRef() +
                             "' op " + obstacle.reason);
    if (obstacle.op != target)
      failure.attachNote(obstacle.op->getLoc()) << "this operation";
    failure.attachNote(target->getLoc()) << "when applied to this op";
    return failure;
  }
  if (auto op = dyn_cast<LinearRecurrenceOp>(target)) {
    results.push_back(normalizeScan(rewriter, op).getOperation());
    return DiagnosedSilenceableFailure::success();
  }
  if (!isa<KernelOp>(target))
    return refuseKind(*this, target, "a scan");
  results.push_back(target);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure ScanFuseElementwiseOp::applyToOne(
    TransformRewriter &rewriter, Operation *target,
    ApplyToEachResultList &results, TransformState &state) {
  auto kernel = dyn_cast<KernelOp>(target);
  if (!kernel)
    return refuseKind(*this, target,
                      "a 'scan.kernel' (transform.scan.normalize makes one)");
  if (!kernel.hasPureTensorSemantics())
    return refuse(*this, target,
                  "expected a kernel on tensors, found memrefs; fuse before "
                  "bufferization");
  results.push_back(fuseElementwise(rewriter, kernel).getOperation());
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
/// Collects the loops that are put into one block.
struct LoopCollector final : RewriterBase::ForwardingListener {
  LoopCollector(OpBuilder::Listener *listener, Block *block)
      : ForwardingListener(listener), block(block) {}
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    ForwardingListener::notifyOperationInserted(op, previous);
    if (op->getBlock() == block && isa<LoopLikeOpInterface>(op))
      loops.push_back(op);
  }
  Block *block;
  SmallVector<Operation *> loops;
};
} // namespace

static ConvertScanToLoopsOptions getOptions(ScanLowerToLoopsOp op) {
  ConvertScanToLoopsOptions options;
  options.vectorBits = saturate(op.getVectorBits());
  options.stateBytes = saturate(op.getStateBytes());
  options.rows = saturate(op.getRows());
  return options;
}

LogicalResult ScanLowerToLoopsOp::verify() {
  return checkLoopOptions(getOptions(*this), [&] { return emitOpError(); });
}

DiagnosedSilenceableFailure
ScanLowerToLoopsOp::apply(TransformRewriter &rewriter,
                          TransformResults &results, TransformState &state) {
  ConvertScanToLoopsOptions options = getOptions(*this);
  SmallVector<Operation *> loops;
  SmallVector<Diagnostic> refused;
  auto lower = [&](Operation *target) {
    auto kernel = dyn_cast<KernelOp>(target);
    if (!kernel)
      return refuseKind(*this, target, "a 'scan.kernel'");
    if (!kernel.hasPureBufferSemantics())
      return refuse(*this, target,
                    "expected memref operands to become loops, found tensors; "
                    "bufferize before transform.scan.lower_to_loops");
    LoopCollector collector(rewriter.getListener(), kernel->getBlock());
    IRRewriter collecting(rewriter.getContext(), &collector);
    if (failed(lowerKernelToLoops(collecting, kernel, options)))
      return DiagnosedSilenceableFailure::definiteFailure();
    llvm::append_range(loops, collector.loops);
    return DiagnosedSilenceableFailure::success();
  };
  for (Operation *target : llvm::to_vector(state.getPayloadOps(getTarget()))) {
    DiagnosedSilenceableFailure result = lower(target);
    if (result.isDefiniteFailure())
      return result;
    if (result.isSilenceableFailure())
      result.takeDiagnostics(refused);
  }
  results.set(cast<OpResult>(getLoops()), loops);
  if (!refused.empty())
    return DiagnosedSilenceableFailure::silenceableFailure(std::move(refused));
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
ScanLowerToGPUOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                             ApplyToEachResultList &results,
                             TransformState &state) {
  auto kernel = dyn_cast<KernelOp>(target);
  if (!kernel)
    return refuseKind(*this, target, "a 'scan.kernel'");
  FailureOr<Operation *> launch = nullptr;
  DiagnosedSilenceableFailure lowered = captureErrors(*this, target, [&] {
    launch = lowerKernelToGPU(rewriter, kernel);
    return LogicalResult(launch);
  });
  if (!lowered.succeeded())
    return lowered;
  results.push_back(*launch);
  results.push_back(SymbolTable::lookupNearestSymbolFrom(
      *launch, cast<gpu::LaunchFuncOp>(*launch).getKernelAttr()));
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class ScanTransformDialectExtension
    : public TransformDialectExtension<ScanTransformDialectExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScanTransformDialectExtension)
  using Base::Base;

  void init() {
    declareDependentDialect<ScanDialect>();
    // What normalisation, fusion and the two lowerings make.
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<cf::ControlFlowDialect>();
    declareGeneratedDialect<complex::ComplexDialect>();
    declareGeneratedDialect<gpu::GPUDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<LLVM::LLVMDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Scan/TransformOps/ScanTransformOps.cpp.inc"
        >();
  }
};
} // namespace

#define GET_OP_CLASSES
#include "Scan/TransformOps/ScanTransformOps.cpp.inc"

void scan::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<ScanTransformDialectExtension>();
}
