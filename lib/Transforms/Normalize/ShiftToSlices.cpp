//===- ShiftToSlices.cpp - Shifts that were not fused ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "Scan/Transforms/Normalize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSHIFTTOSLICES
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Half of the result is the boundary, half are elements that moved: both are
/// written to slices of one new tensor, so that nothing is written twice.
class SliceWriter {
public:
  SliceWriter(RewriterBase &rewriter, ShiftOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), dim(op.getDim()),
        sizes(tensor::getMixedSizes(rewriter, loc, op.getSource())) {}

  Value write();

private:
  /// How many elements of each line are the boundary.
  OpFoldResult countBoundary();
  OpFoldResult subtract(OpFoldResult lhs, OpFoldResult rhs);
  Value extract(Value from, OpFoldResult offset, OpFoldResult count);
  Value insert(Value slice, Value into, OpFoldResult offset,
               OpFoldResult count);
  /// The boundary, repeated, in `slice`.
  Value repeatBoundary(Value slice);

  SmallVector<OpFoldResult> sizesOf(OpFoldResult count) {
    SmallVector<OpFoldResult> result(sizes);
    result[dim] = count;
    return result;
  }
  SmallVector<OpFoldResult> offsetsOf(OpFoldResult offset) {
    SmallVector<OpFoldResult> result(sizes.size(), rewriter.getIndexAttr(0));
    result[dim] = offset;
    return result;
  }
  SmallVector<OpFoldResult> ones() {
    return SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(1));
  }

  RewriterBase &rewriter;
  ShiftOp op;
  Location loc;
  int64_t dim;
  SmallVector<OpFoldResult> sizes;
};

} // namespace

OpFoldResult SliceWriter::countBoundary() {
  int64_t by = op.getDistance();
  // The distance of the most negative number has no sign left: compare as
  // unsigned numbers, here and at run time.
  uint64_t distance = by < 0 ? 0 - static_cast<uint64_t>(by) : by;
  if (std::optional<int64_t> extent = getConstantIntValue(sizes[dim]))
    return rewriter.getIndexAttr(
        std::min<uint64_t>(distance, static_cast<uint64_t>(*extent)));
  Value most = arith::ConstantIndexOp::create(rewriter, loc,
                                              static_cast<int64_t>(distance));
  return rewriter.createOrFold<arith::MinUIOp>(loc, cast<Value>(sizes[dim]),
                                               most);
}

OpFoldResult SliceWriter::subtract(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs),
                         right = getConstantIntValue(rhs);
  if (left && right)
    return rewriter.getIndexAttr(*left - *right);
  return rewriter.createOrFold<arith::SubIOp>(
      loc, getValueOrCreateConstantIndexOp(rewriter, loc, lhs),
      getValueOrCreateConstantIndexOp(rewriter, loc, rhs));
}

Value SliceWriter::extract(Value from, OpFoldResult offset,
                           OpFoldResult count) {
  return tensor::ExtractSliceOp::create(rewriter, loc, from, offsetsOf(offset),
                                        sizesOf(count), ones());
}

Value SliceWriter::insert(Value slice, Value into, OpFoldResult offset,
                          OpFoldResult count) {
  return tensor::InsertSliceOp::create(
      rewriter, loc, slice, into, offsetsOf(offset), sizesOf(count), ones());
}

Value SliceWriter::repeatBoundary(Value slice) {
  Value boundary = op.getBoundary();
  if (!isa<RankedTensorType>(boundary.getType()))
    return linalg::FillOp::create(rewriter, loc, boundary, slice).getResult(0);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(slice.getType()).getShape());
  shape.erase(shape.begin() + dim);
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(slice.getType()).getElementType());
  if (boundary.getType() != type)
    boundary = tensor::CastOp::create(rewriter, loc, type, boundary);
  return linalg::BroadcastOp::create(rewriter, loc, boundary, slice,
                                     ArrayRef<int64_t>(dim))
      .getResult()
      .front();
}

Value SliceWriter::write() {
  RankedTensorType type = op.getSource().getType();
  // There are no slices of dimensions of extent 0.
  if (llvm::is_contained(type.getShape(), 0))
    return op.getSource();
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult outside = countBoundary();
  OpFoldResult moved = subtract(sizes[dim], outside);
  if (isConstantIntValue(outside, 0))
    return op.getSource();
  bool isForward = op.getDistance() > 0;
  Value result = tensor::EmptyOp::create(
      rewriter, loc, sizes, type.getElementType(), type.getEncoding());
  OpFoldResult edge = isForward ? zero : moved;
  Value boundary = repeatBoundary(extract(result, edge, outside));
  result = insert(boundary, result, edge, outside);
  if (isConstantIntValue(moved, 0))
    return result;
  Value elements = extract(op.getSource(), isForward ? zero : outside, moved);
  return insert(elements, result, isForward ? outside : zero, moved);
}

LogicalResult scan::lowerShiftToSlices(RewriterBase &rewriter, ShiftOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, SliceWriter(rewriter, op).write());
  return success();
}

namespace {

struct LowerShift : OpRewritePattern<ShiftOp> {
  LowerShift(MLIRContext *context, unsigned *count)
      : OpRewritePattern(context), count(count) {}
  LogicalResult matchAndRewrite(ShiftOp op,
                                PatternRewriter &rewriter) const override {
    *count += 1;
    return lowerShiftToSlices(rewriter, op);
  }
  unsigned *count;
};

struct ScanShiftToSlicesPass
    : scan::impl::ScanShiftToSlicesBase<ScanShiftToSlicesPass> {
  void runOnOperation() override {
    unsigned count = 0;
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerShift>(&getContext(), &count);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    numShifts += count;
    addMatchCounts(getOperation(), getArgument(), {{"shifts", count}});
  }
};

} // namespace
