//===- CheckBounds.cpp - Run-time checks of indices and extents -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that is outside of its tensor reads or writes memory of something
// else. A check in front of the operation names it, as the reference
// interpreter does.
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "IR/RuntimeCheck.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANCHECKBOUNDS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

using Predicate = arith::CmpIPredicate;

/// Puts checks in front of one operation.
class BoundsChecker {
public:
  BoundsChecker(Operation *op) : op(op), builder(op), loc(op->getLoc()) {
    // Where slices are put together in parallel there is only that.
    if (isa<InParallelOpInterface>(op->getParentOp()))
      builder.setInsertionPoint(op->getParentOp());
  }

  void check();

private:
  void checkIndices(Value tensor, ValueRange indices);
  void checkSlice(OffsetSizeAndStrideOpInterface slice, Value tensor);
  void checkSource(OffsetSizeAndStrideOpInterface slice, RankedTensorType type,
                   Value source, const llvm::SmallBitVector &dropped);
  void checkCast(tensor::CastOp cast);
  void checkExpansion(tensor::ExpandShapeOp expand);

  void require(Value condition, const Twine &what) {
    APInt constant;
    if (matchPattern(condition, m_ConstantInt(&constant)) && !constant.isZero())
      return;
    cf::AssertOp::create(builder, loc, condition, describeFailure(op, what));
  }

  Value get(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }
  Value constant(int64_t number) { return get(builder.getIndexAttr(number)); }
  Value compare(Predicate predicate, Value lhs, Value rhs) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  OpFoldResult getExtent(Value tensor, int64_t dim) {
    return createExtent(builder, loc, tensor, dim);
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

} // namespace

/// Whether `index` counts the steps of a loop over dimension `dim` of `tensor`.
static bool isLoopIndex(Value index, Value tensor, int64_t dim) {
  if (auto linalgIndex = index.getDefiningOp<linalg::IndexOp>()) {
    auto loop = linalgIndex->getParentOfType<linalg::LinalgOp>();
    for (OpOperand &operand : loop->getOpOperands())
      for (auto [i, expr] :
           llvm::enumerate(loop.getMatchingIndexingMap(&operand).getResults()))
        if (auto place = dyn_cast<AffineDimExpr>(expr);
            place && place.getPosition() == linalgIndex.getDim() &&
            haveSameExtent(operand.get(), i, tensor, dim))
          return true;
    return false;
  }
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || index != loop.getInductionVar())
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  return lower && *lower >= 0 && step && *step > 0 &&
         isExtentOf(loop.getUpperBound(), tensor, dim);
}

void BoundsChecker::checkIndices(Value tensor, ValueRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices))
    if (!isLoopIndex(index, tensor, dim))
      // As unsigned numbers, negative indices are too large.
      require(compare(Predicate::ult, index, get(getExtent(tensor, dim))),
              "index is out of bounds in dimension " + Twine(dim));
}

void BoundsChecker::checkSlice(OffsetSizeAndStrideOpInterface slice,
                               Value tensor) {
  for (auto [dim, mixedOffset, mixedSize, mixedStride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    OpFoldResult mixedExtent = getExtent(tensor, dim);
    // All of it.
    if (isConstantIntValue(mixedOffset, 0) &&
        isConstantIntValue(mixedStride, 1) &&
        isExtentOf(mixedSize, tensor, dim))
      continue;
    Value offset = get(mixedOffset), size = get(mixedSize),
          extent = get(mixedExtent);
    Value zero = constant(0), one = constant(1);
    require(compare(Predicate::sge, size, zero),
            "expected a size of 0 or more in dimension " + Twine(dim));
    std::string outside =
        ("slice is out of bounds in dimension " + Twine(dim)).str();
    // An empty slice may be anywhere: upstream's tiling over threads makes such
    // for those that have nothing to do.
    Value isEmpty = compare(Predicate::eq, size, zero);
    if (isConstantIntValue(mixedStride, 1)) {
      Value inBounds = builder.createOrFold<arith::AndIOp>(
          loc, compare(Predicate::ule, offset, extent),
          compare(Predicate::ule, size, subtract(extent, offset)));
      require(builder.createOrFold<arith::OrIOp>(loc, isEmpty, inBounds),
              outside);
      continue;
    }
    // How far it is to the end in the direction of the stride, in steps; none
    // of this overflows.
    Value stride = get(mixedStride);
    Value isBack = compare(Predicate::slt, stride, zero);
    Value distance = builder.createOrFold<arith::SelectOp>(
        loc, isBack, offset, subtract(subtract(extent, offset), one));
    Value length = builder.createOrFold<arith::SelectOp>(
        loc, isBack, subtract(zero, stride), stride);
    Value steps = builder.createOrFold<arith::DivUIOp>(
        loc, distance, builder.createOrFold<arith::MaxUIOp>(loc, length, one));
    Value isNear = builder.createOrFold<arith::OrIOp>(
        loc, compare(Predicate::eq, stride, zero),
        compare(Predicate::ule, subtract(size, one), steps));
    Value inBounds = builder.createOrFold<arith::AndIOp>(
        loc, compare(Predicate::ult, offset, extent), isNear);
    require(builder.createOrFold<arith::OrIOp>(loc, isEmpty, inBounds),
            outside);
  }
}

void BoundsChecker::checkSource(OffsetSizeAndStrideOpInterface slice,
                                RankedTensorType type, Value source,
                                const llvm::SmallBitVector &dropped) {
  int64_t sourceDim = 0;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
    if (dropped.test(dim))
      continue;
    int64_t from = sourceDim++;
    if (!isExtentOf(size, source, from))
      require(compare(Predicate::eq, get(getExtent(source, from)), get(size)),
              "source has other extents than the slice in dimension " +
                  Twine(dim));
  }
}

void BoundsChecker::checkCast(tensor::CastOp cast) {
  auto from = dyn_cast<RankedTensorType>(cast.getSource().getType()),
       to = dyn_cast<RankedTensorType>(cast.getType());
  if (!from || !to)
    return;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
      require(compare(Predicate::eq, get(getExtent(cast.getSource(), dim)),
                      constant(to.getDimSize(dim))),
              "result #0 has extents that contradict its type: expected " +
                  Twine(to.getDimSize(dim)) + " in dimension " + Twine(dim));
}

void BoundsChecker::checkExpansion(tensor::ExpandShapeOp expand) {
  SmallVector<OpFoldResult> extents = expand.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    if (group.size() == 1 &&
        isExtentOf(extents[group[0]], expand.getSrc(), dim))
      continue;
    std::string what =
        ("dimension " + Twine(dim) + " cannot be expanded").str();
    Value product = constant(1);
    for (int64_t result : group) {
      Value extent = get(extents[result]);
      require(compare(Predicate::sge, extent, constant(0)), what);
      product = builder.createOrFold<arith::MulIOp>(loc, product, extent);
    }
    require(
        compare(Predicate::eq, get(getExtent(expand.getSrc(), dim)), product),
        what);
  }
}

void BoundsChecker::check() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractOp op) {
        checkIndices(op.getTensor(), op.getIndices());
      })
      .Case([&](tensor::InsertOp op) {
        checkIndices(op.getDest(), op.getIndices());
      })
      .Case([&](tensor::DimOp op) {
        auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
        if (type && !op.getConstantIndex())
          require(
              compare(Predicate::ult, op.getIndex(), constant(type.getRank())),
              "dimension is out of bounds: the tensor has rank " +
                  Twine(type.getRank()));
      })
      .Case([&](tensor::ExtractSliceOp op) { checkSlice(op, op.getSource()); })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>([&](auto op) {
        checkSlice(op, op.getDest());
        checkSource(op, cast<RankedTensorType>(op.getDest().getType()),
                    op.getSource(), op.getDroppedDims());
      })
      .Case([&](tensor::CastOp op) { checkCast(op); })
      .Case([&](tensor::ExpandShapeOp op) { checkExpansion(op); });
}

/// Whether a check of `op` is in front of it already.
static bool isChecked(Operation *op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (auto check = dyn_cast<cf::AssertOp>(before))
      return check.getMsg().starts_with(describeFailure(op, ""));
    if (!isa<arith::ArithDialect>(before->getDialect()) &&
        !isa<tensor::DimOp>(before))
      return false;
  }
  return false;
}

namespace {

/// What an operation is part of.
enum class Place { Statement, Loop, Elsewhere };

struct ScanCheckBounds final
    : scan::impl::ScanCheckBoundsBase<ScanCheckBounds> {
  using ScanCheckBoundsBase::ScanCheckBoundsBase;

  void runOnOperation() override {
    Place wanted = inLoops ? Place::Loop : Place::Statement;
    SmallVector<Operation *> operations;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) &&
          getPlace(op) == wanted)
        operations.push_back(op);
    });
    for (Operation *op : operations)
      if (!isChecked(op))
        BoundsChecker(op).check();
  }

private:
  static Place getPlace(Operation *op) {
    Place place = Place::Statement;
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      if (isa<FunctionOpInterface>(parent))
        return place;
      if (isa<LoopLikeOpInterface, linalg::LinalgOp, tensor::GenerateOp>(
              parent))
        place = Place::Loop;
      else if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                    InParallelOpInterface>(parent))
        // Combine regions are unrolled, and what is not in a function is not
        // run.
        return Place::Elsewhere;
    }
    return Place::Elsewhere;
  }
};

} // namespace
