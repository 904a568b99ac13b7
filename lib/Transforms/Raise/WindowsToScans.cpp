//===- WindowsToScans.cpp - Reductions of all that came before ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowsToScans.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

struct Window {
  /// What is scanned, along which dimension.
  Value input;
  int64_t dim = 0;
  bool reverse = false, exclusive = false;
};

/// The parts of a reduction into one result.
struct Reduction {
  linalg::LinalgOp op;
  /// The operation that combines the accumulator and `element`.
  Operation *combine = nullptr;
  Value element;
  /// The scalar that all sums start from.
  Value init;
};

} // namespace

/// The kind of an operation that has a neutral element and may be bracketed
/// and ordered in any way.
static std::optional<arith::AtomicRMWKind> getKind(Operation *combine) {
  return llvm::TypeSwitch<Operation *, std::optional<arith::AtomicRMWKind>>(
             combine)
      .Case([](arith::AddFOp) { return arith::AtomicRMWKind::addf; })
      .Case([](arith::AddIOp) { return arith::AtomicRMWKind::addi; })
      .Case([](arith::MulFOp) { return arith::AtomicRMWKind::mulf; })
      .Case([](arith::MulIOp) { return arith::AtomicRMWKind::muli; })
      .Case([](arith::MaximumFOp) { return arith::AtomicRMWKind::maximumf; })
      .Case([](arith::MinimumFOp) { return arith::AtomicRMWKind::minimumf; })
      .Case([](arith::MaxSIOp) { return arith::AtomicRMWKind::maxs; })
      .Case([](arith::MinSIOp) { return arith::AtomicRMWKind::mins; })
      .Case([](arith::MaxUIOp) { return arith::AtomicRMWKind::maxu; })
      .Case([](arith::MinUIOp) { return arith::AtomicRMWKind::minu; })
      .Case([](arith::OrIOp) { return arith::AtomicRMWKind::ori; })
      .Case([](arith::AndIOp) { return arith::AtomicRMWKind::andi; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `value` is the neutral element of `combine`.
static bool isNeutral(Operation *combine, Attribute value) {
  Type type = combine->getResult(0).getType();
  std::optional<arith::AtomicRMWKind> kind = getKind(combine);
  if (!kind || !isa<FloatType, IntegerType>(type))
    return false;
  OpBuilder builder(combine->getContext());
  TypedAttr neutral = arith::getIdentityValueAttr(
      *kind, type, builder, combine->getLoc(), /*useOnlyFiniteValue=*/false);
  // Zeros of both signs are.
  auto number = dyn_cast_if_present<FloatAttr>(value);
  auto other = dyn_cast_if_present<FloatAttr>(neutral);
  if (number && other)
    return number.getValue().compare(other.getValue()) == APFloat::cmpEqual;
  return neutral == value;
}

static Attribute getConstantAttribute(Value value) {
  Attribute constant;
  (void)(value && matchPattern(value, m_Constant(&constant)));
  return constant;
}

static std::optional<Reduction> getReduction(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Reduction reduction;
  reduction.op = op;
  // All of it starts from one scalar.
  Value init = op.getDpsInits()[0];
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    reduction.init = fill.getInputs().front();
  else if (auto splat = init.getDefiningOp<tensor::SplatOp>())
    reduction.init = splat.getInput();
  else if (!isa_and_nonnull<SplatElementsAttr>(getConstantAttribute(init)))
    return std::nullopt;
  Block &body = *op.getBlock();
  Value accumulator = body.getArguments().back();
  reduction.combine = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!reduction.combine || reduction.combine->getNumOperands() != 2 ||
      reduction.combine->getBlock() != &body || !accumulator.hasOneUse())
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (reduction.combine->getOperand(i) == accumulator)
      reduction.element = reduction.combine->getOperand(1 - i);
  if (!reduction.element || reduction.element == accumulator)
    return std::nullopt;
  return reduction;
}

/// A window over a padded tensor.
static std::optional<Window> matchPadded(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  auto argument = dyn_cast<BlockArgument>(reduction.element);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  auto pad = operand.get().getDefiningOp<tensor::PadOp>();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !isNeutral(reduction.combine, getConstantAttribute(padding)))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isMinorIdentity() &&
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto source = pad.getSourceType();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!source.hasStaticShape() || source.getShape() != type.getShape() ||
      map.getNumResults() != result.getNumResults())
    return std::nullopt;
  std::optional<Window> window;
  for (int64_t d = 0, rank = type.getRank(); d < rank; ++d) {
    std::optional<int64_t> low = getConstantIntValue(pad.getMixedLowPad()[d]);
    std::optional<int64_t> high = getConstantIntValue(pad.getMixedHighPad()[d]);
    // A place of the result, or that and a place in the window.
    AffineExpr at = map.getResult(d), place = result.getResult(d), in;
    if (auto sum = dyn_cast<AffineBinaryOpExpr>(at);
        sum && sum.getKind() == AffineExprKind::Add)
      in = sum.getLHS() == place   ? sum.getRHS()
           : sum.getRHS() == place ? sum.getLHS()
                                   : AffineExpr();
    else if (at != place)
      return std::nullopt;
    auto loop = dyn_cast_or_null<AffineDimExpr>(in);
    if (!low || !high || (at != place && !loop))
      return std::nullopt;
    int64_t length = loop ? extents[loop.getPosition()] : 1;
    if (loop && iterators[loop.getPosition()] != utils::IteratorType::reduction)
      return std::nullopt;
    if (length == 1 && *low == 0 && *high == 0)
      continue;
    bool isForward = *low == length - 1 && *high == 0;
    bool isBackward = *high == length - 1 && *low == 0;
    if (window || length < source.getDimSize(d) || (!isForward && !isBackward))
      return std::nullopt;
    window = Window{pad.getSource(), d, /*reverse=*/isBackward && !isForward};
  }
  return window;
}

/// The result dimension that `map`, of an input, has the loop `sum` in place
/// of: the input has the shape of the result; -1 if it has not.
static int64_t getReplacedDim(AffineMap map, AffineMap result, unsigned sum) {
  int64_t replaced = -1;
  if (map.getNumResults() != result.getNumResults())
    return -1;
  for (auto [d, exprs] :
       llvm::enumerate(llvm::zip(map.getResults(), result.getResults()))) {
    auto [read, written] = exprs;
    if (read == written)
      continue;
    if (replaced != -1 || read != getAffineDimExpr(sum, map.getContext()))
      return -1;
    replaced = d;
  }
  return replaced;
}

/// The only loop that is reduced; -1 if there are several.
static int64_t getReducedLoop(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops.size() == 1 ? loops.front() : -1;
}

/// A sum of products with a constant triangular matrix.
static std::optional<Window> matchTriangle(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  Operation *product = reduction.element.getDefiningOp();
  int64_t sum = getReducedLoop(op);
  if (!isa<arith::AddFOp, arith::AddIOp>(reduction.combine) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) || sum < 0 ||
      op.getNumDpsInputs() != 2)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Block *body = op.getBlock();
  for (unsigned i : {0, 1}) {
    auto dense = dyn_cast_or_null<DenseElementsAttr>(
        getConstantAttribute(op.getDpsInputs()[i]));
    OpOperand *input = op.getDpsInputOperand(1 - i);
    AffineMap map = op.getMatchingIndexingMap(input);
    AffineMap matrix = op.getMatchingIndexingMap(op.getDpsInputOperand(i));
    if (!dense ||
        !llvm::is_contained(product->getOperands(), body->getArgument(0)) ||
        !llvm::is_contained(product->getOperands(), body->getArgument(1)))
      continue;
    int64_t dim = getReplacedDim(map, result, sum);
    if (dim < 0)
      continue;
    auto rowLoop = dyn_cast<AffineDimExpr>(result.getResult(dim));
    std::optional<unsigned> row, column;
    for (auto [d, expr] : llvm::enumerate(matrix.getResults())) {
      if (expr == getAffineDimExpr(sum, op->getContext()))
        column = d;
      else if (expr == rowLoop)
        row = d;
    }
    ArrayRef<int64_t> shape = dense.getType().getShape();
    if (!row || !column || shape[*row] != shape[*column])
      continue;
    bool isLower = true, isUpper = true;
    SmallVector<int64_t> at(shape.size(), 0);
    auto check = [&](auto values, auto isValue) {
      for (auto value : values) {
        int64_t s = at[*column], t = at[*row];
        isLower &= isValue(value, s <= t);
        isUpper &= isValue(value, s >= t);
        for (int64_t d = shape.size() - 1; d >= 0 && ++at[d] == shape[d]; --d)
          at[d] = 0;
      }
    };
    if (isa<FloatType>(dense.getElementType()))
      check(dense.getValues<APFloat>(), [](const APFloat &value, bool isOne) {
        return isOne ? value.isExactlyValue(1.0) : value.isZero();
      });
    else
      check(dense.getValues<APInt>(), [](const APInt &value, bool isOne) {
        return isOne ? value.isOne() : value.isZero();
      });
    if (isLower || isUpper)
      return Window{input->get(), dim, /*reverse=*/!isLower};
  }
  return std::nullopt;
}

/// select(s <= t, x, neutral element) of the loops s, which is summed, and t.
static std::optional<Window> matchMasked(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  auto select = reduction.element.getDefiningOp<arith::SelectOp>();
  int64_t sum = getReducedLoop(op);
  if (!select || sum < 0)
    return std::nullopt;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  Value kept = select.getTrueValue(), other = select.getFalseValue();
  bool isInverted = !isNeutral(reduction.combine, getConstantAttribute(other));
  if (isInverted)
    std::swap(kept, other);
  auto argument = dyn_cast<BlockArgument>(kept);
  if (!compare || !argument || argument.getOwner() != op.getBlock() ||
      !isNeutral(reduction.combine, getConstantAttribute(other)))
    return std::nullopt;
  auto getLoop = [](Value value) -> int64_t {
    while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      value = cast.getIn();
    auto index = value.getDefiningOp<linalg::IndexOp>();
    return index ? static_cast<int64_t>(index.getDim()) : -1;
  };
  OpOperand &input = op->getOpOperand(argument.getArgNumber());
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  int64_t dim = getReplacedDim(op.getMatchingIndexingMap(&input), result, sum);
  if (dim < 0)
    return std::nullopt;
  int64_t row = cast<AffineDimExpr>(result.getResult(dim)).getPosition();
  int64_t lhs = getLoop(compare.getLhs()), rhs = getLoop(compare.getRhs());
  arith::CmpIPredicate predicate = compare.getPredicate();
  // As a comparison of s with t.
  if (lhs == row && rhs == sum) {
    std::swap(lhs, rhs);
    predicate = llvm::StringSwitch<arith::CmpIPredicate>(
                    arith::stringifyCmpIPredicate(predicate))
                    .Case("slt", arith::CmpIPredicate::sgt)
                    .Case("sle", arith::CmpIPredicate::sge)
                    .Case("sgt", arith::CmpIPredicate::slt)
                    .Case("sge", arith::CmpIPredicate::sle)
                    .Default(arith::CmpIPredicate::eq);
  }
  if (lhs != sum || rhs != row ||
      !haveSameExtent(input.get(), dim, op.getDpsInits()[0], dim))
    return std::nullopt;
  if (isInverted)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case arith::CmpIPredicate::sle:
    return Window{input.get(), dim, false, false};
  case arith::CmpIPredicate::slt:
    return Window{input.get(), dim, false, true};
  case arith::CmpIPredicate::sge:
    return Window{input.get(), dim, true, false};
  case arith::CmpIPredicate::sgt:
    return Window{input.get(), dim, true, true};
  default:
    return std::nullopt;
  }
}

LogicalResult scan::raiseWindow(RewriterBase &rewriter, linalg::LinalgOp op,
                                Order order) {
  std::optional<Reduction> reduction = getReduction(op);
  if (!reduction)
    return failure();
  Operation *combine = reduction->combine;
  if (order == Order::Sequential && isa<arith::AddFOp, arith::MulFOp>(combine))
    return failure();
  std::optional<Window> window;
  for (auto match : {matchPadded, matchTriangle, matchMasked})
    if (!window)
      window = match(*reduction);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!window || !getKind(combine) ||
      cast<RankedTensorType>(window->input.getType()).getElementType() !=
          type.getElementType())
    return failure();
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  Value init = reduction->init;
  if (!init) {
    auto splat =
        cast<SplatElementsAttr>(getConstantAttribute(op.getDpsInits()[0]));
    init = arith::ConstantOp::create(rewriter, loc,
                                     splat.getSplatValue<TypedAttr>());
  }
  Type element = type.getElementType();
  auto scan = AssociativeOp::create(
      rewriter, loc, window->input, init, window->dim, window->reverse,
      window->exclusive, /*finalStates=*/false, element,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        Operation *copy = combine->clone();
        copy->setOperands(arguments);
        builder.insert(copy);
        return SmallVector<Value>{copy->getResult(0)};
      });
  if (order != Order::Any)
    scan->setAttr("order", OrderAttr::get(rewriter.getContext(), order));
  Value result = scan.getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return success();
}
