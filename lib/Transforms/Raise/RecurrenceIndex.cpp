//===- RecurrenceIndex.cpp - Indices that are linear in the step ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "RecurrenceLoop.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::scan;

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

bool RecurrenceLoop::isNeverNegative(LinearIndex index) {
  // Linear, it is smallest in the first step or in the last one.
  if (index.ivFactor) {
    int64_t factor = index.ivFactor;
    std::optional<LinearIndex> bound =
        getLinear(factor > 0 ? loop.getLowerBound() : loop.getUpperBound());
    if (!bound)
      return false;
    index.ivFactor = 0;
    index.add(*bound, factor);
    if (factor < 0)
      index.constant -= factor;
  }
  return index.constant >= 0 && llvm::all_of(index.terms, [](auto &term) {
           return term.second > 0 && isa_and_nonnull<ShapedDimOpInterface>(
                                         term.first.getDefiningOp());
         });
}

bool RecurrenceLoop::isInBounds(Value tensor, int64_t dim, OpFoldResult offset,
                                OpFoldResult size) {
  LinearIndex first;
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    first.constant = *constant;
  } else {
    std::optional<LinearIndex> index = getLinear(cast<Value>(offset));
    if (!index)
      return false;
    first = *index;
  }
  if (!isNeverNegative(first))
    return false;
  if (first.isConstant(0) && isExtentOf(size, tensor, dim))
    return true;
  std::optional<int64_t> count = getConstantIntValue(size);
  if (!count)
    return false;
  // The last step, or the first one, goes farthest.
  if (first.ivFactor) {
    std::optional<LinearIndex> bound = getLinear(
        first.ivFactor > 0 ? loop.getUpperBound() : loop.getLowerBound());
    if (!bound)
      return false;
    int64_t factor = first.ivFactor;
    first.ivFactor = 0;
    first.add(*bound, factor);
    if (factor > 0)
      first.constant -= factor;
  }
  int64_t end = first.constant + *count;
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (first.terms.empty())
    return !ShapedType::isDynamic(extent) && end <= extent;
  return first.terms.size() == 1 && first.terms.front().second == 1 &&
         isExtentOf(first.terms.front().first, tensor, dim) && end <= 0;
}

/// Whether lhs >= rhs + distance in every step; nothing is known if not.
static bool isAtLeast(RecurrenceLoop &loop, const LinearIndex &lhs,
                      const LinearIndex &rhs, int64_t distance = 0) {
  LinearIndex difference = lhs;
  difference.add(rhs, -1);
  difference.constant -= distance;
  return loop.isNeverNegative(difference);
}

/// Which of its two sides a signed comparison has in every step, if that is
/// known.
static std::optional<bool> decide(RecurrenceLoop &loop, arith::CmpIOp compare) {
  std::optional<LinearIndex> lhs = loop.getLinear(compare.getLhs());
  std::optional<LinearIndex> rhs = loop.getLinear(compare.getRhs());
  if (!lhs || !rhs)
    return std::nullopt;
  auto choose = [&](bool isTrue, bool isFalse) -> std::optional<bool> {
    if (isTrue || isFalse)
      return isTrue;
    return std::nullopt;
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return choose(isAtLeast(loop, *rhs, *lhs, 1), isAtLeast(loop, *lhs, *rhs));
  case arith::CmpIPredicate::sle:
    return choose(isAtLeast(loop, *rhs, *lhs), isAtLeast(loop, *lhs, *rhs, 1));
  case arith::CmpIPredicate::sgt:
    return choose(isAtLeast(loop, *lhs, *rhs, 1), isAtLeast(loop, *rhs, *lhs));
  case arith::CmpIPredicate::sge:
    return choose(isAtLeast(loop, *lhs, *rhs), isAtLeast(loop, *rhs, *lhs, 1));
  default:
    return std::nullopt;
  }
}

/// Clamped and wrapped indices are what they clamp and wrap where that changes
/// nothing in any step, and integers of another width the same number: an index
/// that wraps around would be outside of the tensor.
static std::optional<LinearIndex> getLinearOfBounded(RecurrenceLoop &loop,
                                                     Operation *op) {
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return loop.getLinear(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    std::optional<bool> side = compare ? decide(loop, compare) : std::nullopt;
    if (!side)
      return std::nullopt;
    return loop.getLinear(*side ? select.getTrueValue()
                                : select.getFalseValue());
  }
  if (!isa<arith::MaxSIOp, arith::MinSIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearIndex> lhs = loop.getLinear(op->getOperand(0));
  std::optional<LinearIndex> rhs = loop.getLinear(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (lhs->isConstant(lhs->constant))
      std::swap(lhs, rhs);
    if (!rhs->isConstant(rhs->constant))
      return std::nullopt;
    LinearIndex product;
    product.add(*lhs, rhs->constant);
    return product;
  }
  bool isMax = isa<arith::MaxSIOp>(op);
  if (isAtLeast(loop, *lhs, *rhs))
    return isMax ? lhs : rhs;
  if (isAtLeast(loop, *rhs, *lhs))
    return isMax ? rhs : lhs;
  return std::nullopt;
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
  }
  if (def)
    if (std::optional<LinearIndex> bounded = getLinearOfBounded(*this, def))
      return bounded;
  if (!isInvariant(value))
    return std::nullopt;
  linear.terms.emplace_back(value, 1);
  return linear;
}
