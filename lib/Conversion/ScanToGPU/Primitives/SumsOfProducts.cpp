//===- SumsOfProducts.cpp - Sums as fused multiply-adds -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumsOfProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

static bool allows(arith::FastMathFlags flags, arith::FastMathFlags wanted) {
  return arith::bitEnumContainsAll(flags, wanted);
}

static bool mayContract(arith::FastMathFlags flags) {
  return allows(flags, arith::FastMathFlags::contract);
}

/// The addition that computes `value`, if it may be reordered and contracted.
static arith::AddFOp getFreeAddition(Value value) {
  auto addition = value.getDefiningOp<arith::AddFOp>();
  constexpr auto wanted =
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  return addition && allows(addition.getFastmath(), wanted) ? addition
                                                            : arith::AddFOp();
}

/// The terms of a sum, in their order.
static void collectTerms(arith::AddFOp sum, SmallVectorImpl<Value> &terms) {
  for (Value operand : sum->getOperands()) {
    arith::AddFOp inner = getFreeAddition(operand);
    if (inner && inner->hasOneUse())
      collectTerms(inner, terms);
    else
      terms.push_back(operand);
  }
}

/// A product that may be contracted; null if `term` is none.
static arith::MulFOp getFreeProduct(Value term) {
  auto product = term.getDefiningOp<arith::MulFOp>();
  return product && mayContract(product.getFastmath()) ? product
                                                       : arith::MulFOp();
}

/// x, where `term` is 2 x that may be contracted; else null.
static Value getHalf(Value term) {
  arith::MulFOp product = getFreeProduct(term);
  FloatAttr factor;
  if (product && matchPattern(product.getRhs(), m_Constant(&factor)) &&
      factor.getValueAsDouble() == 2)
    return product.getLhs();
  return {};
}

/// `sum`, or nothing where that is null, plus a product.
static Value addProduct(ImplicitLocOpBuilder &b, Value sum, Value lhs,
                        Value rhs, arith::FastMathFlags flags) {
  Value product = arith::MulFOp::create(b, lhs, rhs, flags);
  return sum ? arith::AddFOp::create(b, sum, product,
                                     arith::FastMathFlags::contract)
             : product;
}

static Value addTerm(ImplicitLocOpBuilder &b, Value sum, Value term) {
  if (arith::MulFOp product = getFreeProduct(term))
    return addProduct(b, sum, product.getLhs(), product.getRhs(),
                      product.getFastmath());
  Operation *part = term.getDefiningOp();
  auto product = isa_and_present<complex::ReOp, complex::ImOp>(part)
                     ? part->getOperand(0).getDefiningOp<complex::MulOp>()
                     : complex::MulOp();
  if (!product || !mayContract(product.getFastmath()))
    return sum ? arith::AddFOp::create(b, sum, term) : term;
  Value reLhs = complex::ReOp::create(b, product.getLhs());
  Value imLhs = complex::ImOp::create(b, product.getLhs());
  Value reRhs = complex::ReOp::create(b, product.getRhs());
  Value imRhs = complex::ImOp::create(b, product.getRhs());
  auto addBoth = [&](Value first, Value second, Value third, Value fourth) {
    arith::FastMathFlags flags = product.getFastmath();
    sum = addProduct(b, sum, first, second, flags);
    return addProduct(b, sum, third, fourth, flags);
  };
  if (isa<complex::ImOp>(part))
    return addBoth(reLhs, imRhs, imLhs, reRhs);
  return addBoth(reLhs, reRhs, arith::NegFOp::create(b, imLhs), imRhs);
}

static void contractSum(arith::AddFOp last) {
  SmallVector<Value> terms;
  collectTerms(last, terms);
  ImplicitLocOpBuilder b(last.getLoc(), last);
  Value sum, half;
  for (Value term : terms)
    if (Value ofHalf = getHalf(term))
      half = addTerm(b, half, ofHalf);
    else
      sum = addTerm(b, sum, term);
  if (half) {
    Value two = arith::ConstantOp::create(
        b, b.getFloatAttr(cast<FloatType>(last.getType()), 2));
    sum = addProduct(b, sum, half, two, arith::FastMathFlags::contract);
  }
  last.replaceAllUsesWith(sum);
  last.erase();
}

void mlir::scan::contractSums(KernelOp kernel) {
  SmallVector<arith::AddFOp> sums;
  for (Operation &op : kernel.getStore().front())
    if (arith::AddFOp sum = op.getNumResults() == 1
                                ? getFreeAddition(op.getResult(0))
                                : arith::AddFOp())
      if (!sum->hasOneUse() || !sum->user_begin()->getNumResults() ||
          !getFreeAddition(sum->user_begin()->getResult(0)))
        sums.push_back(sum);
  llvm::for_each(sums, contractSum);
}
