//===- CheckDivisions.cpp - Run-time checks of integer divisions ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A processor stops a program that divides by zero. What it says is not for the
// program's user: a check in front of the division names it, as the reference
// interpreter does.
//
//===----------------------------------------------------------------------===//

#include "IR/Divisions.h"
#include "IR/RuntimeCheck.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANCHECKDIVISIONS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether all elements of `condition` hold.
static Value allOf(OpBuilder &builder, Location loc, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  while (type && type.getRank() > 1) {
    Value all;
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      Value slice = vector::ExtractOp::create(builder, loc, condition, i);
      all = all ? arith::AndIOp::create(builder, loc, all, slice) : slice;
    }
    condition = all;
    type = dyn_cast<VectorType>(condition.getType());
  }
  if (!type)
    return condition;
  if (type.getRank() == 0)
    return vector::ExtractOp::create(builder, loc, condition,
                                     ArrayRef<int64_t>());
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     condition);
}

static Value isNot(OpBuilder &builder, Location loc, Value value,
                   const APInt &number) {
  TypedAttr attribute =
      builder.getIntegerAttr(getElementTypeOrSelf(value.getType()), number);
  if (auto shaped = dyn_cast<ShapedType>(value.getType()))
    attribute = DenseElementsAttr::get(shaped, attribute);
  Value constant = arith::ConstantOp::create(builder, loc, attribute);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               constant);
}

static LogicalResult checkDivision(Operation *op) {
  DivisionFaults faults = getDivisionFaults(op);
  if (!faults || isa<TensorType>(op->getOperand(0).getType()))
    return success();
  if (op->getParentOfType<memref::GenericAtomicRMWOp>())
    return op->emitOpError("in 'memref.generic_atomic_rmw', where nothing can "
                           "be checked: expected a divisor that is a constant "
                           "other than 0 and -1");

  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type element = getElementTypeOrSelf(divisor.getType());
  unsigned width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                     : element.getIntOrFloatBitWidth();
  auto require = [&](Value condition, StringRef what) {
    cf::AssertOp::create(builder, loc, allOf(builder, loc, condition),
                         describeFailure(op, what));
  };
  if (faults.zero)
    require(isNot(builder, loc, divisor, APInt::getZero(width)),
            kDivisionByZero);
  if (faults.overflow) {
    Value other = isNot(builder, loc, divisor, APInt::getAllOnes(width));
    Value larger =
        isNot(builder, loc, dividend, APInt::getSignedMinValue(width));
    require(arith::OrIOp::create(builder, loc, other, larger),
            kDivisionOverflow);
  }
  return success();
}

namespace {

struct ScanCheckDivisions final
    : scan::impl::ScanCheckDivisionsBase<ScanCheckDivisions> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](Operation *op) { return WalkResult(checkDivision(op)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
