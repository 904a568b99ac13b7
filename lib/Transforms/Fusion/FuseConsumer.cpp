//===- FuseConsumer.cpp - Elementwise code into store and finalize --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "UnrollLimits.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Operation *> scan::getConsumers(KernelOp kernel) {
  SetVector<Operation *> users(kernel->user_begin(), kernel->user_end());
  for (size_t i = 0; i < users.size(); ++i)
    if (isa<tensor::CastOp, tensor::ExpandShapeOp, linalg::TransposeOp>(
            users[i]))
      users.insert(users[i]->user_begin(), users[i]->user_end());
  return users.takeVector();
}

/// Whether `user` is a sum that may become a reduction output of the kernel
/// with the shape `shape`, which then does not store what it reads.
static bool mayBecomeOutput(KernelOp kernel, const KernelShape &shape,
                            Operation *user) {
  std::string why;
  std::optional<ElementwiseView> view =
      ElementwiseView::get(user, why, /*allowReductions=*/true);
  if (!view || !view->hasReductions())
    return false;
  llvm::SmallBitVector reduced;
  ConsumerKinds kinds;
  kinds.reductions = true;
  std::optional<ConsumerPlan> plan =
      ConsumerPlan::get(kernel, shape, *view, reduced, why, kinds);
  // Slices of what another kernel computes would keep the two apart.
  return plan && plan->isReduction &&
         llvm::none_of(shape.operands,
                       [](const KernelShape::Operand &operand) {
                         return operand.isSliced;
                       }) &&
         llvm::none_of(plan->operands, [](const ConsumerOperand &operand) {
           return operand.placed.isSliced();
         });
}

/// Whether the kernel may be unrolled over the dimensions `dims` to inline
/// `consumer`: if not, says why. It always moves fewer bytes then, since what
/// is reduced need not be read again, and often not be written.
static LogicalResult checkUnrolling(KernelOp kernel, Operation *consumer,
                                    const llvm::SmallBitVector &dims,
                                    const KernelShape &shape,
                                    const ConsumerPlan &plan,
                                    const FusionOptions &options,
                                    std::string &why) {
  int64_t registers = 0;
  for (const ConsumerOperand &operand : plan.operands)
    if (!operand.read)
      registers += countRegisters(operand.placed);
  for (const ConsumerResult &result : plan.results)
    registers += countRegisters(result.placed);
  if (failed(checkUnrollLimits(kernel, dims, registers, options, why)))
    return failure();
  for (OpResult result : kernel->getResults())
    if (shape.isReordered(result) &&
        llvm::any_of(result.getUsers(), [&](Operation *user) {
          return user != consumer && !mayBecomeOutput(kernel, shape, user);
        })) {
      why =
          "a result with other users has the dimension to unroll before others";
      return failure();
    }
  return success();
}

/// True if the consumer reads final states of both directions of `kernel`: no
/// final may depend on both (C19).
static bool readsBothFinals(KernelOp kernel, const ConsumerPlan &plan) {
  if (!kernel.isBidirectional() || !plan.isFinal)
    return false;
  SmallVector<KernelOp::Direction> directions = kernel.getFinalDirections();
  std::optional<KernelOp::Direction> known;
  for (const ConsumerOperand &operand : plan.operands) {
    if (!operand.read)
      continue;
    KernelOp::Direction direction =
        directions[operand.read.getResultNumber() - kernel.getOutputs().size()];
    if (known && *known != direction)
      return true;
    known = direction;
  }
  return false;
}

/// True if `value` is read at other steps as well.
static bool isShifted(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto shift = dyn_cast<ShiftOp>(user);
    return shift && shift.getDistance() != 0;
  });
}

bool scan::belongsToShiftedRead(KernelOp kernel, const ElementwiseView &view) {
  Operation *op = view.getOperation();
  if (op->getNumResults() != 1 || !op->hasOneUse() || view.hasReductions() ||
      view.isExpensive())
    return false;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp() == kernel && !isShifted(operand))
      return false;
  Operation *reader = *op->user_begin();
  SetVector<Operation *> before;
  before.insert(reader);
  for (size_t i = 0; i < before.size(); ++i) {
    std::string why;
    if (auto shift = dyn_cast<ShiftOp>(before[i]);
        shift && llvm::is_contained(op->getOperands(), shift.getSource()))
      return true;
    if (before[i]->getBlock() != kernel->getBlock() || before[i] == op ||
        !ElementwiseView::get(before[i], why))
      continue;
    for (Value operand : before[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        before.insert(source);
  }
  return false;
}

bool scan::needsOtherSum(KernelOp kernel, const ConsumerPlan &plan) {
  Block *block = kernel->getBlock();
  SetVector<Operation *> sums;
  for (OpOperand &input : kernel.getInputsMutable())
    if (!plan.needed.empty() && kernel.getIndexingMap(input).isPermutation())
      for (Operation *user : input.get().getUsers())
        if (auto sum = dyn_cast<linalg::LinalgOp>(user);
            sum && sum.getNumReductionLoops() > 0 && sum->getBlock() == block)
          sums.insert(user);
  for (Operation *sum : sums) {
    SetVector<Operation *> after;
    after.insert(sum);
    for (size_t i = 0; i < after.size(); ++i)
      for (Operation *user : after[i]->getUsers())
        if (Operation *outer = block->findAncestorOpInBlock(*user))
          after.insert(outer);
    if (!after.contains(kernel) && llvm::any_of(plan.needed, [&](Value value) {
          return after.contains(value.getDefiningOp());
        }))
      return true;
  }
  return false;
}

LogicalResult scan::fuseConsumer(RewriterBase &rewriter, KernelOp kernel,
                                 Operation *consumer,
                                 const FusionOptions &options, bool mayUnroll) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(consumer,
                                       "not inlined into the scan: " + reason);
  };
  if (consumer->getBlock() != kernel->getBlock() ||
      !kernel.hasPureTensorSemantics())
    return fail("it is not in the block of the kernel, or reads a buffer");
  std::string why = "a cast or a reshape computes nothing";
  std::optional<ElementwiseView> view;
  if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          consumer))
    view = ElementwiseView::get(consumer, why, /*allowReductions=*/true);
  if (!view)
    return fail(why);
  if (belongsToShiftedRead(kernel, *view))
    return fail("what reads it reads other steps of the same as well");
  llvm::SmallBitVector reduced;
  std::optional<ConsumerPlan> plan =
      ConsumerPlan::get(kernel, KernelShape(kernel), *view, reduced, why);
  if (plan && needsOtherSum(kernel, *plan))
    return fail("it needs a sum that the kernel may compute");
  if (!plan && reduced.any() && mayUnroll) {
    std::optional<KernelShape> shape =
        KernelShape::getUnrolled(kernel, reduced, why);
    if (!shape)
      return fail(why);
    llvm::SmallBitVector left;
    plan = ConsumerPlan::get(kernel, *shape, *view, left, why);
    if (!plan || failed(checkUnrolling(kernel, consumer, reduced, *shape, *plan,
                                       options, why)))
      return fail(why);
    if (needsOtherSum(kernel, *plan))
      return fail("it needs a sum that the kernel may compute");
    // From here on nothing fails.
    if (failed(provideNeeded(rewriter, kernel, *plan)))
      return fail("it needs something else that depends on the kernel");
    kernel = unrollDomain(rewriter, kernel, reduced);
    view = ElementwiseView::get(consumer, why, /*allowReductions=*/true);
    plan = ConsumerPlan::get(kernel, KernelShape(kernel), *view, left, why);
    assert(plan && "not the shape that was planned with");
  }
  if (!plan)
    return fail(why);
  if (readsBothFinals(kernel, *plan))
    return fail("it reads final states of both directions");
  // What is needed must be there before the kernel, and so must not depend on
  // it.
  if (failed(provideNeeded(rewriter, kernel, *plan)))
    return fail("it needs something else that depends on the kernel");

  inlineConsumer(rewriter, kernel, *view, *plan);
  return success();
}
