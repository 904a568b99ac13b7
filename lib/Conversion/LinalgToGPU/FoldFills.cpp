//===- FoldFills.cpp - Fills become what a kernel starts from -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "Target/HostTracer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

bool mlir::scan::isThreadLoop(linalg::LinalgOp op, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, op.getContext());
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    return llvm::is_contained(op.getMatchingIndexingMap(&output).getResults(),
                              dim);
  });
}

bool mlir::scan::overwritesOutput(linalg::LinalgOp op, unsigned output) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
  if (!map.isProjectedPermutation())
    return false;
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return isThreadLoop(op, cast<AffineDimExpr>(expr).getPosition());
  });
}

Value mlir::scan::getBufferRoot(Value memref) {
  while (Operation *source = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(source))
      memref = view.getViewSource();
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(source))
      memref = metadata.getSource();
    else
      break;
  }
  return memref;
}

bool mlir::scan::isOwnBuffer(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function &&
           function.getArgAttr(argument.getArgNumber(), resultAttrName);
  }
  return isa<memref::AllocOp>(root.getDefiningOp());
}

bool mlir::scan::writesByAddress(linalg::LinalgOp op, Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    return isa<memref::ExtractAlignedPointerAsIndexOp, memref::StoreOp>(user) &&
           op->isProperAncestor(user);
  });
}

Value mlir::scan::getFilledWith(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !llvm::hasSingleElement(*op.getBlock()) ||
      !overwritesOutput(op, 0) || op.getNumParallelLoops() != op.getNumLoops())
    return {};
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    value = operand->get();
    if (op.isDpsInit(operand))
      return {};
  }
  return isa<ShapedType>(value.getType()) ? Value() : value;
}

/// The operation that fills all of `target` right in front of `op`, as far as
/// memory is concerned.
static FoldedFill findFill(linalg::LinalgOp op, Value target) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto other = dyn_cast<linalg::LinalgOp>(before);
    if (Value scalar = other ? getFilledWith(other) : Value()) {
      Value filled = other.getDpsInits()[0];
      if (filled == target)
        return {other, scalar};
      // The fills of other outputs are not in the way either.
      if (getBufferRoot(filled) != getBufferRoot(target))
        continue;
    }
    if (!isMemoryEffectFree(before) && !isa<memref::AllocOp>(before))
      return {};
  }
  return {};
}

SmallVector<FoldedFill> mlir::scan::findFoldableFills(linalg::LinalgOp op) {
  SmallVector<FoldedFill> fills(op.getNumDpsInits());
  if (getFilledWith(op))
    return fills;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value root = getBufferRoot(output.get());
    auto isAlias = [&](Value other) {
      return isa<BaseMemRefType>(other.getType()) &&
             getBufferRoot(other) == root;
    };
    bool isRead = llvm::any_of(captured, isAlias);
    for (OpOperand &operand : op->getOpOperands())
      isRead |= &operand != &output && isAlias(operand.get());
    // Without a start to keep, a walk of no steps would write nothing.
    bool hasWalk =
        llvm::any_of(llvm::seq(op.getNumLoops()),
                     [&](unsigned loop) { return !isThreadLoop(op, loop); });
    bool isWritten = overwritesOutput(op, number) &&
                     (!hasWalk || op.payloadUsesValueFromOperand(&output));
    auto start = op->getAttrOfType<DenseI64ArrayAttr>(kStartAttrName);
    bool startsElsewhere = start && start[0] == int64_t(number);
    if (!isRead && isWritten && isOwnBuffer(root) && !startsElsewhere)
      fills[number] = findFill(op, output.get());
  }
  return fills;
}
