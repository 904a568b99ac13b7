//===- SumOfProducts.cpp - Sums as fused multiply-adds --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumOfProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr arith::FastMathFlags kContract =
    arith::FastMathFlags::contract;

void SumOfProducts::add(Value sum, Value before) {
  if (!isa<FloatType>(sum.getType())) {
    isKnown = false;
  } else if (!before) {
    terms.push_back(sum);
  } else if (auto addition = sum.getDefiningOp<arith::AddFOp>();
             addition &&
             (addition.getLhs() == before || addition.getRhs() == before)) {
    if (terms.empty())
      start = before;
    terms.push_back(addition.getLhs() == before ? addition.getRhs()
                                                : addition.getLhs());
  } else {
    isKnown = false;
  }
}

/// x, where `value` is x + x; else null.
static Value getHalf(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  return sum && sum.getLhs() == sum.getRhs() ? sum.getLhs() : Value();
}

/// `sum`, or nothing where that is null, plus a product that has `flags`.
static Value addProduct(ImplicitLocOpBuilder &b, Value sum, Value lhs,
                        Value rhs, arith::FastMathFlags flags = kContract) {
  Value product = arith::MulFOp::create(b, lhs, rhs, flags | kContract);
  return sum ? arith::AddFOp::create(b, sum, product, kContract) : product;
}

static Value addTerm(ImplicitLocOpBuilder &b, Value sum, Value term) {
  if (auto product = term.getDefiningOp<arith::MulFOp>())
    return addProduct(b, sum, product.getLhs(), product.getRhs(),
                      product.getFastmath());
  Operation *part = term.getDefiningOp();
  auto product = isa_and_present<complex::ReOp, complex::ImOp>(part)
                     ? part->getOperand(0).getDefiningOp<complex::MulOp>()
                     : complex::MulOp();
  if (!product)
    return sum ? arith::AddFOp::create(b, sum, term, kContract).getResult()
               : term;
  Value lhs = product.getLhs(), rhs = product.getRhs();
  Value reLhs = complex::ReOp::create(b, lhs);
  Value imLhs = complex::ImOp::create(b, lhs);
  Value reRhs = complex::ReOp::create(b, rhs);
  Value imRhs = complex::ImOp::create(b, rhs);
  auto addBoth = [&](Value first, Value second, Value third, Value fourth) {
    arith::FastMathFlags flags = product.getFastmath();
    return addProduct(b, addProduct(b, sum, first, second, flags), third,
                      fourth, flags);
  };
  if (isa<complex::ImOp>(part))
    return addBoth(reLhs, imRhs, imLhs, reRhs);
  return addBoth(reLhs, reRhs, arith::NegFOp::create(b, imLhs), imRhs);
}

Value SumOfProducts::contract(OpBuilder &builder, Value sum) const {
  if (!isKnown || terms.empty())
    return sum;
  ImplicitLocOpBuilder b(sum.getLoc(), builder);
  bool isTwice = llvm::all_of(terms, [](Value term) { return getHalf(term); });
  Value result = isTwice ? Value() : start;
  for (Value term : terms)
    result = addTerm(b, result, isTwice ? getHalf(term) : term);
  if (!isTwice)
    return result;
  Value two = arith::ConstantOp::create(
      b, b.getFloatAttr(cast<FloatType>(sum.getType()), 2.0));
  return addProduct(b, start, result, two);
}
