//===- UnrollWindow.cpp - Short convolutions as sums of shifts ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution over a few steps of a padded tensor is a sum of shifts of the
// tensor. Shifts are read by what else reads it: a kernel (FuseShift.cpp), or
// elementwise code of a GPU. The padded tensor does not exist.
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "KernelFusion.h"
#include "ShiftedRead.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANUNROLLCONVOLUTIONS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// More steps than that a kernel does not read at each step.
constexpr int64_t kMaxWindow = 8;

/// A sum over a few neighbouring steps: one operand is read at `step *
/// t + dilation * k + first` along one dimension, where k is the only loop that
/// is reduced.
struct Window {
  static std::optional<Window> get(linalg::LinalgOp op);

  /// The loops t and k, and how many points the latter has.
  unsigned time = 0, tap = 0;
  int64_t size = 0;
  int64_t dilation = 1, first = 0;
  /// The operand, and the dimension of it.
  OpOperand *operand = nullptr;
  int64_t dim = 0;

private:
  bool match(AffineExpr expr);
};

} // namespace

/// Whether `expr` is `time + dilation * tap + first`.
bool Window::match(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    first += constant.getValue();
    return true;
  }
  auto loop = dyn_cast<AffineDimExpr>(expr);
  if (loop && loop.getPosition() == tap) {
    dilation += 1;
    return true;
  }
  if (loop) {
    bool isFirst = time == ~0u;
    time = loop.getPosition();
    return isFirst;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return match(binary.getLHS()) && match(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto scaled = dyn_cast<AffineDimExpr>(binary.getLHS());
  if (binary.getKind() != AffineExprKind::Mul || !factor || !scaled ||
      scaled.getPosition() != tap)
    return false;
  dilation += factor.getValue();
  return true;
}

std::optional<Window> Window::get(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getNumReductionLoops() != 1 ||
      op.getNumParallelLoops() + 1 != op.getNumLoops() ||
      op->getNumResults() != 1)
    return std::nullopt;
  Window window;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  window.tap = reduced.front();
  window.size = op.getStaticLoopRanges()[window.tap];
  if (window.size < 1 || window.size > kMaxWindow)
    return std::nullopt;
  // The result has all other loops, once each.
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!outMap.isProjectedPermutation() || outMap.isFunctionOfDim(window.tap) ||
      outMap.getNumResults() + 1 != outMap.getNumDims())
    return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr>(expr))
        continue;
      if (window.operand || !isa<RankedTensorType>(operand->get().getType()))
        return std::nullopt;
      window.operand = operand;
      window.dim = i;
      window.dilation = 0;
      window.time = ~0u;
      if (!window.match(expr) || window.time == ~0u || window.dilation < 1 ||
          window.first < 0 || map.getNumSymbols() != 0)
        return std::nullopt;
    }
  }
  if (!window.operand)
    return std::nullopt;
  // No other dimension of the operand is the tap or the time.
  AffineMap map = op.getMatchingIndexingMap(window.operand);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (static_cast<int64_t>(i) != window.dim &&
        (expr.isFunctionOfDim(window.tap) || expr.isFunctionOfDim(window.time)))
      return std::nullopt;
  return window;
}

/// `value`, which `map` indexes, at the point `tap` of the loop `loop`: without
/// the dimension.
static Value takeAt(RewriterBase &rewriter, Location loc, Value value,
                    AffineMap map, unsigned loop, int64_t tap) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !map.isFunctionOfDim(loop))
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, value);
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      ones(type.getRank(), rewriter.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop)) {
      shape.push_back(type.getDimSize(i));
      continue;
    }
    offsets[i] = rewriter.getIndexAttr(tap);
    sizes[i] = rewriter.getIndexAttr(1);
  }
  return tensor::ExtractSliceOp::create(rewriter, loc, type.clone(shape), value,
                                        offsets, sizes, ones);
}

/// Drops the results of `map` that are the loop `loop`, and the loop.
static AffineMap dropLoop(AffineMap map, unsigned loop) {
  SmallVector<AffineExpr> results;
  SmallVector<AffineExpr> loops;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    loops.push_back(getAffineDimExpr(i > loop ? i - 1 : i, map.getContext()));
  for (AffineExpr expr : map.getResults())
    if (!expr.isFunctionOfDim(loop))
      results.push_back(expr.replaceDims(loops));
  return AffineMap::get(map.getNumDims() - 1, 0, results, map.getContext());
}

FailureOr<Value> scan::createUnrolledWindow(RewriterBase &rewriter,
                                            linalg::LinalgOp op,
                                            bool onlyShifts) {
  std::optional<Window> window = Window::get(op);
  if (!window)
    return rewriter.notifyMatchFailure(op, "no convolution over a few steps");
  Value read = window->operand->get();
  Value sum = op.getDpsInits().front();
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned outDim =
      *outMap.getResultPosition(rewriter.getAffineDimExpr(window->time));
  auto getFirst = [&](int64_t tap) {
    return window->first + tap * window->dilation;
  };
  SmallVector<std::optional<ShiftedRead>> reads;
  for (int64_t tap = 0; tap < window->size; ++tap) {
    reads.push_back(ShiftedRead::getSlice(read, window->dim, getFirst(tap),
                                          KnownExtent(sum, outDim)));
    if (!reads.back() && onlyShifts)
      return rewriter.notifyMatchFailure(
          op, "it reads no padded tensor of the extents of the result");
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps;
  for (OpOperand &each : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&each);
    if (&each == window->operand) {
      SmallVector<AffineExpr> results(map.getResults());
      results[window->dim] = rewriter.getAffineDimExpr(window->time);
      map = AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
    }
    maps.push_back(dropLoop(map, window->tap));
  }
  // Where it is no shift, a slice of as many steps as the result has.
  OpFoldResult count = tensor::getMixedSize(rewriter, loc, sum, outDim);
  auto createRead = [&](int64_t tap) -> Value {
    if (reads[tap])
      return reads[tap]->create(
          rewriter, loc, window->dim,
          cast<RankedTensorType>(reads[tap]->source.getType()));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, read);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
        ones(sizes.size(), rewriter.getIndexAttr(1));
    offsets[window->dim] = rewriter.getIndexAttr(getFirst(tap));
    sizes[window->dim] = count;
    return tensor::ExtractSliceOp::create(rewriter, loc, read, offsets, sizes,
                                          ones)
        .getResult();
  };
  // Of what is an input, elementwise code is fused with what reads it.
  maps.push_back(maps.back());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, sum),
      getElementTypeOrSelf(sum.getType()));
  if (empty.getType() != sum.getType())
    empty = tensor::CastOp::create(rewriter, loc, sum.getType(), empty);
  SmallVector<utils::IteratorType> iterators(op.getNumParallelLoops(),
                                             utils::IteratorType::parallel);
  for (int64_t tap = 0; tap < window->size; ++tap) {
    SmallVector<Value> inputs;
    for (OpOperand *each : op.getDpsInputOperands())
      inputs.push_back(each == window->operand
                           ? createRead(tap)
                           : takeAt(rewriter, loc, each->get(),
                                    op.getMatchingIndexingMap(each),
                                    window->tap, tap));
    inputs.push_back(sum);
    auto term =
        linalg::GenericOp::create(rewriter, loc, TypeRange(sum.getType()),
                                  inputs, empty, maps, iterators);
    rewriter.cloneRegionBefore(op->getRegion(0), term.getRegion(),
                               term.getRegion().end());
    term.getRegion().addArgument(getElementTypeOrSelf(sum.getType()), loc);
    sum = term.getResult(0);
  }
  return sum;
}

LogicalResult scan::unrollWindow(RewriterBase &rewriter, KernelOp kernel,
                                 OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  std::optional<int64_t> dim = getScannedDim(kernel, operand);
  auto op = operand.get().getDefiningOp<linalg::LinalgOp>();
  if (!dim || !op)
    return fail("the operand is no input along the scan dimension that a "
                "linalg operation computes");
  std::optional<Window> window = Window::get(op);
  if (!window ||
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResult(*dim) !=
          rewriter.getAffineDimExpr(window->time) ||
      !llvm::all_of(op->getUsers(), llvm::IsaPred<KernelOp, tensor::DimOp>))
    return fail("it is no convolution over a few steps that kernels only read");
  FailureOr<Value> sum =
      createUnrolledWindow(rewriter, op, /*onlyShifts=*/true);
  if (failed(sum))
    return failure();
  rewriter.replaceOp(op, *sum);
  return success();
}

namespace {
struct ScanUnrollConvolutionsPass
    : scan::impl::ScanUnrollConvolutionsBase<ScanUnrollConvolutionsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isa<FunctionOpInterface>(op->getParentOp()))
        ops.push_back(op);
    });
    uint64_t count = 0;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<Value> sum =
          createUnrolledWindow(rewriter, op, /*onlyShifts=*/true);
      if (failed(sum))
        continue;
      rewriter.replaceOp(op, *sum);
      ++count;
    }
    numUnrolled += count;
    addMatchCounts(getOperation(), getArgument(), {{"unrolled", count}});
  }
};
} // namespace
