//===- FastMath.cpp - --scan-fast-math ------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Transforms/Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFASTMATH
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

void mlir::scan::allowFastMath(Operation *root) {
  constexpr auto fast = arith::FastMathFlags::afn | arith::FastMathFlags::arcp |
                        arith::FastMathFlags::contract;
  root->walk([&](arith::ArithFastMathInterface op) {
    // A comparison has the flags, and no result that could be approximate.
    if (isa<arith::CmpFOp>(op))
      return;
    arith::FastMathFlags given = arith::FastMathFlags::none;
    if (arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr())
      given = flags.getValue();
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op.getContext(), given | fast));
  });
}

namespace {
struct ScanFastMath final : scan::impl::ScanFastMathBase<ScanFastMath> {
  void runOnOperation() override { allowFastMath(getOperation()); }
};
} // namespace
