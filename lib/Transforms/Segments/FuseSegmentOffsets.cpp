//===- FuseSegmentOffsets.cpp - Kernels that know where segments start ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan of one dimension that reads a flag per step moves an eighth more for
// f32, and a kernel before it has to write the flags. The offsets say the same,
// and are as many as there are sequences.
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "IR/MatchCounts.h"
#include "IR/OffsetsCheck.h"
#include "IR/OperandMemory.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "Segments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSESEGMENTOFFSETS
#include "Scan/Transforms/Segments/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// True if blocks are to walk the rows of `kernel`: what its schedule says or,
/// without one, what suits its operands.
static bool walksRows(KernelOp kernel, int64_t maxScans) {
  if (maxScans == 0 || kernel.getOrder() == Order::Sequential)
    return false;
  if (ScheduleAttr schedule = kernel.getScheduleAttr())
    return schedule.getStrategy() == Strategy::Row;
  uint64_t dim = kernel.getDim();
  int64_t points = 1;
  for (auto [d, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    if (d == dim)
      continue;
    // Extents that are not known are taken for many.
    if (ShapedType::isDynamic(extent) || extent > maxScans)
      return false;
    points *= extent;
    if (points > maxScans)
      return false;
  }
  auto areContiguous = [&](ValueRange operands, ArrayRef<AffineMap> maps) {
    return llvm::all_of(llvm::zip_equal(operands, maps), [&](auto pair) {
      auto [operand, map] = pair;
      return !map.isFunctionOfDim(dim) || isContiguousAlong(operand, map, dim);
    });
  };
  return areContiguous(kernel.getInputs(), kernel.getInputMaps()) &&
         areContiguous(kernel.getOutputs(), kernel.getOutputMaps());
}

/// Makes the input that `use` is a list of segment offsets.
static LogicalResult fuseInto(RewriterBase &rewriter, HeadFlagsOp op,
                              OpOperand &use, int64_t maxScans) {
  auto kernel = dyn_cast<KernelOp>(use.getOwner());
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(use.getOwner(), reason);
  };
  if (!kernel || !kernel.hasPureTensorSemantics())
    return fail("no kernel on tensors reads the head flags");
  if (op.saysNumbers())
    return fail("numbers of segments are no flags");
  unsigned number = use.getOperandNumber();
  if (number >= kernel.getInputs().size() || kernel.getShift(number) != 0 ||
      kernel.isBoundary(number))
    return fail("no plain input");
  if (kernel.isBidirectional() || kernel.getReverse() != op.getReverse())
    return fail("the kernel scans in the other direction");
  // One mark is for all lists of a kernel.
  Attribute checked = op->getAttr(checkOffsetsAttrName);
  if (kernel.hasSegmentOffsets() &&
      kernel->getAttr(checkOffsetsAttrName) != checked)
    return fail("it has a list of offsets that is checked in another way");
  MLIRContext *context = op.getContext();
  unsigned rank = kernel.getDomainRank();
  if (kernel.getIndexingMap(use) !=
      AffineMap::get(rank, 0, getAffineDimExpr(kernel.getDim(), context)))
    return fail("it does not read one flag per step");
  KernelParts parts(kernel), others(kernel);
  others.eraseInput(number);
  if (!others.coversDomain())
    return fail("nothing else tells how many steps there are");
  if (!walksRows(kernel, maxScans))
    return fail("its blocks do not walk rows, or many rows share the flags");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  parts.inputs[number] = op.getOffsets();
  parts.inputMaps[number] =
      AffineMap::get(rank, 0, getAffineConstantExpr(0, context));
  parts.segmentOffsets[number] = true;
  KernelOp fused = parts.rebuild(rewriter, kernel);
  if (checked)
    fused->setAttr(checkOffsetsAttrName, checked);
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}

/// The input of `kernel` that has the numbers of the segments which start where
/// `op` has flags.
static std::optional<unsigned> findNumbers(HeadFlagsOp op, KernelOp kernel,
                                           AffineMap map) {
  for (auto [i, input, inputMap] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
    auto numbers = input.getDefiningOp<HeadFlagsOp>();
    if (numbers && numbers.saysNumbers() && kernel.getShift(i) == 0 &&
        inputMap == map && numbers.getOffsets() == op.getOffsets() &&
        numbers.getReverse() == op.getReverse())
      return i;
  }
  return std::nullopt;
}

/// Replaces the flags of `op`, all of whose readers are kernels that read
/// numbers at the same steps, by comparisons of these: nothing has to lie in
/// memory twice, and be loaded twice. Where offsets do not cover the steps, the
/// one that ends the last segment is a flag, too, and there is no number.
static void readFlagsFromNumbers(RewriterBase &rewriter, HeadFlagsOp op) {
  auto hasNumbers = [&](OpOperand &use) {
    // The extent can be had without the flags.
    if (isa<tensor::DimOp>(use.getOwner()))
      return true;
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    unsigned number = use.getOperandNumber();
    return kernel && kernel.hasPureTensorSemantics() &&
           number < kernel.getInputs().size() && kernel.getShift(number) == 0 &&
           !kernel.isBoundary(number) &&
           findNumbers(op, kernel, kernel.getIndexingMap(use)).has_value();
  };
  if (op.saysNumbers() || !op->hasAttr(coversStepsAttrName) ||
      !llvm::all_of(op->getUses(), hasNumbers))
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  while (!op->use_empty()) {
    OpOperand &use = *op->getUses().begin();
    if (isa<tensor::DimOp>(use.getOwner())) {
      rewriter.setInsertionPoint(op);
      ReifiedRankedShapedTypeDims shapes;
      (void)op.reifyResultShapes(rewriter, shapes);
      rewriter.replaceOp(use.getOwner(),
                         getValueOrCreateConstantIndexOp(
                             rewriter, op.getLoc(), shapes.front().front()));
      continue;
    }
    auto kernel = cast<KernelOp>(use.getOwner());
    unsigned flags = use.getOperandNumber();
    unsigned numbers = *findNumbers(op, kernel, kernel.getIndexingMap(use));
    if (Attribute checked = op->getAttr(checkOffsetsAttrName))
      kernel.getInputs()[numbers].getDefiningOp()->setAttr(checkOffsetsAttrName,
                                                           checked);
    for (Region *region : {&kernel.getLoad(), &kernel.getStore()}) {
      SmallVector<ArrayRef<BlockArgument>> arguments =
          getInputArguments(kernel, *region);
      BlockArgument flag = arguments[flags].front();
      Value number = arguments[numbers].front();
      Location loc = kernel.getLoc();
      rewriter.setInsertionPointToStart(&region->front());
      Value zero = arith::ConstantOp::create(
          rewriter, loc, rewriter.getZeroAttr(number.getType()));
      Value isHead = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::sge, number, zero);
      rewriter.replaceAllUsesWith(flag, isHead);
      region->front().eraseArgument(flag.getArgNumber());
    }
    KernelParts parts(kernel);
    parts.eraseInput(flags);
    rewriter.setInsertionPoint(kernel);
    KernelOp fewer = parts.rebuild(rewriter, kernel);
    rewriter.replaceOp(kernel, fewer.getResults());
  }
}

unsigned scan::fuseSegmentOffsets(RewriterBase &rewriter, HeadFlagsOp op,
                                  int64_t maxScans) {
  readFlagsFromNumbers(rewriter, op);
  unsigned fused = 0;
  // A kernel may read them twice; its uses are others after the first.
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (OpOperand &use : op->getUses())
      if (succeeded(fuseInto(rewriter, op, use, maxScans))) {
        isChanged = true;
        ++fused;
        break;
      }
  }
  if (!op->use_empty()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    bool isAlone = llvm::any_of(op->getUsers(), [](Operation *user) {
      auto kernel = dyn_cast<KernelOp>(user);
      return kernel && kernel.getDomainRank() == 1;
    });
    Value flags = createHeadFlags(rewriter, op, isAlone);
    if (flags.getType() != op.getType())
      flags =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), flags);
    rewriter.replaceAllUsesWith(op.getResult(), flags);
  }
  rewriter.eraseOp(op);
  return fused;
}

namespace {

struct ScanFuseSegmentOffsetsPass
    : scan::impl::ScanFuseSegmentOffsetsBase<ScanFuseSegmentOffsetsPass> {
  using ScanFuseSegmentOffsetsBase::ScanFuseSegmentOffsetsBase;

  void runOnOperation() override {
    if (maxScans < 0) {
      getOperation()->emitError() << "scan-fuse-segment-offsets: expected "
                                     "max-scans of at least 0, found "
                                  << maxScans.getValue();
      return signalPassFailure();
    }
    SmallVector<HeadFlagsOp> ops, numbers;
    getOperation()->walk([&](HeadFlagsOp op) {
      (op.saysNumbers() ? numbers : ops).push_back(op);
    });
    // Flags may be read from numbers.
    llvm::append_range(ops, numbers);
    IRRewriter rewriter(&getContext());
    unsigned fused = 0;
    for (HeadFlagsOp op : ops) {
      bool isUsed = !op->use_empty();
      unsigned kernels = fuseSegmentOffsets(rewriter, op, maxScans);
      fused += kernels;
      numLowered += isUsed && kernels == 0;
    }
    numFused += fused;
    addMatchCounts(getOperation(), getArgument(),
                   {{"segment-offsets-fused", fused}});
  }
};

} // namespace
