//===- RecurrenceTransformOps.cpp - Schedules of steps --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/TransformOps/ScanTransformOps.h"
#include "TransformOpSupport.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::transform;

/// Writes `schedule` on a stage, if that is legal and it has none.
static DiagnosedSilenceableFailure setStage(TransformOpInterface transform,
                                            TransformRewriter &rewriter,
                                            Operation *stage,
                                            StageAttr schedule) {
  if (Attribute found = stage->getAttr(kStageName)) {
    std::string text;
    llvm::raw_string_ostream(text) << found;
    return refuse(transform, stage,
                  "expected a stage whose dimensions nothing has split or "
                  "placed yet, found " +
                      text);
  }
  if (std::string why = checkStage(stage, schedule); !why.empty())
    return refuse(transform, stage, "expected " + why);
  rewriter.modifyOpInPlace(stage,
                           [&] { stage->setAttr(kStageName, schedule); });
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// transform.scan.split_stage
//===----------------------------------------------------------------------===//

/// Null, after an error, if that is no schedule of any stage.
static StageAttr getSchedule(ScanSplitStageOp op) {
  SmallVector<unsigned> factors;
  for (int64_t factor : op.getFactors()) {
    if (factor < 0 || factor > UINT32_MAX) {
      op.emitOpError() << "expected factors of 0 or more and of 32 bits, found "
                       << factor;
      return {};
    }
    factors.push_back(factor);
  }
  return StageAttr::getChecked([&] { return op.emitOpError(); },
                               op.getContext(), ArrayRef<unsigned>(factors),
                               saturate(op.getVector()), /*inside=*/false);
}

LogicalResult ScanSplitStageOp::verify() {
  StageAttr schedule = ::getSchedule(*this);
  if (!schedule)
    return failure();
  if (!schedule.hasLoops())
    return emitOpError("expected factors or a vector, found neither");
  return success();
}

DiagnosedSilenceableFailure
ScanSplitStageOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                             ApplyToEachResultList &results,
                             TransformState &state) {
  return setStage(*this, rewriter, target, ::getSchedule(*this));
}

//===----------------------------------------------------------------------===//
// transform.scan.compute_at
//===----------------------------------------------------------------------===//

void ScanComputeAtOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  onlyReadsHandle(getTargetMutable(), effects);
  onlyReadsHandle(getReaderMutable(), effects);
  modifiesPayload(effects);
}

DiagnosedSilenceableFailure ScanComputeAtOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  SmallVector<Operation *> readers =
      llvm::to_vector(state.getPayloadOps(getReader()));
  if (readers.size() != 1)
    return emitSilenceableError()
           << "expected one operation as reader, found " << readers.size();
  auto schedule = StageAttr::get(getContext(), {}, 1, /*inside=*/true);
  for (Operation *target : llvm::to_vector(state.getPayloadOps(getTarget()))) {
    for (Operation *user : target->getUsers())
      if (user != readers.front())
        return refuse(*this, target,
                      "expected a stage that the reader alone reads, found '" +
                          user->getName().getStringRef() +
                          "', which reads it, too");
    DiagnosedSilenceableFailure set =
        setStage(*this, rewriter, target, schedule);
    if (!set.succeeded())
      return set;
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// transform.scan.unroll_time
//===----------------------------------------------------------------------===//

LogicalResult ScanUnrollTimeOp::verify() {
  return success(LoopsAttr::getChecked([&] { return emitOpError(); },
                                       getContext(),
                                       saturate(getFactor())) != nullptr);
}

DiagnosedSilenceableFailure
ScanUnrollTimeOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                             ApplyToEachResultList &results,
                             TransformState &state) {
  if (!isa<RecurrenceOp>(target))
    return refuseKind(*this, target, "a 'scan.recurrence'");
  auto loops = LoopsAttr::get(getContext(), saturate(getFactor()));
  rewriter.modifyOpInPlace(target, [&] { target->setAttr(kLoopsName, loops); });
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// transform.scan.launch_steps
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
ScanLaunchStepsOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                              ApplyToEachResultList &results,
                              TransformState &state) {
  auto op = dyn_cast<RecurrenceOp>(target);
  if (!op)
    return refuseKind(*this, target, "a 'scan.recurrence'");
  if (std::string why = findLaunchObstacle(op); !why.empty())
    return refuse(*this, target, why);
  auto schedule = StepLaunchesAttr::get(getContext());
  rewriter.modifyOpInPlace(
      op, [&] { op->setAttr(RecurrenceOp::getScheduleName(), schedule); });
  return DiagnosedSilenceableFailure::success();
}
