//===- RecurrenceSteps.cpp - The steps of a recurrence --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceSteps.h"
#include "Extents.h"
#include "RecurrenceTypes.h"
#include "RuntimeCheck.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

OpFoldResult scan::createRecurrenceSteps(OpBuilder &builder, RecurrenceOp op) {
  if (op.getSteps())
    return getAsOpFoldResult(op.getSteps());
  int64_t known =
      impl::getStaticSteps(op.getInputs(), /*hasSteps=*/false, op.getDim());
  if (!ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  return createExtent(builder, op.getLoc(), op.getInputs().front(),
                      op.getDim());
}

void scan::createRecurrenceCheck(OpBuilder &builder, RecurrenceOp op,
                                 Value condition, const Twine &what) {
  if (!isConstantIntValue(condition, 1))
    cf::AssertOp::create(builder, op.getLoc(), condition,
                         describeFailure(op, what));
}

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, OpFoldResult lhs,
                     OpFoldResult rhs) {
  return builder.createOrFold<arith::CmpIOp>(
      loc, predicate, getValueOrCreateConstantIndexOp(builder, loc, lhs),
      getValueOrCreateConstantIndexOp(builder, loc, rhs));
}

void scan::createExtentCheck(OpBuilder &builder, RecurrenceOp op,
                             OpFoldResult lhs, OpFoldResult rhs,
                             const Twine &what) {
  createRecurrenceCheck(
      builder, op,
      compare(builder, op.getLoc(), arith::CmpIPredicate::eq, lhs, rhs), what);
}

void scan::createStepsChecks(OpBuilder &builder, RecurrenceOp op,
                             OpFoldResult steps) {
  Location loc = op.getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  auto isAtLeast = [&](OpFoldResult lhs, OpFoldResult rhs) {
    return compare(builder, loc, arith::CmpIPredicate::sge, lhs, rhs);
  };
  if (op.getSteps())
    createRecurrenceCheck(builder, op, isAtLeast(steps, zero),
                          "expected a number of steps of 0 or more");
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (isExtentOf(steps, input, op.getDim()))
      continue;
    OpFoldResult rows = createExtent(builder, loc, input, op.getDim());
    std::string what =
        ("input #" + Twine(i) + " has other rows than there are steps").str();
    if (op.getSteps())
      createRecurrenceCheck(builder, op, isAtLeast(rows, steps), what);
    else
      createExtentCheck(builder, op, rows, steps, what);
  }
  for (Value extent : op.getExtents())
    createRecurrenceCheck(builder, op, isAtLeast(extent, zero),
                          "expected extents of 0 or more");
}
