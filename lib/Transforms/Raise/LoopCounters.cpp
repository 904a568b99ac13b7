//===- LoopCounters.cpp - Loops that count by themselves ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPreparation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// What the condition of a loop computes of values from outside goes outside,
/// where the loop's upper bound has to be.
struct HoistFromCondition : OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (Operation &op :
         llvm::make_early_inc_range(loop.getBeforeBody()->without_terminator()))
      if (op.getNumRegions() == 0 && isPure(&op) &&
          llvm::all_of(op.getOperands(), [&](Value operand) {
            return !loop.getBefore().isAncestor(operand.getParentRegion());
          })) {
        rewriter.moveOpBefore(&op, loop);
        changed = true;
      }
    return success(changed);
  }
};

/// A loop over integers of another type is one over index.
struct CountInIndex : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    Type type = loop.getInductionVar().getType();
    if (type.isIndex() || loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "counts in index");
    Location loc = loop.getLoc();
    Type index = rewriter.getIndexType();
    auto toIndex = [&](Value value) -> Value {
      return arith::IndexCastOp::create(rewriter, loc, index, value);
    };
    Value lower = toIndex(loop.getLowerBound()),
          upper = toIndex(loop.getUpperBound()), step = toIndex(loop.getStep());
    rewriter.modifyOpInPlace(loop, [&] {
      loop.getLowerBoundMutable().assign(lower);
      loop.getUpperBoundMutable().assign(upper);
      loop.getStepMutable().assign(step);
      BlockArgument iv = loop.getBody()->getArgument(0);
      iv.setType(index);
      rewriter.setInsertionPointToStart(loop.getBody());
      auto back = arith::IndexCastOp::create(rewriter, loc, type, iv);
      rewriter.replaceAllUsesExcept(iv, back.getResult(), back);
    });
    return success();
  }
};

/// A loop from a to b in steps of c counts by one.
struct CountByOne : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!loop.getInductionVar().getType().isIndex() || !step || *step <= 1 ||
        loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "counts by one");
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), by = loop.getStep();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value range =
        arith::SubIOp::create(rewriter, loc, loop.getUpperBound(), lower);
    Value count = arith::CeilDivSIOp::create(rewriter, loc, range, by);
    rewriter.modifyOpInPlace(loop, [&] {
      loop.getLowerBoundMutable().assign(zero);
      loop.getUpperBoundMutable().assign(count);
      loop.getStepMutable().assign(one);
      Value iv = loop.getInductionVar();
      rewriter.setInsertionPointToStart(loop.getBody());
      auto scaled = arith::MulIOp::create(rewriter, loc, iv, by);
      auto moved = arith::AddIOp::create(rewriter, loc, scaled, lower);
      rewriter.replaceAllUsesExcept(iv, moved.getResult(), scaled);
    });
    return success();
  }
};

/// A carried number to which each step adds the same is computed from the
/// induction variable.
struct ComputeCounter : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    if (!loop.getInductionVar().getType().isIndex() ||
        !isConstantIntValue(loop.getStep(), 1) || loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "counts otherwise");
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      Value init = loop.getTiedLoopInit(argument)->get();
      Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
      Value result = loop.getTiedLoopResult(argument);
      Value added = getAdded(loop, argument, yielded);
      if (!added || (argument.use_empty() && result.use_empty()) ||
          yielded == argument)
        continue;
      Location loc = loop.getLoc();
      auto compute = [&](Value steps) {
        Type type = init.getType();
        Value count = type.isIndex() ? steps
                                     : arith::IndexCastOp::create(rewriter, loc,
                                                                  type, steps)
                                           .getResult();
        Value moved = arith::MulIOp::create(rewriter, loc, count, added);
        return arith::AddIOp::create(rewriter, loc, init, moved).getResult();
      };
      rewriter.setInsertionPointAfter(loop);
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      Value range = arith::SubIOp::create(rewriter, loc, loop.getUpperBound(),
                                          loop.getLowerBound());
      Value steps = arith::MaxSIOp::create(rewriter, loc, range, zero);
      rewriter.replaceAllUsesWith(result, compute(steps));
      rewriter.setInsertionPointToStart(loop.getBody());
      Value done = arith::SubIOp::create(rewriter, loc, loop.getInductionVar(),
                                         loop.getLowerBound());
      Value now = compute(done);
      Value unchanged = argument;
      rewriter.replaceUsesWithIf(argument, now, [&](OpOperand &use) {
        return use.getOwner() != now.getDefiningOp();
      });
      // It is carried unchanged now, and goes.
      rewriter.modifyOpInPlace(loop.getBody()->getTerminator(), [&] {
        loop.getBody()->getTerminator()->setOperand(argument.getArgNumber() - 1,
                                                    unchanged);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(loop, "carries no counter");
  }

private:
  /// What is added in each step to a carried number.
  static Value getAdded(scf::ForOp loop, Value argument, Value yielded) {
    auto sum = yielded.getDefiningOp<arith::AddIOp>();
    if (!sum || !sum.getType().isIntOrIndex())
      return {};
    if (sum.getLhs() == argument && loop.isDefinedOutsideOfLoop(sum.getRhs()))
      return sum.getRhs();
    if (sum.getRhs() == argument && loop.isDefinedOutsideOfLoop(sum.getLhs()))
      return sum.getLhs();
    return {};
  }
};

} // namespace

void scan::populateLoopCounterPatterns(RewritePatternSet &patterns) {
  scf::populateUpliftWhileToForPatterns(patterns);
  scf::ForOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  scf::WhileOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  patterns.add<HoistFromCondition, CountInIndex, CountByOne, ComputeCounter>(
      patterns.getContext());
}
