//===- Jacobian.cpp - What is known of a combine region's slopes ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jacobian.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

//===----------------------------------------------------------------------===//
// Sparsity
//===----------------------------------------------------------------------===//

bool Sparsity::isIdentity() const {
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j)
      if (at(i, j) != (i == j ? Entry::One : Entry::Zero))
        return false;
  return true;
}

Sparsity Sparsity::select(ArrayRef<unsigned> kept) const {
  Sparsity selected(kept.size());
  for (auto [i, row] : llvm::enumerate(kept))
    for (auto [j, column] : llvm::enumerate(kept))
      selected.at(i, j) = at(row, column);
  return selected;
}

Sparsity Sparsity::transpose() const {
  Sparsity transposed(size);
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j)
      transposed.at(j, i) = at(i, j);
  return transposed;
}

/// One entry of the product of two matrices.
static Entry multiply(const Sparsity &a, const Sparsity &b, unsigned row,
                      unsigned column) {
  Entry sum = Entry::Zero;
  for (unsigned k = 0; k < a.getSize(); ++k) {
    Entry x = a.at(row, k), y = b.at(k, column);
    if (x == Entry::Zero || y == Entry::Zero)
      continue;
    bool isOne = x == Entry::One && y == Entry::One && sum == Entry::Zero;
    sum = isOne ? Entry::One : Entry::Value;
  }
  return sum;
}

Sparsity Sparsity::closure() const {
  Sparsity closed = *this;
  for (bool changed = true; changed;) {
    changed = false;
    Sparsity before = closed;
    for (unsigned i = 0; i < size; ++i)
      for (unsigned j = 0; j < size; ++j) {
        Entry product = multiply(before, before, i, j);
        Entry &entry = closed.at(i, j);
        if (product == entry || entry == Entry::Value)
          continue;
        entry = Entry::Value;
        changed = true;
      }
  }
  return closed;
}

//===----------------------------------------------------------------------===//
// CombineAdjoint
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> CombineAdjoint::emit(OpBuilder &builder,
                                                   ValueRange values,
                                                   ArrayRef<Value> seeds,
                                                   bool isMasked,
                                                   Refuse refuse) const {
  IRMapping primal;
  primal.map(combine.getArguments(), values);
  for (Operation &op : combine.without_terminator())
    builder.clone(op, primal);
  ScalarAdjoint adjoint(builder, primal);
  for (BlockArgument argument : combine.getArguments())
    if (isDifferentiable(argument.getType()))
      adjoint.activate(argument);
  adjoint.activateUsers(combine);
  if (failed(adjoint.visit(combine, seeds, isMasked, refuse)))
    return failure();
  return llvm::map_to_vector(
      combine.getArguments(),
      [&](BlockArgument argument) { return adjoint.getCotangent(argument); });
}

SmallVector<Value> CombineAdjoint::emit(OpBuilder &builder, ValueRange values,
                                        ArrayRef<Value> seeds,
                                        bool isMasked) const {
  // What `init` went through has rules.
  return *emit(builder, values, seeds, isMasked,
               [](Operation *, const Twine &) { return failure(); });
}

bool CombineAdjoint::isPolynomial() const {
  return llvm::all_of(combine.without_terminator(), [](Operation &op) {
    if (op.hasTrait<OpTrait::ConstantLike>() ||
        llvm::none_of(op.getResultTypes(), isDifferentiable))
      return true;
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
               arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
               arith::MinNumFOp, arith::SelectOp, arith::ExtFOp,
               arith::TruncFOp, math::FmaOp, math::AbsFOp, complex::AddOp,
               complex::SubOp, complex::MulOp, complex::NegOp>(op);
  });
}

LogicalResult CombineAdjoint::init(Refuse refuse) {
  unsigned numLeaves = getNumLeaves();
  accumulated = fresh = Sparsity(numLeaves);
  for (Operation &op : combine.without_terminator()) {
    bool isComplex =
        llvm::any_of(llvm::concat<Type>(llvm::to_vector(op.getOperandTypes()),
                                        llvm::to_vector(op.getResultTypes())),
                     llvm::IsaPred<ComplexType>);
    if (isComplex && isOnlyRealDifferentiable(&op))
      return refuse(&op, "has no complex derivative, so that a combine region "
                         "with it has no complex Jacobian matrix; leaves that "
                         "hold real and imaginary parts can be differentiated");
  }
  for (unsigned j = 0; j < numLeaves; ++j) {
    if (!isDifferentiable(getType(j)))
      continue;
    Block scratch;
    SmallVector<Value> values;
    for (BlockArgument argument : combine.getArguments())
      values.push_back(
          scratch.addArgument(argument.getType(), argument.getLoc()));
    OpBuilder builder(getType(j).getContext());
    builder.setInsertionPointToEnd(&scratch);
    SmallVector<Value> seeds(numLeaves);
    seeds[j] = ScalarMath{builder, combine.getArgument(j).getLoc()}.constant(
        getType(j), 1.0);
    FailureOr<SmallVector<Value>> row =
        emit(builder, values, seeds, /*isMasked=*/false, refuse);
    if (failed(row))
      return failure();
    for (unsigned i = 0; i < numLeaves; ++i) {
      auto classify = [](Value value) {
        return !value                 ? Entry::Zero
               : isConstantOne(value) ? Entry::One
                                      : Entry::Value;
      };
      accumulated.at(j, i) = classify((*row)[i]);
      fresh.at(j, i) = classify((*row)[numLeaves + i]);
    }
  }
  return success();
}
