//===- ExpensiveOps.cpp - What is worth computing once --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpensiveOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool scan::isExpensive(Operation *op) {
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return true;
  if (isa<complex::ComplexDialect>(op->getDialect()))
    return !isa<complex::AddOp, complex::SubOp, complex::MulOp, complex::NegOp,
                complex::ConjOp, complex::ConstantOp, complex::CreateOp,
                complex::ReOp, complex::ImOp, complex::EqualOp,
                complex::NotEqualOp, complex::BitcastOp>(op);
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::CeilOp,
              math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp,
              math::FmaOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
              math::IsNormalOp, math::CtPopOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp>(op);
}

bool scan::containsExpensive(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isExpensive(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}
