//===- ExactTerms.cpp - Rounded arithmetic as terms -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products, functions of floats as functions without a definition. Known
// of them is what IEEE 754 has for all numbers, NaN and infinities included,
// where one NaN is as good as another:
//
//     x + y = y + x     x + -0 = x     x - 0 = x
//     x y = y x         1 x = x        x / 1 = x
//
// That decides whether an identity is one to the bit, and whether an operator
// commutes, without a look at how numbers are rounded.
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::associativity;

LogicalResult RegionTerms::evaluateRounded(Operation *op, ArrayRef<Part> in,
                                           Symbol &out) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned parts = getNumParts(element);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  auto type = dyn_cast<FloatType>(element);
  bool isSum = isa<arith::AddFOp, complex::AddOp>(op);
  bool isDifference = isa<arith::SubFOp, complex::SubOp>(op);
  bool isProduct = isa<arith::MulFOp>(op), isQuotient = isa<arith::DivFOp>(op);
  bool isFunction =
      isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
  if (!type || encoding != Encoding::Bits ||
      !(isSum || isDifference || isProduct || isQuotient || isFunction))
    return refuseUnknown(op);
  Term defined = pool.boolean(true);
  for (Part part : in)
    defined = pool.andOf(defined, part.defined);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Term zero = ieee(APFloat::getZero(semantics));
  Term negativeZero = ieee(APFloat::getZero(semantics, /*Negative=*/true));
  Term one = ieee(APFloat::getOne(semantics));
  StringRef function = pool.intern(op->getName().getStringRef() + "_" +
                                   Twine(type.getIntOrFloatBitWidth()) + "_" +
                                   Twine(type.getFPMantissaWidth()));
  if (isFunction) {
    SmallVector<Term> arguments;
    for (Part part : in)
      arguments.push_back(part.value);
    out.push_back(
        {pool.uninterpreted(function, *getSort(element), arguments), defined});
    return success();
  }
  for (unsigned part = 0; part < parts; ++part) {
    Term x = in[part].value, y = in[parts + part].value;
    Term neutral = isSum ? negativeZero : isDifference ? zero : one;
    bool commutes = isSum || isProduct;
    Term result;
    if (y == neutral)
      result = x;
    else if (commutes && x == neutral)
      result = y;
    else {
      if (commutes && y.id < x.id)
        std::swap(x, y);
      result = pool.uninterpreted(function, *getSort(element), {x, y});
    }
    out.push_back({result, defined});
  }
  return success();
}
