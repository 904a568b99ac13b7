//===- MoveShift.cpp - Shifts in front of elementwise code ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shift of what elementwise code computes is that code on shifted operands,
// and the boundary where there are no elements: which of both, a step knows by
// its index. So a short convolution of something computed reads what that is
// computed from.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

/// True if the code may be run on elements that the program does not run it on:
/// integers that it divides by may be zero there.
static bool mayRunAnywhere(Operation *op) {
  return !op->walk([](Operation *inner) {
              return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                         arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                         arith::FloorDivSIOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

/// True at steps for which a shift by `by` of `extent` elements reads none.
static Value createIsOutside(OpBuilder &builder, Location loc, int64_t dim,
                             int64_t by, Value extent) {
  Value step =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                 linalg::IndexOp::create(builder, loc, dim));
  Value distance =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(by));
  Value from = arith::SubIOp::create(builder, loc, step, distance);
  // A negative number is a large one without a sign.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, from,
                               extent);
}

LogicalResult scan::moveShift(RewriterBase &rewriter, KernelOp kernel,
                              OpOperand &operand,
                              const FusionOptions &options) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  auto shift = operand.get().getDefiningOp<ShiftOp>();
  if (!shift || !kernel.hasPureTensorSemantics() || shift.getDistance() == 0)
    return fail("no scan.shift makes the operand, or it is a buffer");
  auto produced = dyn_cast<OpResult>(shift.getSource());
  if (!produced)
    return fail("the shift is one of an argument");
  Operation *op = produced.getOwner();
  std::string why;
  std::optional<ElementwiseView> view = ElementwiseView::get(op, why);
  if (!view)
    return fail(why);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if ((!linalgOp && !OpTrait::hasElementwiseMappableTraits(op)) ||
      (linalgOp && linalgOp.hasIndexSemantics()) || !mayRunAnywhere(op))
    return fail("what is shifted depends on where an element lies, or may not "
                "be computed elsewhere");
  if (isConsumerOfOther(op, kernel))
    return fail("the kernel that it reads can compute it");
  int64_t numReads = 0;
  for (Operation *user : op->getUsers()) {
    // What moves elements becomes shifts, too, one after the other.
    if (!isa<ShiftOp, KernelOp, tensor::DimOp, tensor::PadOp, tensor::ConcatOp,
             tensor::ExtractSliceOp>(user) &&
        !isOpTriviallyDead(user))
      return fail("what is shifted is needed as a whole, too");
    numReads += isa<ShiftOp>(user);
  }
  if (view->isExpensive() && numReads > options.maxRecompute)
    return fail("expensive code would be computed too often");

  int64_t dim = shift.getDim(), by = shift.getDistance();
  unsigned rank = view->getNumLoops();
  unsigned time =
      cast<AffineDimExpr>(
          view->getResultMap(produced.getResultNumber()).getResult(dim))
          .getPosition();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<std::optional<int64_t>> dims;
  for (OpOperand &each : op->getOpOperands()) {
    dims.emplace_back();
    if (!isa<RankedTensorType>(each.get().getType()) ||
        (linalgOp && !linalgOp.payloadUsesValueFromOperand(&each)))
      continue;
    AffineMap map =
        linalgOp ? linalgOp.getMatchingIndexingMap(&each) : identity;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(time))
        continue;
      if (!isa<AffineDimExpr>(expr) || dims.back() ||
          !ScanDialect::isSupportedElementType(
              getElementTypeOrSelf(each.get().getType())))
        return fail("an operand is not read along the steps");
      dims.back() = i;
    }
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(shift);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  DenseMap<std::pair<Value, int64_t>, Value> known;
  for (auto [each, moved] : llvm::zip_equal(op->getOperands(), dims)) {
    if (!moved) {
      operands.push_back(each);
      continue;
    }
    Type type = getElementTypeOrSelf(each.getType());
    Value zero = materializeScalar(rewriter, loc, type, getZeroElement(type));
    operands.push_back(
        ShiftOp::create(rewriter, loc, each.getType(), each, zero, *moved, by));
  }
  Operation *copy = rewriter.clone(*op);
  rewriter.modifyOpInPlace(copy, [&] { copy->setOperands(operands); });
  Value value = copy->getResult(produced.getResultNumber());

  // The boundary where there are no elements.
  Value extent = tensor::DimOp::create(rewriter, loc, shift.getSource(), dim);
  extent =
      arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), extent);
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs = {value};
  SmallVector<AffineMap> maps = {all};
  Value boundary = shift.getBoundary();
  if (isa<RankedTensorType>(boundary.getType())) {
    inputs.push_back(boundary);
    maps.push_back(all.dropResult(dim));
  }
  maps.push_back(all);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto chosen = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), inputs, value, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        Value outside = createIsOutside(builder, loc, dim, by, extent);
        Value edge = inputs.size() > 1 ? elements[1] : boundary;
        Value element =
            arith::SelectOp::create(builder, loc, outside, edge, elements[0]);
        linalg::YieldOp::create(builder, loc, element);
      });
  rewriter.replaceUsesWithIf(
      shift.getResult(), chosen.getResult(0),
      [](OpOperand &use) { return isa<KernelOp>(use.getOwner()); });
  return success();
}
