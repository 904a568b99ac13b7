//===- LoopPreparation.cpp - Loops in one form ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPreparation.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::scan;

/// Inlines functions of one block that are called in `scope`.
static LogicalResult inlineCalls(RewriterBase &rewriter, Operation *scope,
                                 Operation *root, Obstacle &obstacle) {
  // Functions that call functions, but none that calls itself.
  constexpr unsigned kMaxDepth = 16;
  for (unsigned depth = 0;; ++depth) {
    SmallVector<func::CallOp> calls;
    scope->walk([&](func::CallOp call) { calls.push_back(call); });
    if (calls.empty())
      return success();
    for (func::CallOp call : calls) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (depth == kMaxDepth || !callee || callee.isExternal() ||
          !root->isProperAncestor(callee) || !callee.getBody().hasOneBlock() ||
          callee->isAncestor(scope))
        return obstacle.set(call, "'func.call' calls a function that cannot be "
                                  "inlined: expected one of one block, in the "
                                  "operation that the pass runs on, that "
                                  "does not call itself");
      IRMapping mapping;
      mapping.map(callee.getArguments(), call.getOperands());
      rewriter.setInsertionPoint(call);
      Block &body = callee.getBody().front();
      for (Operation &op : body.without_terminator())
        rewriter.clone(op, mapping);
      SmallVector<Value> results = llvm::map_to_vector(
          body.getTerminator()->getOperands(),
          [&](Value value) { return mapping.lookupOrDefault(value); });
      rewriter.replaceOp(call, results);
    }
  }
}

/// Affine loops, accesses and expressions become those of scf, memref, arith.
static LogicalResult lowerAffine(Operation *scope, Obstacle &obstacle) {
  bool isAffine = scope
                      ->walk([](Operation *op) {
                        return isa<affine::AffineDialect>(op->getDialect()) &&
                                       !isa<affine::AffineApplyOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!isAffine)
    return success();
  RewritePatternSet patterns(scope->getContext());
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*scope->getContext());
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(scope, target, std::move(patterns))))
    return obstacle.set(scope, "an affine operation cannot be lowered");
  return success();
}

/// Independent iterations may follow one another.
static void lowerForall(RewriterBase &rewriter, scf::ForallOp forall) {
  Location loc = forall.getLoc();
  rewriter.setInsertionPoint(forall);
  SmallVector<Value> lower = forall.getLowerBound(rewriter),
                     upper = forall.getUpperBound(rewriter),
                     step = forall.getStep(rewriter);
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, lower, upper, step, forall.getOutputs(),
      [&](OpBuilder &, Location, ValueRange ivs,
          ValueRange outputs) -> scf::ValueVector {
        IRMapping mapping;
        mapping.map(forall.getInductionVars(), ivs);
        mapping.map(forall.getRegionIterArgs(), outputs);
        SmallVector<Value> results(outputs);
        for (Operation &op : forall.getBody()->without_terminator())
          rewriter.clone(op, mapping);
        for (Operation &op : forall.getTerminator().getYieldingOps()) {
          auto insert = cast<tensor::ParallelInsertSliceOp>(op);
          for (auto [i, output] : llvm::enumerate(forall.getRegionIterArgs())) {
            if (insert.getDest() != output)
              continue;
            auto lookup = [&](OpFoldResult value) {
              auto dynamic = dyn_cast<Value>(value);
              return dynamic ? OpFoldResult(mapping.lookupOrDefault(dynamic))
                             : value;
            };
            results[i] = tensor::InsertSliceOp::create(
                rewriter, insert.getLoc(),
                mapping.lookupOrDefault(insert.getSource()), results[i],
                llvm::map_to_vector(insert.getMixedOffsets(), lookup),
                llvm::map_to_vector(insert.getMixedSizes(), lookup),
                llvm::map_to_vector(insert.getMixedStrides(), lookup));
          }
        }
        return {results.begin(), results.end()};
      });
  rewriter.replaceOp(forall, nest.results);
}

static LogicalResult lowerParallel(RewriterBase &rewriter,
                                   scf::ParallelOp parallel,
                                   Obstacle &obstacle) {
  if (parallel.getNumResults())
    return obstacle.set(parallel, "'scf.parallel' reduces values");
  rewriter.setInsertionPoint(parallel);
  scf::buildLoopNest(rewriter, parallel.getLoc(), parallel.getLowerBound(),
                     parallel.getUpperBound(), parallel.getStep(),
                     [&](OpBuilder &, Location, ValueRange ivs) {
                       IRMapping mapping;
                       mapping.map(parallel.getInductionVars(), ivs);
                       for (Operation &op :
                            parallel.getBody()->without_terminator())
                         rewriter.clone(op, mapping);
                     });
  rewriter.eraseOp(parallel);
  return success();
}

void scan::simplifyLoops(Operation *scope) {
  RewritePatternSet patterns(scope->getContext());
  populateScalarTensorPatterns(patterns);
  populateLoopCounterPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(scope->getRegion(0), std::move(patterns), config);
}

LogicalResult scan::prepareLoops(RewriterBase &rewriter, Operation *scope,
                                 Operation *root, Obstacle &obstacle) {
  if (failed(inlineCalls(rewriter, scope, root, obstacle)) ||
      failed(lowerAffine(scope, obstacle)))
    return failure();
  SmallVector<scf::ForallOp> foralls;
  scope->walk([&](scf::ForallOp op) { foralls.push_back(op); });
  for (scf::ForallOp forall : foralls)
    lowerForall(rewriter, forall);
  SmallVector<scf::ParallelOp> parallels;
  scope->walk([&](scf::ParallelOp op) { parallels.push_back(op); });
  for (scf::ParallelOp parallel : parallels)
    if (failed(lowerParallel(rewriter, parallel, obstacle)))
      return failure();
  simplifyLoops(scope);
  Operation *other = nullptr;
  scope->walk([&](scf::WhileOp loop) { other = loop; });
  if (other)
    return obstacle.set(other, "'scf.while' does not count: expected a carried "
                               "number, to which each step adds the same, "
                               "compared with one from outside");
  return success();
}
