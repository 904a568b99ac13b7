//===- ShareExponentials.cpp - One exponential for two --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSHAREEXPONENTIALS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

/// Exponentials of how much one operand of a maximum is below it, or of a
/// minimum above it.
struct Side {
  Value operand;
  SmallVector<math::ExpOp> exponentials;
};

} // namespace

/// Finds those of `operand` that are in the block of `extremum`.
static Side findSide(Operation *extremum, Value operand, bool isMaximum) {
  Side side{operand, {}};
  Value result = extremum->getResult(0);
  for (Operation *user : result.getUsers()) {
    auto difference = dyn_cast<arith::SubFOp>(user);
    if (!difference || difference.getLhs() != (isMaximum ? operand : result) ||
        difference.getRhs() != (isMaximum ? result : operand))
      continue;
    for (Operation *last : difference->getUsers())
      if (auto exponential = dyn_cast<math::ExpOp>(last))
        if (exponential->getBlock() == extremum->getBlock())
          side.exponentials.push_back(exponential);
  }
  return side;
}

static void shareExponentials(IRRewriter &rewriter, Operation *extremum) {
  bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(extremum);
  Value first = extremum->getOperand(0), second = extremum->getOperand(1);
  Side sides[] = {findSide(extremum, first, isMaximum),
                  findSide(extremum, second, isMaximum)};
  if (first == second || sides[0].exponentials.empty() ||
      sides[1].exponentials.empty())
    return;
  Location loc = extremum->getLoc();
  rewriter.setInsertionPointAfter(extremum);
  Value limit = extremum->getResult(0);
  auto makeConstant = [&](double value) -> Value {
    auto type = limit.getType();
    TypedAttr attr = rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(rewriter, loc, attr);
  };
  Value zero = makeConstant(0.0), one = makeConstant(1.0);
  Value differences[2], areLess[2];
  for (auto [side, difference, isLess] :
       llvm::zip_equal(sides, differences, areLess)) {
    difference =
        isMaximum ? arith::SubFOp::create(rewriter, loc, side.operand, limit)
                  : arith::SubFOp::create(rewriter, loc, limit, side.operand);
    isLess = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT,
                                   difference, zero);
  }
  // At most one of them is less than zero.
  Value needed = arith::SelectOp::create(rewriter, loc, areLess[0],
                                         differences[0], differences[1]);
  Value shared = math::ExpOp::create(
      rewriter, loc, needed, sides[0].exponentials.front().getFastmath());
  for (auto [side, difference, isLess] :
       llvm::zip_equal(sides, differences, areLess)) {
    // 1 of zero, and NaN of NaN.
    Value other = arith::AddFOp::create(rewriter, loc, difference, one);
    Value value = arith::SelectOp::create(rewriter, loc, isLess, shared, other);
    for (math::ExpOp exponential : side.exponentials)
      rewriter.replaceOp(exponential, value);
  }
}

namespace {

struct ScanShareExponentials final
    : scan::impl::ScanShareExponentialsBase<ScanShareExponentials> {
  void runOnOperation() override {
    SmallVector<Operation *> extrema;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
              arith::MinNumFOp>(op))
        extrema.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : extrema)
      shareExponentials(rewriter, op);
  }
};

} // namespace
