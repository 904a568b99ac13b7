//===- FoldEqualOperands.cpp - Constants of dynamic shape -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Transforms/Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFOLDEQUALOPERANDS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// What upstream folds `op` into, an integer; nothing if that is no constant.
static std::optional<int64_t> foldElement(Operation *op) {
  if (op->getNumOperands() != 2 || op->getOperand(0) != op->getOperand(1))
    return std::nullopt;
  if (isa<arith::XOrIOp>(op))
    return 0;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(1, 0),
                                    APInt(1, 0));
  return std::nullopt;
}

namespace {
struct ScanFoldEqualOperands
    : scan::impl::ScanFoldEqualOperandsBase<ScanFoldEqualOperands> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      std::optional<int64_t> element = foldElement(op);
      auto type = element
                      ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                      : RankedTensorType();
      if (!type || type.hasStaticShape())
        return;
      rewriter.setInsertionPoint(op);
      Location loc = op->getLoc();
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          sizes.push_back(
              tensor::DimOp::create(rewriter, loc, op->getOperand(0), d));
      Value scalar = arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getIntegerAttr(type.getElementType(), *element));
      rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, type, scalar, sizes);
    });
  }
};
} // namespace
