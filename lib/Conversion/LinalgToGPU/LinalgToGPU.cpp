//===- LinalgToGPU.cpp - --scan-linalg-to-gpu -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Target/HostTracer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANLINALGTOGPU
#include "Scan/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

static bool isStrided(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.isStrided();
}

/// Whether all operands of `op` are scalars or memrefs that a kernel can be
/// passed.
static bool isOnBuffers(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isStrided(operand) || !isa<ShapedType>(operand.getType());
         });
}

/// Whether the manifest says what `copy` does: its target is a result of the
/// function that nothing else writes, its source a whole buffer that keeps its
/// contents.
static bool isResultCopy(memref::CopyOp copy) {
  auto target = dyn_cast<BlockArgument>(copy.getTarget());
  auto function = dyn_cast<func::FuncOp>(copy->getParentOp());
  if (!target || !function || !target.hasOneUse() ||
      !function.getArgAttr(target.getArgNumber(), resultAttrName))
    return false;
  Value source = copy.getSource();
  while (Operation *view = source.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            view))
      break;
    source = view->getOperand(0);
  }
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type || !type.getLayout().isIdentity() ||
      !(isa<BlockArgument>(source) ||
        isa<memref::AllocOp, memref::GetGlobalOp>(source.getDefiningOp())))
    return false;
  for (Operation *next = copy->getNextNode(); next; next = next->getNextNode())
    if (!isa<memref::CopyOp, func::ReturnOp>(next) && !isMemoryEffectFree(next))
      return false;
  return true;
}

/// Makes a linalg operation of a copy or a store, if it is one that a kernel
/// can do.
static void raiseToLinalg(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    if (!isStrided(copy.getSource()) || !isStrided(copy.getTarget()) ||
        isResultCopy(copy))
      return;
    linalg::makeMemRefCopyOp(rewriter, loc, copy.getSource(), copy.getTarget());
    rewriter.eraseOp(copy);
    return;
  }
  auto store = cast<memref::StoreOp>(op);
  if (!isStrided(store.getMemRef()))
    return;
  // The element as an array without dimensions.
  SmallVector<OpFoldResult> offsets(store.getIndices());
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  for (OpFoldResult &offset : offsets)
    if (std::optional<int64_t> known = getConstantIntValue(offset))
      offset = rewriter.getIndexAttr(*known);
  Value element = store.getMemRef();
  if (!offsets.empty()) {
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        {}, store.getMemRefType(), offsets, ones, ones);
    element = memref::SubViewOp::create(rewriter, loc, type, element, offsets,
                                        ones, ones);
  }
  linalg::FillOp::create(rewriter, loc, store.getValue(), element);
  rewriter.eraseOp(store);
}

namespace {
struct ScanLinalgToGPU final
    : scan::impl::ScanLinalgToGPUBase<ScanLinalgToGPU> {
  /// The operations of `function` on the host, in order, that `predicate` holds
  /// for.
  template <typename... Ops>
  static SmallVector<Operation *> findOnHost(func::FuncOp function) {
    SmallVector<Operation *> found;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<Ops...>(op)) {
        found.push_back(op);
        return WalkResult::skip();
      }
      // Within others, such as parallel loops, a launch may not make sense.
      bool isControl =
          isa<func::FuncOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op);
      return isControl || op->getNumRegions() == 0 ? WalkResult::advance()
                                                   : WalkResult::skip();
    });
    return found;
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      numCopies += foldCopies(rewriter, function);
      // Stores in loops belong to a program written for the host.
      for (Operation *op :
           findOnHost<memref::CopyOp, memref::StoreOp>(function))
        if (isa<memref::CopyOp>(op) || op->getParentOp() == function)
          raiseToLinalg(rewriter, op);
      for (Operation *found : findOnHost<linalg::LinalgOp>(function))
        if (isOnBuffers(cast<linalg::LinalgOp>(found)) &&
            expandKeyedWrites(rewriter, cast<linalg::LinalgOp>(found)))
          ++numScatters;
      SmallVector<linalg::LinalgOp> ops;
      for (Operation *found : findOnHost<linalg::LinalgOp>(function))
        if (isOnBuffers(cast<linalg::LinalgOp>(found)) &&
            !found->hasAttr(workspaceAttrName))
          ops.push_back(cast<linalg::LinalgOp>(found));
      if (failed(lower(rewriter, ops)))
        return signalPassFailure();
    }
  }

  LogicalResult lower(IRRewriter &rewriter, ArrayRef<linalg::LinalgOp> ops) {
    // Before any of them is lowered: then it is plain what stands between.
    DenseMap<Operation *, SmallVector<FoldedFill>> fills;
    SetVector<Operation *> folded;
    for (linalg::LinalgOp op : ops) {
      fills[op] = findFoldableFills(op);
      for (const FoldedFill &fill : fills[op])
        if (fill.op)
          folded.insert(fill.op);
    }
    SmallVector<linalg::LinalgOp> rest;
    for (linalg::LinalgOp op : ops) {
      if (folded.contains(op))
        continue;
      if (lowerToMemset(rewriter, op))
        ++numMemsets;
      else
        rest.push_back(op);
    }
    for (ArrayRef<linalg::LinalgOp> group : findLaunchGroups(rest)) {
      SmallVector<ElementwiseLaunch> launch;
      for (linalg::LinalgOp op : group) {
        SmallVector<Value> initialValues;
        for (const FoldedFill &fill : fills[op])
          initialValues.push_back(fill.scalar);
        launch.push_back({collapseLoops(rewriter, op), initialValues});
      }
      if (failed(lowerToElementwiseKernel(rewriter, launch)))
        return failure();
      numLowered += group.size();
    }
    for (Operation *fill : folded) {
      rewriter.eraseOp(fill);
      ++numFills;
    }
    return success();
  }
};
} // namespace
