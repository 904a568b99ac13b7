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

#include "IR/ExpensiveOps.h"
#include "KernelFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
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

namespace {
/// Elementwise code that a shift reads.
struct ShiftedCode {
  /// That of `shift`, or nothing and the reason in `why`.
  static std::optional<ShiftedCode> get(ShiftOp shift, std::string &why);
  /// The code on shifted operands, and the boundary of the shift where there
  /// are no elements.
  Value createMoved(RewriterBase &rewriter, ShiftOp shift) const;
  /// Whether the code converts an element to a wider type, and the boundary is
  /// zero, as it is of the shifted operand then: there is nothing to choose.
  bool widensZero(ShiftOp shift) const;

  Operation *op;
  unsigned result;
  bool isExpensive = false;
  /// Of each operand that the result needs, the dimension along which steps
  /// lie.
  SmallVector<std::optional<int64_t>> dims;
};
} // namespace

std::optional<ShiftedCode> ShiftedCode::get(ShiftOp shift, std::string &why) {
  auto produced = dyn_cast<OpResult>(shift.getSource());
  why = "the shift is one of an argument";
  if (!produced)
    return std::nullopt;
  ShiftedCode code;
  code.op = produced.getOwner();
  code.result = produced.getResultNumber();
  std::optional<ElementwiseView> view = ElementwiseView::get(code.op, why);
  if (!view)
    return std::nullopt;
  code.isExpensive = view->isExpensive();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(code.op);
  why = "what is shifted depends on where an element lies, or may not be "
        "computed elsewhere";
  if ((!linalgOp && !OpTrait::hasElementwiseMappableTraits(code.op)) ||
      (linalgOp && linalgOp.hasIndexSemantics()) || !mayRunAnywhere(code.op))
    return std::nullopt;
  unsigned time = cast<AffineDimExpr>(
                      view->getResultMap(code.result).getResult(shift.getDim()))
                      .getPosition();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(view->getNumLoops(),
                                                         shift.getContext());
  llvm::SetVector<BlockArgument> needed;
  if (linalgOp) {
    Block &body = *linalgOp.getBlock();
    SmallVector<Operation *> inner =
        getCodeOf(body, body.getTerminator()->getOperand(code.result), needed);
    code.isExpensive = llvm::any_of(inner, containsExpensive);
  }
  why = "an operand is not read along the steps";
  for (OpOperand &each : code.op->getOpOperands()) {
    code.dims.emplace_back();
    if (!isa<RankedTensorType>(each.get().getType()) ||
        (linalgOp &&
         !needed.contains(linalgOp.getMatchingBlockArgument(&each))))
      continue;
    AffineMap map =
        linalgOp ? linalgOp.getMatchingIndexingMap(&each) : identity;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(time))
        continue;
      if (!isa<AffineDimExpr>(expr) || code.dims.back() ||
          !ScanDialect::isSupportedElementType(
              getElementTypeOrSelf(each.get().getType())))
        return std::nullopt;
      code.dims.back() = i;
    }
  }
  return code;
}

bool ShiftedCode::widensZero(ShiftOp shift) const {
  if (!matchPattern(shift.getBoundary(), m_PosZeroFloat()) &&
      !matchPattern(shift.getBoundary(), m_Zero()))
    return false;
  auto isWidening =
      llvm::IsaPred<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return isWidening(op);
  Operation *inner =
      linalgOp.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  return inner && isWidening(inner) && isa<BlockArgument>(inner->getOperand(0));
}

Value ShiftedCode::createMoved(RewriterBase &rewriter, ShiftOp shift) const {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(shift);
  Location loc = op->getLoc();
  int64_t dim = shift.getDim(), by = shift.getDistance();
  SmallVector<Value> operands;
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
  Value value = copy->getResult(result);
  if (widensZero(shift))
    return value;

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
  return chosen.getResult(0);
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
  std::string why;
  std::optional<ShiftedCode> code = ShiftedCode::get(shift, why);
  if (!code)
    return fail(why);
  if (isConsumerOfOther(code->op, kernel))
    return fail("the kernel that it reads can compute it");
  int64_t numReads = 0;
  for (Operation *user : code->op->getUsers()) {
    // What moves elements becomes shifts, too, one after the other.
    if (!isa<ShiftOp, KernelOp, tensor::DimOp, tensor::PadOp, tensor::ConcatOp,
             tensor::ExtractSliceOp>(user) &&
        !isOpTriviallyDead(user))
      return fail("what is shifted is needed as a whole, too");
    numReads += isa<ShiftOp>(user);
  }
  if (code->isExpensive && numReads > options.maxRecompute)
    return fail("expensive code would be computed too often");
  rewriter.replaceUsesWithIf(
      shift.getResult(), code->createMoved(rewriter, shift),
      [](OpOperand &use) { return isa<KernelOp>(use.getOwner()); });
  return success();
}

LogicalResult scan::moveShiftOfOne(RewriterBase &rewriter, ShiftOp shift) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(shift, reason);
  };
  if (shift.getDistance() == 0 || !shift.getSource().hasOneUse() ||
      llvm::any_of(shift->getUsers(), llvm::IsaPred<KernelOp>))
    return fail("a kernel reads the shift, or something else what is shifted");
  std::string why;
  std::optional<ShiftedCode> code = ShiftedCode::get(shift, why);
  if (!code)
    return fail(why);
  // Not one more array, and nothing that takes long, is what pays at any rate.
  auto isRead = [](std::optional<int64_t> dim) { return dim.has_value(); };
  if (llvm::count_if(code->dims, isRead) != 1 || code->isExpensive)
    return fail("what is shifted is computed from several arrays, or is "
                "expensive");
  if (code->op->getNumResults() > 1) {
    linalg::GenericOp alone = createForResult(
        rewriter, cast<linalg::GenericOp>(code->op), code->result);
    rewriter.modifyOpInPlace(
        shift, [&] { shift.getSourceMutable().assign(alone.getResult(0)); });
    code = ShiftedCode::get(shift, why);
  }
  rewriter.replaceOp(shift, code->createMoved(rewriter, shift));
  return success();
}
