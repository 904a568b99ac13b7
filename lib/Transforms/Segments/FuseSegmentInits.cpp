//===- FuseSegmentInits.cpp - Kernels that read inits where they count ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One state per segment, gathered to one per step, is written once and read
// once, and counts at the steps only where segments start. A number per step,
// which all scans share, says which state counts there.
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "IR/MatchCounts.h"
#include "IR/OperandMemory.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "Segments.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSESEGMENTINITS
#include "Scan/Transforms/Segments/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether `kernel` moves less by a number per step than by the states of all
/// its inputs that are gathered by `numbers`. Of a single row it may not.
static bool isProfitable(KernelOp kernel, Value numbers) {
  SmallVector<int64_t> shape = kernel.getStaticDomainShape();
  int64_t bytes = 0;
  for (auto [i, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
    // They are read already.
    if (input == numbers)
      return true;
    std::optional<StepGather> gather = matchStepGather(input.getDefiningOp());
    if (!gather || gather->numbers != numbers)
      continue;
    int64_t ofStep = KernelOp::getNumElements(input, map) *
                     getStorageBytes(getElementTypeOrSelf(input.getType()));
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (dim == kernel.getDim() || !map.isFunctionOfDim(dim))
        continue;
      // Extents that are not known are taken for many.
      if (ShapedType::isDynamic(extent) ||
          llvm::MulOverflow(ofStep, extent, ofStep))
        return true;
    }
    bytes += ofStep;
  }
  return bytes > getStorageBytes(getElementTypeOrSelf(numbers.getType()));
}

/// The states with the extents that are known of them when they are gathered to
/// one per step, of type `gathered`.
static Value createStates(OpBuilder &b, Location loc, const StepGather &gather,
                          RankedTensorType gathered) {
  auto type = cast<RankedTensorType>(gather.states.getType());
  SmallVector<int64_t> shape(gathered.getShape());
  shape[gather.dim] = type.getDimSize(gather.dim);
  for (auto [extent, known] : llvm::zip_equal(shape, type.getShape()))
    if (ShapedType::isDynamic(extent))
      extent = known;
  auto precise = cast<RankedTensorType>(type.clone(shape));
  if (precise == type)
    return gather.states;
  return tensor::CastOp::create(b, loc, precise, gather.states);
}

/// Makes the input that `use` is the gathered states.
static LogicalResult fuseInto(RewriterBase &rewriter, const StepGather &gather,
                              OpOperand &use) {
  auto kernel = dyn_cast<KernelOp>(use.getOwner());
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(use.getOwner(), reason);
  };
  if (!kernel || !kernel.hasPureTensorSemantics())
    return fail("no kernel on tensors reads the states");
  unsigned number = use.getOperandNumber();
  KernelParts parts(kernel);
  if (number >= parts.inputs.size() || !parts.isPlain(number) ||
      kernel.isBoundary(number) || kernel.isPlaces(number))
    return fail("no plain input");
  if (kernel.isBidirectional())
    return fail("the kernel scans in both directions");
  if (!isProfitable(kernel, gather.numbers))
    return fail("a number per step moves no less than the states do");
  MLIRContext *context = kernel.getContext();
  AffineExpr scanned = getAffineDimExpr(kernel.getDim(), context);
  AffineMap map = parts.inputMaps[number];
  if (gather.dim >= map.getNumResults() ||
      map.getResult(gather.dim) != scanned || !map.isProjectedPermutation())
    return fail("the states do not vary along the scan dimension, or are "
                "broadcast");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  SmallVector<AffineExpr> point(map.getResults());
  point[gather.dim] = getAffineConstantExpr(0, context);
  parts.inputs[number] =
      createStates(rewriter, kernel.getLoc(), gather,
                   cast<RankedTensorType>(use.get().getType()));
  parts.inputMaps[number] = AffineMap::get(map.getNumDims(), 0, point, context);
  AffineMap placesMap = AffineMap::get(map.getNumDims(), 0, scanned);
  std::optional<unsigned> places = parts.findInput(gather.numbers, placesMap);
  bool isNew = !places;
  if (isNew)
    places = parts.addInput(gather.numbers, placesMap);
  parts.gathers[number] = *places;

  KernelOp fused = parts.rebuild(rewriter, kernel);
  if (isNew)
    for (Region *region : {&fused.getLoad(), &fused.getStore()})
      region->front().addArgument(getElementTypeOrSelf(gather.numbers),
                                  fused.getLoc());
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}

unsigned scan::fuseSegmentInits(RewriterBase &rewriter, Operation *op) {
  std::optional<StepGather> gather = matchStepGather(op);
  if (!gather)
    return 0;
  unsigned fused = 0;
  // A kernel may read them twice; its uses are others after the first.
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (OpOperand &use : op->getUses())
      if (succeeded(fuseInto(rewriter, *gather, use))) {
        isChanged = true;
        ++fused;
        break;
      }
  }
  if (op->use_empty())
    rewriter.eraseOp(op);
  return fused;
}

namespace {

struct ScanFuseSegmentInitsPass
    : scan::impl::ScanFuseSegmentInitsBase<ScanFuseSegmentInitsPass> {
  using ScanFuseSegmentInitsBase::ScanFuseSegmentInitsBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (matchStepGather(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    unsigned fused = 0;
    for (Operation *op : ops)
      fused += fuseSegmentInits(rewriter, op);
    numFused += fused;
    addMatchCounts(getOperation(), getArgument(),
                   {{"segment-inits-fused", fused}});
  }
};

} // namespace
