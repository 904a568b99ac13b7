//===- LoopTracer.cpp - Loops of launches in a host function --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostExpression.h"
#include "IndexTracer.h"

using namespace mlir;
using namespace mlir::scan;

std::string IndexTracer::getStepName(scf::ForOp loop) {
  unsigned number = 0;
  for (auto other : function.front().getOps<scf::ForOp>()) {
    if (other == loop)
      break;
    ++number;
  }
  return mlir::scan::getStepName(number);
}

FailureOr<AffineExpr> IndexTracer::traceStep(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || loop->getParentOp() != function ||
      argument != loop.getInductionVar())
    return report(argument.getLoc(),
                  "a size depends on control flow: expected sizes that follow "
                  "from the function's arguments alone");
  FailureOr<AffineExpr> first = traceIndex(loop.getLowerBound());
  FailureOr<AffineExpr> width = traceIndex(loop.getStep());
  if (failed(first) || failed(width))
    return failure();
  return *first + getSymbol(getStepName(loop)) * *width;
}

FailureOr<Attribute> IndexTracer::traceTripCount(scf::ForOp loop) {
  FailureOr<AffineExpr> first = traceIndex(loop.getLowerBound());
  FailureOr<AffineExpr> end = traceIndex(loop.getUpperBound());
  FailureOr<AffineExpr> width = traceIndex(loop.getStep());
  if (failed(first) || failed(end) || failed(width))
    return failure();
  AffineExpr count = (*end - *first).ceilDiv(*width);
  if (*first != getConstant(0))
    count = getExtremum("max", {count, getConstant(0)});
  return getHostExpression(count, symbols);
}
