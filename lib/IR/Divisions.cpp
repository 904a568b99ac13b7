//===- Divisions.cpp - Which integer divisions may have no result ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Divisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether `value` is a constant that is `isBad` in no element.
static bool isConstantWithout(Value value,
                              function_ref<bool(const APInt &)> isBad) {
  IntegerAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return !isBad(number.getValue());
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  if (elements.isSplat())
    return !isBad(elements.getSplatValue<APInt>());
  return llvm::none_of(elements.getValues<APInt>(), isBad);
}

/// Whether `value` is at least 1 as an unsigned number, or a constant other
/// than 0 in all elements.
static bool isKnownNonZero(Value value) {
  auto isZero = [](const APInt &n) { return n.isZero(); };
  if (auto max = value.getDefiningOp<arith::MaxUIOp>())
    return isConstantWithout(max.getLhs(), isZero) ||
           isConstantWithout(max.getRhs(), isZero);
  return isConstantWithout(value, isZero);
}

DivisionFaults mlir::scan::getDivisionFaults(Operation *op) {
  DivisionFaults faults =
      llvm::TypeSwitch<Operation *, DivisionFaults>(op)
          .Case<arith::DivUIOp, arith::RemUIOp, arith::RemSIOp,
                arith::CeilDivUIOp, index::DivUOp, index::RemUOp,
                index::CeilDivUOp, LLVM::UDivOp, LLVM::URemOp>(
              [](auto) { return DivisionFaults{true, false}; })
          // Remainders of the last two dialects, unlike those of arith, have no
          // value where the quotient has none.
          .Case<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
                index::DivSOp, index::CeilDivSOp, index::FloorDivSOp,
                index::RemSOp, LLVM::SDivOp, LLVM::SRemOp>(
              [](auto) { return DivisionFaults{true, true}; })
          .Default([](Operation *) { return DivisionFaults(); });
  if (!faults)
    return faults;
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (isKnownNonZero(divisor))
    faults.zero = false;
  if (isConstantWithout(divisor,
                        [](const APInt &n) { return n.isAllOnes(); }) ||
      isConstantWithout(dividend,
                        [](const APInt &n) { return n.isMinSignedValue(); }))
    faults.overflow = false;
  return faults;
}

bool mlir::scan::hasUnsafeOperation(Region &region) {
  return region
      .walk([](Operation *op) {
        return op->hasTrait<OpTrait::IsTerminator>() ||
                       (isSpeculatable(op) && !getDivisionFaults(op))
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool mlir::scan::hasUnsafeOperation(Operation *op) {
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return hasUnsafeOperation(region);
  });
}
