//===- OperationCost.cpp - What a GPU executes for an operation -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationCost.h"
#include "Analysis/FloatRange.h"
#include "IR/Exponentials.h"
#include "IR/Sigmoids.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

/// A function of `math` in f32, without its rare paths: as ptxas assembles a
/// scan for sm_90 in whose load map the function is, per element and less what
/// it takes without.
static OperationCost getMathCost(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case<math::AbsFOp, math::CopySignOp, math::CeilOp, math::FloorOp,
            math::FmaOp, math::TruncOp>(
          [](auto) { return OperationCost{1, 0, 1}; })
      .Case<math::AbsIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp>(
          [](auto) { return OperationCost{1, 0, 0}; })
      .Case<math::SqrtOp, math::RsqrtOp>(
          [](auto) { return OperationCost{4, 1, 2}; })
      .Case([](math::ExpOp op) {
        if (isOfInexactProduct(op))
          return OperationCost{3, 1, 2};
        return isOfNarrowSigmoids(op) ? OperationCost{5, 1, 3}
                                      : OperationCost{9, 1, 6};
      })
      .Case([](math::Exp2Op) { return OperationCost{9, 1, 6}; })
      .Case<math::TanhOp>([](auto) { return OperationCost{17, 2, 9}; })
      .Case<math::ExpM1Op>([](auto) { return OperationCost{22, 1, 15}; })
      // A polynomial is enough for what is in [0, 1] (--scan-gpu-to-nvvm).
      .Case([](math::Log1pOp op) {
        return FloatRanges().get(op.getOperand()).isWithin(0, 1)
                   ? OperationCost{9, 0, 9}
                   : OperationCost{26, 0, 16};
      })
      .Case<math::LogOp, math::Log2Op, math::Log10Op>(
          [](auto) { return OperationCost{26, 0, 16}; })
      .Case<math::PowFOp>([](auto) { return OperationCost{46, 1, 30}; })
      .Case<math::SinOp, math::CosOp, math::TanOp>(
          [](auto) { return OperationCost{30, 0, 18}; })
      .Default([](auto) { return OperationCost{20, 0, 12}; });
}

/// The same where functions may be approximate: one special instruction, and a
/// multiplication with a constant.
static OperationCost getFastMathCost(Operation *op) {
  if (isa<math::ExpOp, math::LogOp, math::Log10Op>(op))
    return {3, 1, 1};
  if (isa<math::Log2Op, math::SinOp, math::CosOp, math::RsqrtOp>(op))
    return {2, 1, 0};
  if (isa<math::PowFOp>(op))
    return {5, 2, 1};
  return getMathCost(op);
}

static bool hasFlag(Operation *op, arith::FastMathFlags flag) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && flags.getFastMathFlagsAttr() &&
         bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(), flag);
}

OperationCost OperationCost::get(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return {};
  if (isa_and_present<math::MathDialect>(op->getDialect()))
    return hasFlag(op, arith::FastMathFlags::afn) ? getFastMathCost(op)
                                                  : getMathCost(op);
  if (isSigmoid(op))
    return {2, 1, 1};
  if (isa<arith::DivFOp>(op))
    return hasFlag(op, arith::FastMathFlags::arcp) ? OperationCost{4, 1, 2}
                                                   : OperationCost{10, 1, 6};
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return {10, 0, 0};
  bool isFloat = op->getNumResults() == 1 &&
                 isa<FloatType>(getElementTypeOrSelf(op->getResult(0))) &&
                 isa<arith::ArithDialect>(op->getDialect()) &&
                 !isa<arith::SelectOp>(op);
  return {1, 0, isFloat};
}
