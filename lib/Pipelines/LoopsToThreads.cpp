//===- LoopsToThreads.cpp - OpenMP regions of parallel loops --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion of scf to OpenMP takes every scf.parallel, and has no
// `if` clause, without which a kernel of little work would wait for threads.
//
//===----------------------------------------------------------------------===//

#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANLOOPSTOTHREADS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// Whether all of `loop` may run on any thread: nothing in it may stop the
/// program, or allocate or free memory other than on the stack.
static bool mayLeaveThread(scf::ParallelOp loop) {
  WalkResult result = loop.getBody()->walk([](Operation *op) {
    if (isa<memref::AllocaOp>(op))
      return WalkResult::advance();
    if (isa<cf::AssertOp, CallOpInterface>(op) ||
        hasEffect<MemoryEffects::Allocate>(op) ||
        hasEffect<MemoryEffects::Free>(op))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Moves the scratch memory of an iteration, if it has any, in front of them
/// all: to the insertion point.
static void hoistScratch(IRRewriter &rewriter, scf::ParallelOp loop) {
  for (auto scratch :
       llvm::make_early_inc_range(loop.getBody()->getOps<memref::AllocaOp>()))
    if (scratch->hasAttr(scan::kScratchAttrName))
      rewriter.moveOpBefore(scratch, rewriter.getInsertionBlock(),
                            rewriter.getInsertionPoint());
}

/// Lets other threads run where a thread waits for one of them: there may be
/// more than processors. `sched_yield` is of POSIX.
static void yieldInWaits(IRRewriter &rewriter, scf::ParallelOp loop) {
  constexpr StringLiteral name = "sched_yield";
  SmallVector<scf::WhileOp> waits;
  loop->walk([&](scf::WhileOp wait) {
    if (wait->hasAttr(scan::kWaitAttrName))
      waits.push_back(wait);
  });
  if (waits.empty())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  auto module = loop->getParentOfType<ModuleOp>();
  Operation *symbol = SymbolTable::lookupSymbolIn(module, name);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(symbol);
  if (symbol && (!function || !function.isExternal()))
    return; // The program's own.
  if (!function) {
    rewriter.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        rewriter, loop.getLoc(), name,
        LLVM::LLVMFunctionType::get(rewriter.getI32Type(), {}));
  }
  for (scf::WhileOp wait : waits) {
    rewriter.setInsertionPointToStart(wait.getAfterBody());
    LLVM::CallOp::create(rewriter, wait.getLoc(), function, ValueRange());
  }
}

static void makeThreads(IRRewriter &rewriter, scf::ParallelOp loop) {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound().front(),
        end = loop.getUpperBound().front(), step = loop.getStep().front();
  rewriter.setInsertionPoint(loop);
  // It counts from 0 by 1.
  Value several = arith::CmpIOp::create(rewriter, loc,
                                        arith::CmpIPredicate::ugt, end, step);
  omp::ParallelOperands clauses;
  clauses.ifExpr = several;
  auto parallel = omp::ParallelOp::create(rewriter, loc, clauses);
  rewriter.createBlock(&parallel.getRegion());
  hoistScratch(rewriter, loop);
  omp::WsloopOperands shared;
  // The end of the parallel region waits for all threads.
  shared.nowait = rewriter.getUnitAttr();
  auto wsloop = omp::WsloopOp::create(rewriter, loc, shared);
  omp::TerminatorOp::create(rewriter, loc);
  rewriter.createBlock(&wsloop.getRegion());
  omp::LoopNestOperands range;
  range.loopLowerBounds.push_back(begin);
  range.loopUpperBounds.push_back(end);
  range.loopSteps.push_back(step);
  auto nest = omp::LoopNestOp::create(rewriter, loc, range);
  Block *body =
      rewriter.createBlock(&nest.getRegion(), {}, begin.getType(), loc);
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body, body->end(),
                             body->getArgument(0));
  rewriter.setInsertionPointToEnd(body);
  omp::YieldOp::create(rewriter, loc);
  rewriter.eraseOp(loop);
}

namespace {

struct ScanLoopsToThreads final
    : scan::impl::ScanLoopsToThreadsBase<ScanLoopsToThreads> {
  void runOnOperation() override {
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk([&](scf::ParallelOp loop) {
      if (loop->hasAttr(scan::kThreadsAttrName))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ParallelOp loop : loops) {
      if (failed(check(loop)))
        return signalPassFailure();
      if (mayLeaveThread(loop)) {
        yieldInWaits(rewriter, loop);
        makeThreads(rewriter, loop);
        continue;
      }
      rewriter.setInsertionPoint(loop);
      hoistScratch(rewriter, loop);
      if (failed(scf::parallelForToNestedFors(rewriter, loop)))
        return signalPassFailure();
    }
  }

private:
  /// The attribute may have been written by hand.
  LogicalResult check(scf::ParallelOp loop) {
    if (loop.getNumLoops() == 1 && loop.getNumResults() == 0 &&
        getConstantIntValue(loop.getLowerBound().front()) == 0 &&
        getConstantIntValue(loop.getStep().front()) == 1 &&
        !loop->getParentOfType<scf::ParallelOp>() &&
        !loop->getParentOfType<omp::ParallelOp>())
      return success();
    return loop.emitOpError("expected a loop with '")
           << scan::kThreadsAttrName
           << "' to have one dimension, counted from 0 by 1, and no results, "
              "and to be in no other; as --convert-scan-to-loops makes them";
  }
};

} // namespace
