//===- ExprLifter.cpp - What a step computes, for all steps ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprLifter.h"
#include "../Utils/ElementwiseView.h"
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
static Attribute getConstant(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (!isa<ShapedType>(value.getType()))
    return constant;
  auto splat = dyn_cast<SplatElementsAttr>(constant);
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

void ExprLifter::collectLeaves(const Expr *expr,
                               SetVector<const Expr *> &leaves) {
  bool isScanned = scansExist && loop.getUpdatedState(expr) >= 0;
  bool isTensor = expr->kind == Expr::Slice || expr->kind == Expr::State ||
                  (expr->kind == Expr::Invariant &&
                   isa<RankedTensorType>(expr->value.getType()) &&
                   !getConstant(expr->value));
  if (isScanned || isTensor) {
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
  int64_t updated = loop.getUpdatedState(expr);
  const ScannedState &scan = scanned[updated >= 0 ? updated : expr->number];
  AffineMap space = AffineMap::getMultiDimIdentityMap(box.sizes.size() - 1,
                                                      rewriter.getContext());
  return {updated >= 0 ? scan.inclusive : scan.exclusive,
          addTime(space, box.time, scan.box.time)};
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
    Attribute constant = getConstant(expr->value);
    value = constant ? materializeScalar(builder, loc, expr->type, constant)
                     : hoister.getHoisted(expr->value);
  } else {
    SmallVector<Value> operands;
    for (const Expr *operand : expr->operands)
      operands.push_back(emitBody(builder, operand, time, values));
    Operation *copy = expr->op->clone();
    copy->setOperands(operands);
    for (Value result : copy->getResults())
      result.setType(getElementTypeOrSelf(result.getType()));
    builder.insert(copy);
    value = copy->getResult(expr->result);
  }
  values[expr] = value;
  return value;
}

/// Calls `callback` with each value in `expr` that is the same in every step.
static void forEachInvariant(const Expr *expr,
                             function_ref<void(const Expr *)> callback) {
  if (expr->kind == Expr::Invariant)
    callback(expr);
  for (const Expr *operand : expr->operands)
    forEachInvariant(operand, callback);
}

Value ExprLifter::lift(Coefficient value, const Box &box, Type type) {
  const Expr *expr = value.expr;
  SetVector<const Expr *> leaves;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (expr) {
    collectLeaves(expr, leaves);
    forEachInvariant(expr, [&](const Expr *invariant) {
      if (!getConstant(invariant->value))
        (void)hoister.hoist(invariant->value);
    });
  }
  for (const Expr *leaf : leaves) {
    auto [tensor, map] = getLeaf(leaf, box);
    inputs.push_back(tensor);
    maps.push_back(map);
  }
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
