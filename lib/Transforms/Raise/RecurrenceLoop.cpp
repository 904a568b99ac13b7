//===- RecurrenceLoop.cpp - What a loop computes per step -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceLoop.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

void LinearIndex::add(const LinearIndex &other, int64_t factor) {
  ivFactor += factor * other.ivFactor;
  constant += factor * other.constant;
  for (auto [value, count] : other.terms) {
    int64_t added = factor * count;
    auto *same = llvm::find_if(terms, [value = value](auto &term) {
      return isSameExtent(term.first, value);
    });
    if (same == terms.end())
      terms.emplace_back(value, added);
    else if ((same->second += added) == 0)
      terms.erase(same);
  }
}

bool LinearIndex::isConstant(int64_t value) const {
  return ivFactor == 0 && terms.empty() && constant == value;
}

Value LinearIndex::getSingleValue() const {
  return ivFactor == 0 && constant == 0 && terms.size() == 1 &&
                 terms.front().second == 1
             ? terms.front().first
             : Value();
}

int64_t TimeSlice::getTimePosition() const {
  int64_t position = 0;
  for (int64_t d = 0; d < timeDim; ++d)
    position += !dropped.test(d);
  return position;
}

/// Parses the linear expression of an affine.apply.
static std::optional<LinearIndex> getLinearExpr(RecurrenceLoop &loop,
                                                AffineExpr expr,
                                                affine::AffineApplyOp apply) {
  LinearIndex linear;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant = constant.getValue();
    return linear;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loop.getLinear(apply.getMapOperands()[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return loop.getLinear(
        apply.getMapOperands()[apply.getAffineMap().getNumDims() +
                               symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<LinearIndex> lhs = getLinearExpr(loop, binary.getLHS(), apply);
  std::optional<LinearIndex> rhs = getLinearExpr(loop, binary.getRHS(), apply);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    lhs->add(*rhs, 1);
    return lhs;
  }
  if (expr.getKind() != AffineExprKind::Mul || !rhs->isConstant(rhs->constant))
    return std::nullopt;
  linear.add(*lhs, rhs->constant);
  return linear;
}

std::optional<LinearIndex> RecurrenceLoop::getLinear(Value value) {
  LinearIndex linear;
  if (value == loop.getInductionVar()) {
    linear.ivFactor = 1;
    return linear;
  }
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    linear.constant = *constant;
    return linear;
  }
  Operation *def = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(def))
    return getLinearExpr(*this, apply.getAffineMap().getResult(0), apply);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(def)) {
    std::optional<LinearIndex> lhs = getLinear(def->getOperand(0));
    std::optional<LinearIndex> rhs = getLinear(def->getOperand(1));
    if (lhs && rhs) {
      lhs->add(*rhs, isa<arith::AddIOp>(def) ? 1 : -1);
      return lhs;
    }
    return std::nullopt;
  }
  if (!isInvariant(value))
    return std::nullopt;
  linear.terms.emplace_back(value, 1);
  return linear;
}

bool RecurrenceLoop::isInvariant(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody())
    return false;
  // A tensor that is only written to keeps its extents.
  if (auto dim = dyn_cast<tensor::DimOp>(def))
    for (const CarriedOutput &output : outputs)
      if (output.argument == dim.getSource())
        return isInvariant(dim.getIndex());
  if (!isPure(def))
    return false;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(def->getRegions(), captured);
  auto isKnown = [&](Value operand) { return isInvariant(operand); };
  return llvm::all_of(def->getOperands(), isKnown) &&
         llvm::all_of(captured, isKnown);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

LogicalResult RecurrenceLoop::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

const Expr *RecurrenceLoop::make(Expr expr) {
  if (expr.kind != Expr::State)
    expr.states.resize(states.size());
  else
    expr.states = llvm::SmallBitVector(states.size());
  if (expr.kind == Expr::State)
    expr.states.set(expr.number);
  for (const Expr *operand : expr.operands)
    expr.states |= operand->states;
  storage.push_back(std::move(expr));
  return &storage.back();
}

std::optional<TimeSlice> RecurrenceLoop::getSlice(
    Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    ArrayRef<OpFoldResult> strides, const llvm::SmallBitVector &dropped) {
  TimeSlice slice;
  slice.tensor = tensor;
  slice.timeDim = -1;
  slice.offsets.assign(offsets.begin(), offsets.end());
  slice.sizes.assign(sizes.begin(), sizes.end());
  slice.strides.assign(strides.begin(), strides.end());
  slice.dropped = dropped;
  auto isKnown = [&](OpFoldResult value) {
    return isa<Attribute>(value) || isInvariant(cast<Value>(value));
  };
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    if (!isKnown(sizes[d]) || !isKnown(strides[d])) {
      (void)fail("the size of a slice changes from step to step");
      return std::nullopt;
    }
    if (isKnown(offset))
      continue;
    std::optional<LinearIndex> time = getLinear(cast<Value>(offset));
    if (!time || std::abs(time->ivFactor) != 1 || slice.timeDim != -1) {
      (void)fail("an index is not the step, or a value minus the step, in one "
                 "dimension and the same in every step in the others");
      return std::nullopt;
    }
    if (!isConstantIntValue(sizes[d], 1) || !dropped.test(d)) {
      (void)fail("a slice keeps the dimension that the loop walks: expected it "
                 "to be dropped (a slice of one dimension less)");
      return std::nullopt;
    }
    slice.timeDim = d;
    slice.time = *time;
  }
  if (slice.timeDim == -1)
    return std::nullopt;
  return slice;
}

const Expr *RecurrenceLoop::getSliceExpr(std::optional<TimeSlice> slice,
                                         Value key, AffineMap map) {
  if (!slice || !isInvariant(slice->tensor)) {
    (void)fail("a step reads a tensor that an earlier step has changed");
    return nullptr;
  }
  // Read twice, it is one expression all the same.
  for (const Expr &known : storage) {
    if (known.kind != Expr::Slice || known.map != map)
      continue;
    const TimeSlice &other = slices[known.number];
    LinearIndex distance = slice->time;
    distance.add(other.time, -1);
    if (other.tensor == slice->tensor && other.timeDim == slice->timeDim &&
        distance.isConstant(0) && other.dropped == slice->dropped &&
        llvm::all_of(llvm::seq<unsigned>(0, slice->offsets.size()),
                     [&](int64_t d) {
                       return (d == slice->timeDim ||
                               other.offsets[d] == slice->offsets[d]) &&
                              other.sizes[d] == slice->sizes[d] &&
                              other.strides[d] == slice->strides[d];
                     }))
      return &known;
  }
  Expr expr(Expr::Slice, getElementTypeOrSelf(key.getType()));
  expr.number = slices.size();
  expr.map = map;
  slices.push_back(std::move(*slice));
  return make(std::move(expr));
}

/// True for the values in the body of a structured operation in the loop.
static bool isInStructuredBody(Value value, scf::ForOp loop) {
  return value.getParentBlock() != loop.getBody() &&
         loop.getRegion().isAncestor(value.getParentRegion());
}

const Expr *RecurrenceLoop::getOp(Operation *op, unsigned result,
                                  AffineMap map) {
  Expr expr(Expr::Op, getElementTypeOrSelf(op->getResult(result).getType()));
  expr.op = op;
  expr.result = result;
  for (Value operand : op->getOperands()) {
    bool isPlain = !isa<RankedTensorType>(operand.getType()) &&
                   !isInStructuredBody(operand, loop);
    AffineMap operandMap =
        isPlain ? AffineMap::get(map.getNumDims(), 0, op->getContext()) : map;
    const Expr *inner = get(operand, operandMap);
    if (!inner)
      return nullptr;
    expr.operands.push_back(inner);
  }
  return make(std::move(expr));
}

/// The body of an elementwise linalg operation at the points of its loops that
/// belong to the result under `map`.
const Expr *RecurrenceLoop::getStructured(Operation *operation, unsigned result,
                                          AffineMap map) {
  auto op = cast<linalg::LinalgOp>(operation);
  OpOperand *init = op.getDpsInitOperand(result);
  AffineMap resultMap = op.getMatchingIndexingMap(init);
  if (!op.hasPureTensorSemantics() || !op.isAllParallelLoops() ||
      !resultMap.isPermutation() || op.hasIndexSemantics()) {
    (void)fail("'" + operation->getName().getStringRef() +
               "' is not elementwise");
    return nullptr;
  }
  AffineMap loops = inversePermutation(resultMap).compose(map);
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  return get(yielded,
             isInStructuredBody(yielded, loop)
                 ? loops
                 : AffineMap::get(map.getNumDims(), 0, op->getContext()));
}

const Expr *RecurrenceLoop::get(Value value, AffineMap map) {
  const Expr *&entry = known[{value, map}];
  if (entry)
    return entry;
  auto remember = [&](const Expr *expr) { return known[{value, map}] = expr; };
  Type type = getElementTypeOrSelf(value.getType());
  if (value == loop.getInductionVar())
    return remember(make(Expr(Expr::Time, type)));
  for (auto [i, state] : llvm::enumerate(states)) {
    if (state.argument != value)
      continue;
    if (!map.isIdentity()) {
      (void)fail("a carried value is read at other places than it is written");
      return nullptr;
    }
    Expr expr(Expr::State, type);
    expr.number = i;
    return remember(make(std::move(expr)));
  }
  if (isInvariant(value)) {
    Expr expr(Expr::Invariant, type);
    expr.value = value;
    expr.map = map;
    return remember(make(std::move(expr)));
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op || op->getBlock() != loop.getBody()) {
      (void)fail("a step reads a tensor that an earlier step has changed");
      return nullptr;
    }
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    return remember(
        get(operand.get(), op.getMatchingIndexingMap(&operand).compose(map)));
  }
  Operation *op = value.getDefiningOp();
  unsigned result = cast<OpResult>(value).getResultNumber();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<OpFoldResult> indices = getAsOpFoldResult(extract.getIndices());
    SmallVector<OpFoldResult> ones(indices.size(), Builder(op).getIndexAttr(1));
    return remember(getSliceExpr(
        getSlice(extract.getTensor(), indices, ones, ones,
                 llvm::SmallBitVector(indices.size(), true)),
        value, AffineMap::get(map.getNumDims(), 0, op->getContext())));
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return remember(getSliceExpr(
        getSlice(extract.getSource(), extract.getMixedOffsets(),
                 extract.getMixedSizes(), extract.getMixedStrides(),
                 extract.getDroppedDims()),
        value, map));
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return remember(get(cast.getSource(), map));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return remember(get(splat.getInput(),
                        AffineMap::get(map.getNumDims(), 0, op->getContext())));
  if (isa<linalg::LinalgOp>(op))
    return remember(getStructured(op, result, map));
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) ||
                       isa<arith::ArithDialect>(op->getDialect()) ||
                       op->getName().getDialectNamespace() == "complex";
  if (isElementwise && op->getNumRegions() == 0 && isPure(op))
    return remember(getOp(op, result, map));
  (void)fail("'" + op->getName().getStringRef() + "' is not elementwise");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool RecurrenceLoop::matchOutput(BlockArgument argument, Value yielded,
                                 CarriedOutput &output) {
  Operation *def = yielded.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody() || !yielded.hasOneUse())
    return false;
  for (Operation *user : argument.getUsers())
    if (user != def && !isa<tensor::DimOp>(user))
      return false;
  std::optional<TimeSlice> part;
  if (auto insert = dyn_cast<tensor::InsertOp>(def)) {
    SmallVector<OpFoldResult> indices = getAsOpFoldResult(insert.getIndices());
    SmallVector<OpFoldResult> ones(indices.size(),
                                   Builder(def).getIndexAttr(1));
    if (insert.getDest() == argument)
      part = getSlice(argument, indices, ones, ones,
                      llvm::SmallBitVector(indices.size(), true));
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(def)) {
    if (insert.getDest() == argument && insert.getSource() != argument)
      part =
          getSlice(argument, insert.getMixedOffsets(), insert.getMixedSizes(),
                   insert.getMixedStrides(), insert.getDroppedDims());
  }
  if (!part)
    return false;
  output.part = std::move(*part);
  return true;
}

/// Tells the states from the outputs.
LogicalResult RecurrenceLoop::classify() {
  for (auto [argument, yielded, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getInitArgs())) {
    // For the extents of other outputs, in their indices.
    outputs.push_back({argument, init, {}, nullptr});
    if (isa<RankedTensorType>(argument.getType()) &&
        matchOutput(argument, yielded, outputs.back()))
      continue;
    outputs.pop_back();
    // A slice that is written, but not as an output.
    if (isa_and_nonnull<tensor::InsertOp, tensor::InsertSliceOp>(
            yielded.getDefiningOp()))
      return fail(
          "a tensor is not written once per step, at the step along one "
          "dimension, and not read");
    states.push_back({argument, init, nullptr});
  }
  reason.clear();
  return success();
}

LogicalResult RecurrenceLoop::checkDirection() {
  int64_t factor = 0;
  auto check = [&](const TimeSlice &slice) {
    bool agrees = factor == 0 || factor == slice.time.ivFactor;
    factor = slice.time.ivFactor;
    return agrees;
  };
  for (const TimeSlice &slice : slices)
    if (!check(slice))
      return fail("some slices are walked forward and others in reverse");
  for (const CarriedOutput &output : outputs)
    if (!check(output.part))
      return fail("some slices are walked forward and others in reverse");
  if (factor == 0)
    return fail("it walks no dimension of a tensor");
  reverse = factor < 0;
  return success();
}

LogicalResult RecurrenceLoop::analyze() {
  if (loop.getInitArgs().empty())
    return failure();
  for (Operation &op : *loop.getBody())
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(&op))
      return fail("'" + op.getName().getStringRef() + "' has side effects");
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
    return fail("expected signed bounds of type index");
  if (!isConstantIntValue(loop.getStep(), 1))
    return fail("expected a step of 1");
  if (failed(classify()) || states.empty())
    return failure();
  for (CarriedState &state : states) {
    Type type = state.argument.getType();
    if (!ScanDialect::isSupportedElementType(getElementTypeOrSelf(type)))
      return fail("a carried value is not of a type that scans know");
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && isa<ShapedType>(type))
      return fail("a carried value is not a ranked tensor");
    state.update = get(loop.getTiedLoopYieldedValue(state.argument)->get(),
                       AffineMap::getMultiDimIdentityMap(
                           tensor ? tensor.getRank() : 0, loop.getContext()));
    if (!state.update)
      return failure();
  }
  for (CarriedOutput &output : outputs) {
    Operation *def =
        loop.getTiedLoopYieldedValue(output.argument)->get().getDefiningOp();
    Value source = def->getOperand(0);
    auto tensor = dyn_cast<RankedTensorType>(source.getType());
    output.stored =
        get(source, AffineMap::getMultiDimIdentityMap(
                        tensor ? tensor.getRank() : 0, loop.getContext()));
    if (!output.stored)
      return failure();
  }
  LinearIndex upper = *getLinear(loop.getUpperBound());
  steps = upper;
  steps.add(*getLinear(loop.getLowerBound()), -1);
  return checkDirection();
}

int64_t RecurrenceLoop::getUpdatedState(const Expr *expr) const {
  for (auto [i, state] : llvm::enumerate(states))
    if (state.update == expr)
      return i;
  return -1;
}
