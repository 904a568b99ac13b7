//===- ExprLifter.cpp - What a step computes, for all steps ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprLifter.h"
#include "IR/ElementwiseView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

/// `map`, from a space, as a map from the space and the time, which is
/// dimension `time` of the domain; with the time as result number `position`.
static AffineMap addTime(AffineMap map, int64_t time, int64_t position = -1) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0, e = map.getNumDims(); i < e; ++i)
    dims.push_back(getAffineDimExpr(i < time ? i : i + 1, context));
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(expr.replaceDims(dims));
  if (position >= 0)
    exprs.insert(exprs.begin() + position, getAffineDimExpr(time, context));
  return AffineMap::get(map.getNumDims() + 1, 0, exprs, context);
}

/// The constant scalar or the constant that all elements of the tensor are.
static Attribute getFilledConstant(Value value) {
  Attribute constant;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    value = splat.getInput();
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (!isa<ShapedType>(value.getType()))
    return constant;
  auto splat = dyn_cast<SplatElementsAttr>(constant);
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

void ExprLifter::collectLeaves(const Expr *expr,
                               SetVector<const Expr *> &leaves) {
  bool isTensor = expr->kind == Expr::Slice || expr->kind == Expr::State ||
                  expr->kind == Expr::Updated || expr->kind == Expr::Sum ||
                  (expr->kind == Expr::Invariant &&
                   isa<RankedTensorType>(expr->value.getType()) &&
                   !getFilledConstant(expr->value));
  if (isTensor) {
    leaves.insert(expr);
    return;
  }
  for (const Expr *operand : expr->operands)
    collectLeaves(operand, leaves);
}

std::pair<Value, AffineMap> ExprLifter::getLeaf(const Expr *expr,
                                                const Box &box) {
  if (expr->kind == Expr::Slice) {
    const TimeSlice &slice = loop.slices[expr->number];
    return {hoister.emitPart(slice),
            addTime(expr->map, box.time, slice.getTimePosition())};
  }
  if (expr->kind == Expr::Invariant)
    return {hoister.hoist(expr->value), addTime(expr->map, box.time)};
  if (expr->kind == Expr::Sum) {
    // Where it becomes what is wanted as it is, with the time in its place.
    int64_t position = expr->map.isIdentity() ? box.time : 0;
    return {liftSum(expr, box, position),
            addTime(expr->map, box.time, position)};
  }
  const ScannedState &scan = scanned[expr->number];
  return {expr->kind == Expr::Updated ? scan.inclusive : scan.exclusive,
          addTime(expr->map, box.time, scan.box.time)};
}

/// The scalar code of `expr`; `values` has what exists already.
Value ExprLifter::emitBody(OpBuilder &builder, const Expr *expr, int64_t time,
                           llvm::DenseMap<const Expr *, Value> &values) {
  if (Value known = values.lookup(expr))
    return known;
  Value value;
  if (expr->kind == Expr::Time) {
    // Of the step at this place along the time.
    value = linalg::IndexOp::create(builder, loc, time);
    Value bound =
        loop.reverse ? loop.loop.getUpperBound() : loop.loop.getLowerBound();
    if (loop.reverse) {
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value last = arith::SubIOp::create(builder, loc, bound, one);
      value = arith::SubIOp::create(builder, loc, last, value);
    } else if (!isConstantIntValue(bound, 0)) {
      value = arith::AddIOp::create(builder, loc, bound, value);
    }
  } else if (expr->kind == Expr::Invariant) {
    Attribute constant = getFilledConstant(expr->value);
    value = constant ? materializeScalar(builder, loc, expr->type, constant)
                     : hoister.getHoisted(expr->value);
  } else {
    SmallVector<Value> operands;
    for (const Expr *operand : expr->operands)
      operands.push_back(emitBody(builder, operand, time, values));
    if (expr->create) {
      value = expr->create(builder, loc, operands);
    } else {
      Operation *copy = expr->op->clone();
      copy->setOperands(operands);
      for (Value result : copy->getResults())
        result.setType(getElementTypeOrSelf(result.getType()));
      builder.insert(copy);
      value = copy->getResult(expr->result);
    }
  }
  values[expr] = value;
  return value;
}

/// Calls `callback` with each value in `expr` that is the same in every step.
static void forEachInvariant(const Expr *expr,
                             function_ref<void(const Expr *)> callback) {
  if (expr->kind == Expr::Invariant)
    callback(expr);
  // A sum is a tensor of its own.
  if (expr->kind == Expr::Sum)
    return;
  for (const Expr *operand : expr->operands)
    forEachInvariant(operand, callback);
}

SetVector<const Expr *>
ExprLifter::getInputs(ArrayRef<const Expr *> exprs, const Box &box,
                      SmallVectorImpl<Value> &inputs,
                      SmallVectorImpl<AffineMap> &maps) {
  SetVector<const Expr *> leaves;
  for (const Expr *expr : exprs) {
    collectLeaves(expr, leaves);
    forEachInvariant(expr, [&](const Expr *invariant) {
      if (!getFilledConstant(invariant->value))
        (void)hoister.hoist(invariant->value);
    });
  }
  for (const Expr *leaf : leaves) {
    auto [tensor, map] = getLeaf(leaf, box);
    inputs.push_back(tensor);
    maps.push_back(map);
  }
  return leaves;
}

/// Adds an input for each loop of `op` that no map has as a dimension, as where
/// all that is added up depends on the step alone: its extent is in no other
/// type. The maps have the time as their first loop; the last is the output's.
void ExprLifter::addLoopExtents(linalg::LinalgOp op,
                                SmallVectorImpl<Value> &inputs,
                                SmallVectorImpl<AffineMap> &maps,
                                Type elementType) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    AffineExpr dim = rewriter.getAffineDimExpr(loop + 1);
    if (llvm::any_of(maps, [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), dim);
        }))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> position =
          map.getResultPosition(rewriter.getAffineDimExpr(loop));
      if (!position)
        continue;
      OpFoldResult size = hoister.hoistSizesOf(operand.get())[*position];
      inputs.push_back(
          tensor::EmptyOp::create(rewriter, loc, size, elementType));
      maps.insert(std::prev(maps.end()),
                  AffineMap::get(op.getNumLoops() + 1, 0, dim));
      break;
    }
  }
}

/// A sum in all steps: the same sum, with the time as its first loop and as
/// dimension `position` of its result.
Value ExprLifter::liftSum(const Expr *sum, const Box &box, int64_t position) {
  auto op = cast<linalg::LinalgOp>(sum->op);
  OpOperand *init = op.getDpsInitOperand(0);
  Box result;
  result.time = position;
  // The loops of another sum, which reads it, have no sizes.
  if (sum->map.isIdentity() && !box.sizes.empty()) {
    result = box;
  } else {
    result.sizes = hoister.hoistSizesOf(init->get());
    result.sizes.insert(result.sizes.begin() + position, hoister.getSteps());
  }
  Value start;
  const Expr *from = sum->operands.back();
  Attribute constant = from->kind == Expr::Invariant
                           ? getFilledConstant(from->value)
                           : Attribute();
  if (constant) {
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, result.sizes, sum->type);
    Value scalar = materializeScalar(rewriter, loc, sum->type, constant);
    start = linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
  } else {
    start = lift({from, false}, result, sum->type);
  }

  // Time first: of its loops, the others come after.
  Box loops;
  ArrayRef<const Expr *> read = ArrayRef(sum->operands).drop_back();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SetVector<const Expr *> leaves = getInputs(read, loops, inputs, maps);
  maps.push_back(addTime(op.getMatchingIndexingMap(init), 0, position));
  addLoopExtents(op, inputs, maps, sum->type);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, start.getType(), inputs, start, maps, iterators,
             [&](OpBuilder &builder, Location, ValueRange arguments) {
               llvm::DenseMap<const Expr *, Value> values;
               for (auto [leaf, argument] : llvm::zip(leaves, arguments))
                 values[leaf] = argument;
               IRMapping mapping;
               Block &body = *op.getBlock();
               for (auto [i, expr] : llvm::enumerate(read))
                 mapping.map(body.getArgument(i),
                             emitBody(builder, expr, 0, values));
               mapping.map(body.getArguments().back(), arguments.back());
               for (Operation &inner : body) {
                 Operation *copy = builder.clone(inner, mapping);
                 if (auto index = dyn_cast<linalg::IndexOp>(copy))
                   index.setDim(index.getDim() + 1);
               }
             })
      .getResult(0);
}

Value ExprLifter::lift(Coefficient value, const Box &box, Type type) {
  const Expr *expr = value.expr;
  SetVector<const Expr *> leaves;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (expr)
    leaves = getInputs(expr, box, inputs, maps);
  // A tensor that exists already.
  bool isLeaf = leaves.size() == 1 && leaves.front() == expr;
  if (isLeaf && !value.negated && maps.front().isIdentity())
    return inputs.front();

  int64_t rank = box.sizes.size();
  Value empty = tensor::EmptyOp::create(rewriter, loc, box.sizes, type);
  maps.push_back(
      AffineMap::getMultiDimIdentityMap(rank, rewriter.getContext()));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        llvm::DenseMap<const Expr *, Value> values;
        for (auto [leaf, argument] : llvm::zip(leaves, arguments))
          values[leaf] = argument;
        Value result = expr ? emitBody(builder, expr, box.time, values)
                            : createOne(builder, loc, type);
        if (value.negated)
          result = createNegation(builder, loc, result);
        linalg::YieldOp::create(builder, loc, result);
      });
  return generic.getResult(0);
}
