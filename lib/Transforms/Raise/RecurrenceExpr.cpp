//===- RecurrenceExpr.cpp - What a step computes, as expressions ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPreparation.h"
#include "RecurrenceLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

const Expr *RecurrenceLoop::make(Expr expr) {
  expr.states.resize(states.size());
  if (expr.kind == Expr::State || expr.kind == Expr::Updated)
    expr.states.set(expr.number);
  for (const Expr *operand : expr.operands)
    expr.states |= operand->states;
  storage.push_back(std::move(expr));
  return &storage.back();
}

const Expr *RecurrenceLoop::makeOp(Type type, ArrayRef<const Expr *> operands,
                                   ScalarBuilder create) {
  Expr expr(Expr::Op, type);
  expr.operands.assign(operands.begin(), operands.end());
  expr.create = std::move(create);
  return make(std::move(expr));
}

const Expr *RecurrenceLoop::makeState(Expr::Kind kind, unsigned number,
                                      AffineMap map) {
  Expr expr(kind, getElementTypeOrSelf(states[number].type));
  expr.number = number;
  expr.map = map;
  return make(std::move(expr));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

std::optional<TimeSlice> RecurrenceLoop::getSlice(
    Operation *op, Value tensor, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides,
    const llvm::SmallBitVector &dropped) {
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
      (void)fail(op, "the size of a slice changes from step to step");
      return std::nullopt;
    }
    if (isKnown(offset))
      continue;
    std::optional<LinearIndex> time = getLinear(cast<Value>(offset));
    if (!time || std::abs(time->ivFactor) != 1 || slice.timeDim != -1) {
      (void)fail(op, "an index is not the step, or a value minus the step, in "
                     "one dimension and the same in every step in the others");
      return std::nullopt;
    }
    if (!isConstantIntValue(sizes[d], 1)) {
      (void)fail(op, "a slice has more than one row of the dimension that the "
                     "loop walks");
      return std::nullopt;
    }
    slice.timeDim = d;
    slice.time = *time;
    slice.dropped.set(d);
  }
  if (slice.timeDim == -1) {
    (void)fail(op, "a step reads or writes what an earlier step has changed, "
                   "at the same place");
    return std::nullopt;
  }
  return slice;
}

std::optional<TimeSlice> RecurrenceLoop::getReadSlice(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<OpFoldResult> indices = getAsOpFoldResult(extract.getIndices());
    SmallVector<OpFoldResult> ones(indices.size(), Builder(op).getIndexAttr(1));
    return getSlice(op, extract.getTensor(), indices, ones, ones,
                    llvm::SmallBitVector(indices.size(), true));
  }
  auto extract = cast<tensor::ExtractSliceOp>(op);
  return getSlice(op, extract.getSource(), extract.getMixedOffsets(),
                  extract.getMixedSizes(), extract.getMixedStrides(),
                  extract.getDroppedDims());
}

bool RecurrenceLoop::isInBounds(Operation *op, const TimeSlice &slice) {
  for (int64_t d = 0, rank = slice.offsets.size(); d < rank; ++d)
    if (!isInBounds(slice.tensor, d, slice.offsets[d], slice.sizes[d])) {
      (void)fail(op, "a branch guards an index that may be outside of the "
                     "tensor without it");
      return false;
    }
  return true;
}

const Expr *RecurrenceLoop::getSliceExpr(Operation *op, AffineMap map) {
  std::optional<TimeSlice> slice = getReadSlice(op);
  if (!slice)
    return nullptr;
  // The dimension of the time may be there, with one element.
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!extract.getDroppedDims().test(slice->timeDim))
      map = map.dropResult(slice->getTimePosition());
  } else {
    map = AffineMap::get(map.getNumDims(), 0, op->getContext());
  }
  // Outputs: rows of earlier steps are states, those of others are as they
  // were; after the step has written it, a row is what it has written.
  for (auto [i, output] : llvm::enumerate(outputs)) {
    bool isAfter =
        slice->tensor == loop.getTiedLoopYieldedValue(output.argument)->get();
    if (slice->tensor != output.argument && !isAfter)
      continue;
    LinearIndex difference = output.part.time;
    difference.add(slice->time, -1);
    int64_t distance = difference.constant * output.part.time.ivFactor;
    if (isAfter && !difference.isConstant(0)) {
      (void)fail(op, "a tensor is read at another row after it was written");
      return nullptr;
    }
    if (isAfter)
      return get(output.written, output.map.compose(map));
    if (distance > 0) {
      // The first steps may read what is not there.
      if (op->hasAttr(kGuardedAttrName) &&
          !getConstantIntValue(loop.getLowerBound())) {
        (void)fail(op, "a branch guards the read of an earlier row, and the "
                       "first step is not a constant");
        return nullptr;
      }
      return makeState(Expr::State, getHiddenState(i, distance), map);
    }
    slice->tensor = output.init;
    break;
  }
  if (!isInvariant(slice->tensor)) {
    (void)fail(op, "a step reads a tensor that an earlier step has changed");
    return nullptr;
  }
  if (op->hasAttr(kGuardedAttrName) && !isInBounds(op, *slice))
    return nullptr;
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
  Expr expr(Expr::Slice, getElementTypeOrSelf(slice->tensor.getType()));
  expr.number = slices.size();
  expr.map = map;
  slices.push_back(std::move(*slice));
  return make(std::move(expr));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// True for the values in the body of a structured operation in the loop.
static bool isInStructuredBody(Value value, scf::ForOp loop) {
  return value.getParentBlock() != loop.getBody() &&
         loop.getRegion().isAncestor(value.getParentRegion());
}

/// A map from the same space to no dimension.
static AffineMap getScalarMap(AffineMap map) {
  return AffineMap::get(map.getNumDims(), 0, map.getContext());
}

const Expr *RecurrenceLoop::getOp(Operation *op, unsigned result,
                                  AffineMap map) {
  Expr expr(Expr::Op, getElementTypeOrSelf(op->getResult(result).getType()));
  expr.op = op;
  expr.result = result;
  for (Value operand : op->getOperands()) {
    bool isPlain = !isa<RankedTensorType>(operand.getType()) &&
                   !isInStructuredBody(operand, loop);
    const Expr *inner = get(operand, isPlain ? getScalarMap(map) : map);
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
      !resultMap.isPermutation() || op.hasIndexSemantics())
    return getSum(operation, result, map);
  AffineMap loops = inversePermutation(resultMap).compose(map);
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  return get(yielded,
             isInStructuredBody(yielded, loop) ? loops : getScalarMap(map));
}

/// A linalg operation that is not elementwise: at each of its points, from what
/// it reads there. States are read by it, but not updated.
const Expr *RecurrenceLoop::getSum(Operation *operation, unsigned result,
                                   AffineMap map) {
  auto op = cast<linalg::LinalgOp>(operation);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(operation->getRegions(), captured);
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation() ||
      !llvm::all_of(captured, [&](Value value) {
        return loop.isDefinedOutsideOfLoop(value);
      })) {
    (void)fail(operation, "'" + operation->getName().getStringRef() +
                              "' is neither elementwise nor a sum of one "
                              "result");
    return nullptr;
  }
  if (!hasKnownSizes(op.getDpsInitOperand(0)->get())) {
    (void)fail(operation, "'" + operation->getName().getStringRef() +
                              "' has extents that are only known in the loop");
    return nullptr;
  }
  Expr expr(Expr::Sum, getElementTypeOrSelf(op->getResult(result).getType()));
  expr.op = operation;
  expr.map = map;
  for (OpOperand *operand : op.getDpsInputOperands())
    expr.operands.push_back(
        get(operand->get(), op.getMatchingIndexingMap(operand)));
  OpOperand *init = op.getDpsInitOperand(0);
  expr.operands.push_back(get(
      init->get(), AffineMap::getMultiDimIdentityMap(
                       cast<RankedTensorType>(init->get().getType()).getRank(),
                       loop.getContext())));
  if (llvm::is_contained(expr.operands, nullptr))
    return nullptr;
  return make(std::move(expr));
}

/// The dimension of a group of dimensions that may have more than one element;
/// -1 if all have one, nothing if two may have more.
static std::optional<int64_t> getOnlyDim(ArrayRef<int64_t> group,
                                         RankedTensorType type) {
  int64_t only = -1;
  for (int64_t d : group) {
    if (type.getDimSize(d) == 1)
      continue;
    if (only != -1)
      return std::nullopt;
    only = d;
  }
  return only;
}

/// Of a reshape that only adds or drops dimensions of one element: `map`, to
/// the dimensions of the result, as a map to those of the source.
static AffineMap getMapOfSource(Operation *op, AffineMap map) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  RankedTensorType wide =
      collapse ? collapse.getSrcType() : expand.getResultType();
  auto groups = collapse ? collapse.getReassociationIndices()
                         : expand.getReassociationIndices();
  AffineExpr zero = getAffineConstantExpr(0, map.getContext());
  SmallVector<AffineExpr> exprs(collapse ? wide.getRank() : groups.size(),
                                zero);
  for (auto [g, group] : llvm::enumerate(groups)) {
    std::optional<int64_t> only = getOnlyDim(group, wide);
    if (!only)
      return {};
    if (*only >= 0)
      exprs[collapse ? *only : g] = map.getResult(collapse ? g : *only);
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

const Expr *RecurrenceLoop::get(Value value, AffineMap map) {
  const Expr *&entry = known[{value, map}];
  if (entry)
    return entry;
  auto state = updated.find(value);
  const Expr *expr = state != updated.end()
                         ? makeState(Expr::Updated, state->second, map)
                         : compute(value, map);
  return known[{value, map}] = expr;
}

/// An argument of the loop, or of the body of an operation in it.
const Expr *RecurrenceLoop::getOfCarried(BlockArgument argument,
                                         AffineMap map) {
  for (auto [i, state] : llvm::enumerate(states))
    if (state.argument == argument)
      return makeState(Expr::State, i, map);
  Operation *parent = argument.getOwner()->getParentOp();
  auto op = dyn_cast<linalg::LinalgOp>(parent);
  if (!op || op->getBlock() != loop.getBody()) {
    (void)fail(parent, "a step reads a tensor that an earlier step has "
                       "changed, as a whole");
    return nullptr;
  }
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  return get(operand.get(), op.getMatchingIndexingMap(&operand).compose(map));
}

const Expr *RecurrenceLoop::compute(Value value, AffineMap map) {
  Type type = getElementTypeOrSelf(value.getType());
  if (value == loop.getInductionVar())
    return make(Expr(Expr::Time, type));
  if (isInvariant(value)) {
    Expr expr(Expr::Invariant, type);
    expr.value = value;
    expr.map = map;
    return make(std::move(expr));
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getOfCarried(argument, map);
  Operation *op = value.getDefiningOp();
  unsigned result = cast<OpResult>(value).getResultNumber();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && extract.getIndices().empty())
    return get(extract.getTensor(), getScalarMap(map));
  if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op))
    return getSliceExpr(op, map);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return get(cast.getSource(), map);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return get(splat.getInput(), getScalarMap(map));
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op);
      elements && elements.getElements().size() == 1)
    return get(elements.getElements().front(), getScalarMap(map));
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    if (AffineMap source = getMapOfSource(op, map))
      return get(op->getOperand(0), source);
    (void)fail(op, "'" + op->getName().getStringRef() +
                       "' does not only add or drop dimensions of one element");
    return nullptr;
  }
  if (isa<linalg::LinalgOp>(op))
    return getStructured(op, result, map);
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) ||
                       isa<arith::ArithDialect>(op->getDialect()) ||
                       op->getName().getDialectNamespace() == "complex";
  if (isElementwise && op->getNumRegions() == 0 && isPure(op))
    return getOp(op, result, map);
  (void)fail(op, "'" + op->getName().getStringRef() + "' is not elementwise");
  return nullptr;
}
