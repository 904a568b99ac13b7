//===- KernelGroups.cpp - Kernels that share blocks of columns ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGroups.h"
#include "IR/OperandMemory.h"
#include "LoopPlan.h"
#include "Scratch.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

static bool isWritten(KernelOp kernel, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  auto isIn = [&](OperandRange group) {
    return !group.empty() && number >= group.getBeginOperandIndex() &&
           number < group.getBeginOperandIndex() + group.size();
  };
  return isIn(kernel.getOutputs()) || isIn(kernel.getFinals());
}

/// Whether no two points of the domain that differ in other dimensions than
/// that of time have an element in common.
static bool separatesScans(KernelOp kernel, AffineMap map) {
  for (unsigned d = 0; d < kernel.getDomainRank(); ++d)
    if (d != kernel.getDim() &&
        !llvm::is_contained(map.getResults(),
                            getAffineDimExpr(d, map.getContext())))
      return false;
  return true;
}

/// Whether every block of columns may go through `earlier` and then `later`
/// before the next block does. Sets `handsOn` if `later` reads an array that
/// `earlier` has written, with an element for each point.
static bool mayShareBlocks(KernelOp earlier, KernelOp later,
                           AliasAnalysis &aliases, bool &handsOn) {
  for (OpOperand &a : earlier->getOpOperands())
    for (OpOperand &b : later->getOpOperands()) {
      if (!isa<MemRefType>(a.get().getType()) ||
          !isa<MemRefType>(b.get().getType()) ||
          (!isWritten(earlier, a) && !isWritten(later, b)) ||
          aliases.alias(a.get(), b.get()).isNo())
        continue;
      AffineMap map = earlier.getIndexingMap(a);
      if (a.get() != b.get() || map != later.getIndexingMap(b) ||
          !separatesScans(earlier, map))
        return false;
      handsOn |= isWritten(earlier, a) && !isWritten(later, b) &&
                 map.isFunctionOfDim(earlier.getDim());
    }
  return true;
}

/// Whether `op`, which follows `kernel`, may as well stand in front of it.
static bool mayPrecede(Operation *op, KernelOp kernel, AliasAnalysis &aliases) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return false;
  return llvm::all_of(*effects, [&](MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return true;
    Value touched = effect.getValue();
    if (!touched)
      return false;
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    return llvm::all_of(kernel->getOpOperands(), [&](OpOperand &operand) {
      return !isa<MemRefType>(operand.get().getType()) ||
             (isRead && !isWritten(kernel, operand)) ||
             aliases.alias(touched, operand.get()).isNo();
    });
  });
}

/// Whether groups are made of such kernels: columns, in one direction.
static bool hasColumns(KernelOp kernel) {
  return kernel.hasPureBufferSemantics() && !kernel.isBidirectional() &&
         !kernel.hasSegmentOffsets() && chooseLaneDim(kernel);
}

static bool mayJoin(const KernelGroup &group, KernelOp next,
                    AliasAnalysis &aliases) {
  KernelOp first = group.front();
  if (first->getBlock() != next->getBlock() || !hasColumns(first) ||
      !hasColumns(next) || first.getDomainRank() != next.getDomainRank() ||
      first.getDim() != next.getDim() ||
      chooseLaneDim(first) != chooseLaneDim(next))
    return false;
  // An array with an element for each point of both also shows that they have
  // the same extents.
  bool handsOn = false;
  if (!llvm::all_of(group, [&](KernelOp kernel) {
        return mayShareBlocks(kernel, next, aliases, handsOn);
      }))
    return false;
  if (!handsOn)
    return false;
  for (Operation *op = group.back()->getNextNode(); op != next;
       op = op->getNextNode())
    if (!llvm::all_of(group, [&](KernelOp kernel) {
          return mayPrecede(op, kernel, aliases);
        }))
      return false;
  return true;
}

SmallVector<KernelGroup> mlir::scan::groupKernels(ArrayRef<KernelOp> kernels,
                                                  AliasAnalysis &aliases) {
  SmallVector<KernelGroup> groups;
  for (KernelOp kernel : kernels) {
    if (!groups.empty() && mayJoin(groups.back(), kernel, aliases))
      groups.back().push_back(kernel);
    else
      groups.push_back({kernel});
  }
  return groups;
}

bool mlir::scan::isGroup(ArrayRef<KernelOp> kernels) {
  llvm::SmallPtrSet<Value, 8> written;
  for (KernelOp kernel : kernels) {
    if (llvm::any_of(kernel.getInputs(),
                     [&](Value input) { return written.contains(input); }))
      return true;
    written.insert_range(kernel.getOutputs());
  }
  return false;
}

/// Whether `map`, of an array that some kernel of `group` writes, is its map in
/// all of them, and nobody else accesses it.
static bool isPrivate(Value array, AffineMap map, ArrayRef<KernelOp> group) {
  return array.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(array.getUses(), [&](OpOperand &use) {
           auto kernel = dyn_cast<KernelOp>(use.getOwner());
           return kernel && llvm::is_contained(group, kernel) &&
                  kernel.getIndexingMap(use) == map;
         });
}

SmallVector<Value> mlir::scan::shareHandedArrays(RewriterBase &rewriter,
                                                 ArrayRef<KernelOp> group) {
  KernelOp first = group.front();
  Location loc = first.getLoc();
  std::optional<unsigned> laneDim = chooseLaneDim(first);
  auto isInBlock = [&](AffineExpr index) {
    return index.isFunctionOfDim(first.getDim()) ||
           index.isFunctionOfDim(*laneDim);
  };
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(first);
  SmallVector<Value> shared;
  for (KernelOp kernel : group.drop_back())
    for (auto [array, map] :
         llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps())) {
      if (!map.isFunctionOfDim(first.getDim()) ||
          llvm::all_of(map.getResults(), isInBlock) ||
          !isPrivate(array, map, group))
        continue;
      SmallVector<OpFoldResult> sizes =
          memref::getMixedSizes(rewriter, loc, array);
      SmallVector<OpFoldResult> sharedSizes(sizes);
      for (auto [i, index] : llvm::enumerate(map.getResults()))
        if (!isInBlock(index))
          sharedSizes[i] = rewriter.getIndexAttr(1);
      Value memory = allocateHeap(rewriter, loc, sharedSizes,
                                  getElementTypeOrSelf(array.getType()));
      auto metadata =
          memref::ExtractStridedMetadataOp::create(rewriter, loc, memory);
      SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
      for (auto [i, index] : llvm::enumerate(map.getResults()))
        if (!isInBlock(index))
          strides[i] = rewriter.getIndexAttr(0);
      Value view = memref::ReinterpretCastOp::create(
          rewriter, loc, memory, rewriter.getIndexAttr(0), sizes, strides);
      rewriter.replaceOp(array.getDefiningOp(), view);
      shared.push_back(memory);
    }
  return shared;
}

int64_t mlir::scan::countSharedBytes(KernelOp kernel) {
  int64_t bytes = 0;
  for (auto [array, map] :
       llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps())) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (succeeded(cast<MemRefType>(array.getType())
                      .getStridesAndOffset(strides, offset)) &&
        llvm::is_contained(strides, 0))
      bytes += KernelOp::getNumElements(array, map) *
               getStorageBytes(getElementTypeOrSelf(array.getType()));
  }
  return bytes;
}
