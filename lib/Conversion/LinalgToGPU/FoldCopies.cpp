//===- FoldCopies.cpp - Rows that are read where they are -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a loop of launches reads rows of a buffer and writes another row of
// it, or adds to a row of an array that stays what it is. Bufferization, which
// does not compare slices, copies these rows first: a launch, which takes as
// long as all else that such a step does.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// The slice of a buffer that `memref` is another shape of.
static memref::SubViewOp getSlice(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto slice = dyn_cast<memref::SubViewOp>(op))
      return slice;
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      break;
    memref = op->getOperand(0);
  }
  return {};
}

static Value getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether all that `memref` is used for, but for `copy` into it, is to be read
/// by operations of linalg in the block of `copy`, which `last` is the last of.
static bool isOnlyRead(Value memref, memref::CopyOp copy, Operation *&last) {
  for (OpOperand &use : memref.getUses()) {
    Operation *user = use.getOwner();
    if (user == copy ? use.get() == copy.getTarget()
                     : isa<memref::DeallocOp>(user))
      continue;
    if (auto slice = dyn_cast<memref::SubViewOp>(user)) {
      if (!isOnlyRead(slice, copy, last))
        return false;
      continue;
    }
    Operation *reader = copy->getBlock()->findAncestorOpInBlock(*user);
    auto op = dyn_cast_or_null<linalg::LinalgOp>(reader);
    bool isRead = op && (user == reader ? op.isDpsInput(&use)
                                        : isa<memref::LoadOp>(user));
    if (!isRead || !copy->isBeforeInBlock(reader))
      return false;
    if (!last || last->isBeforeInBlock(reader))
      last = reader;
  }
  return true;
}

/// A remainder by `divisor` of `value + offset`, or what is left to
/// divisor - 1 of it: places of rows in a ring.
struct RingIndex {
  Value value;
  int64_t offset, divisor;
  bool isReversed;
};

static std::optional<RingIndex> getRingIndex(OpFoldResult index) {
  auto at = dyn_cast<Value>(index);
  RingIndex ring{Value(), 0, 0, false};
  if (auto rest = at ? at.getDefiningOp<arith::SubIOp>() : arith::SubIOp()) {
    ring.isReversed = true;
    at = rest.getRhs();
    std::optional<int64_t> last = getConstantIntValue(rest.getLhs());
    if (!last)
      return std::nullopt;
    ring.divisor = *last + 1;
  }
  auto remainder = at ? at.getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  std::optional<int64_t> divisor =
      remainder ? getConstantIntValue(remainder.getRhs()) : std::nullopt;
  if (!divisor || (ring.isReversed && ring.divisor != *divisor))
    return std::nullopt;
  ring.divisor = *divisor;
  ring.value = remainder.getLhs();
  if (auto sum = ring.value.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = getConstantIntValue(sum.getRhs())) {
      ring.value = sum.getLhs();
      ring.offset = *offset;
    }
  return ring;
}

/// Whether the slices are of different rows of a ring.
static bool areDifferentRows(memref::SubViewOp a, memref::SubViewOp b) {
  for (auto [first, second, firstSize, secondSize] :
       llvm::zip(a.getMixedOffsets(), b.getMixedOffsets(), a.getMixedSizes(),
                 b.getMixedSizes())) {
    std::optional<RingIndex> one = getRingIndex(first),
                             other = getRingIndex(second);
    if (one && other && isConstantIntValue(firstSize, 1) &&
        isConstantIntValue(secondSize, 1) && one->value == other->value &&
        one->divisor == other->divisor &&
        one->isReversed == other->isReversed &&
        (one->offset - other->offset) % one->divisor != 0)
      return true;
  }
  return false;
}

/// Whether `op` may change what is in `slice`.
static bool mayWrite(Operation *op, memref::SubViewOp slice) {
  SmallVector<Value> written;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    written.push_back(copy.getTarget());
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    llvm::append_range(written, linalgOp.getDpsInits());
    if (linalgOp->walk([](memref::StoreOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return true;
  } else {
    return !isMemoryEffectFree(op) &&
           !isa<memref::AllocOp, memref::DeallocOp>(op);
  }
  return llvm::any_of(written, [&](Value memref) {
    if (getRoot(memref) != getRoot(slice))
      return false;
    memref::SubViewOp other = getSlice(memref);
    if (!other || other.getSource() != slice.getSource())
      return true;
    if (areDifferentRows(slice, other))
      return false;
    FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
        op->getContext(), HyperrectangularSlice(slice),
        HyperrectangularSlice(other));
    return failed(overlap) || *overlap;
  });
}

/// Has the readers of `memref` read `source`, which has the same elements.
static void replaceReads(RewriterBase &rewriter, Value memref, Value source) {
  for (OpOperand &use : llvm::make_early_inc_range(memref.getUses())) {
    Operation *user = use.getOwner();
    auto slice = dyn_cast<memref::SubViewOp>(user);
    if (!slice) {
      if (isa<memref::DeallocOp>(user))
        rewriter.eraseOp(user);
      else
        use.set(source);
      continue;
    }
    rewriter.setInsertionPoint(slice);
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        slice.getType().getShape(), cast<MemRefType>(source.getType()),
        slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
    Value other = memref::SubViewOp::create(
        rewriter, slice.getLoc(), type, source, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    replaceReads(rewriter, slice, other);
    rewriter.eraseOp(slice);
  }
}

static bool foldCopy(RewriterBase &rewriter, memref::CopyOp copy) {
  auto alloc = copy.getTarget().getDefiningOp<memref::AllocOp>();
  memref::SubViewOp slice = getSlice(copy.getSource());
  Operation *last = nullptr;
  if (!alloc || !slice || alloc->getBlock() != copy->getBlock() ||
      !isOnlyRead(alloc, copy, last) || !last)
    return false;
  for (Operation *next = copy->getNextNode();; next = next->getNextNode()) {
    if (mayWrite(next, slice))
      return false;
    if (next == last)
      break;
  }
  Value source = copy.getSource();
  rewriter.eraseOp(copy);
  replaceReads(rewriter, alloc, source);
  rewriter.eraseOp(alloc);
  return true;
}

/// Whether `op` reads or writes what is in the buffer `root`.
static bool touches(linalg::LinalgOp op, Value root) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  used.insert(op->operand_begin(), op->operand_end());
  return llvm::any_of(used, [&](Value value) {
    return isa<MemRefType>(value.getType()) && getRoot(value) == root;
  });
}

/// The operation behind `copy` that adds to what was copied, if that is all
/// that it is copied for, and the number of the output.
static std::pair<linalg::GenericOp, unsigned> findSum(memref::CopyOp copy) {
  Value target = copy.getTarget(), root = getRoot(target);
  for (Operation *next = copy->getNextNode(); next;
       next = next->getNextNode()) {
    if (isMemoryEffectFree(next) || isa<memref::AllocOp>(next))
      continue;
    auto op = dyn_cast<linalg::GenericOp>(next);
    if (!op || llvm::any_of(op.getOutputs(), [&](Value output) {
          return getRoot(output) == getRoot(copy.getSource());
        }))
      return {};
    if (!touches(op, root))
      continue;
    for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable())) {
      // With a walk: else its own elements may be needed in another place.
      if (output.get() != target || !overwritesOutput(op, number) ||
          op.getNumReductionLoops() == 0 ||
          !op.payloadUsesValueFromOperand(&output))
        continue;
      // It is used for nothing else here.
      unsigned uses = 0;
      for (Value operand : op->getOperands())
        uses += isa<MemRefType>(operand.getType()) && getRoot(operand) == root;
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      bool isCaptured = llvm::any_of(captured, [&](Value value) {
        return isa<MemRefType>(value.getType()) && getRoot(value) == root;
      });
      if (uses == 1 && !isCaptured && isOwnBuffer(root))
        return {op, number};
    }
    return {};
  }
  return {};
}

/// Has a sum start from what `copy` copies into its output.
static bool foldStart(RewriterBase &rewriter, memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto [op, number] = findSum(copy);
  if (!op || !source || !source.isStrided() || op->hasAttr(kStartAttrName))
    return false;
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned added = inputs.size();
  inputs.push_back(copy.getSource());
  maps.insert(maps.begin() + added,
              op.getMatchingIndexingMap(op.getDpsInitOperand(number)));
  rewriter.setInsertionPoint(op);
  auto sum =
      linalg::GenericOp::create(rewriter, op.getLoc(), inputs, op.getOutputs(),
                                maps, op.getIteratorTypesArray());
  sum.getRegion().takeBody(op.getRegion());
  sum.getBody()->insertArgument(added, source.getElementType(), op.getLoc());
  sum->setAttr(kStartAttrName,
               rewriter.getDenseI64ArrayAttr({int64_t(number), added}));
  rewriter.eraseOp(op);
  rewriter.eraseOp(copy);
  return true;
}

unsigned mlir::scan::foldCopies(RewriterBase &rewriter, func::FuncOp function) {
  unsigned folded = 0;
  for (auto loop : function.getOps<scf::ForOp>()) {
    SmallVector<memref::CopyOp> copies(loop.getOps<memref::CopyOp>());
    for (memref::CopyOp copy : copies)
      folded += foldCopy(rewriter, copy) || foldStart(rewriter, copy);
  }
  return folded;
}
