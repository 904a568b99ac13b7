//===- DivisionInstrumentation.cpp - Divisions that have no result --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU goes on with any number; the processor that runs the emulator stops the
// program. Here it is an error of the thread, as an access out of bounds is.
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "IR/Divisions.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::emulator;

/// Which elements of `value` are `number`.
static Value equals(OpBuilder &builder, Location loc, Value value,
                    const APInt &number) {
  Type type = value.getType();
  TypedAttr attribute =
      builder.getIntegerAttr(getElementTypeOrSelf(type), number);
  auto vector = dyn_cast<VectorType>(type);
  if (vector)
    attribute = DenseElementsAttr::get(vector, attribute);
  Value constant = LLVM::ConstantOp::create(builder, loc, type, attribute);
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value,
                              constant);
}

static Value any(OpBuilder &builder, Location loc, Value condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return LLVM::vector_reduce_or::create(builder, loc, builder.getI1Type(),
                                        condition);
}

static void checkDivision(Operation *op, DivisionFaults faults,
                          SiteTable &sites) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  const unsigned width =
      getElementTypeOrSelf(divisor.getType()).getIntOrFloatBitWidth();
  Value isZero, overflows;
  if (faults.zero)
    isZero =
        any(builder, loc, equals(builder, loc, divisor, APInt::getZero(width)));
  if (faults.overflow) {
    Value minusOne = equals(builder, loc, divisor, APInt::getAllOnes(width));
    Value smallest =
        equals(builder, loc, dividend, APInt::getSignedMinValue(width));
    overflows = any(builder, loc,
                    LLVM::AndOp::create(builder, loc, minusOne, smallest));
  }
  Value fails = overflows;
  if (!overflows)
    fails = isZero;
  else if (isZero)
    fails = LLVM::OrOp::create(builder, loc, isZero, overflows);

  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *failure =
      builder.createBlock(after->getParent(), std::next(after->getIterator()));
  Value flag =
      isZero ? isZero
             : LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 0)
                   .getResult();
  flag = LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), flag);
  callRuntime(
      builder, loc, RuntimeCall::DivisionFails,
      {getSiteAddress(builder, loc, sites.create(getOriginalName(op), loc)),
       flag});
  LLVM::UnreachableOp::create(builder, loc);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, fails, failure, after);
}

void mlir::scan::emulator::checkDivisions(LLVM::LLVMFuncOp function,
                                          SiteTable &sites) {
  SmallVector<std::pair<Operation *, DivisionFaults>> divisions;
  function.walk([&](Operation *op) {
    if (DivisionFaults faults = getDivisionFaults(op))
      divisions.emplace_back(op, faults);
  });
  for (auto [op, faults] : divisions)
    checkDivision(op, faults, sites);
}
