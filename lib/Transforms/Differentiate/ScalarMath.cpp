//===- ScalarMath.cpp - Arithmetic on real and complex scalars ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarMath.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

bool differentiate::isDifferentiable(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type)) &&
         (!isa<ShapedType>(type) || isa<RankedTensorType>(type));
}

Type differentiate::getSumType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

bool differentiate::isConstantOne(Value value) {
  if (matchPattern(value, m_OneFloat()))
    return true;
  auto constant = value.getDefiningOp<complex::ConstantOp>();
  if (!constant)
    return false;
  auto re = dyn_cast<FloatAttr>(constant.getValue()[0]);
  auto im = dyn_cast<FloatAttr>(constant.getValue()[1]);
  return re && im && re.getValueAsDouble() == 1.0 &&
         im.getValueAsDouble() == 0.0;
}

bool differentiate::isFiniteConstant(Value value) {
  if (auto constant = value.getDefiningOp<complex::ConstantOp>())
    return llvm::all_of(constant.getValue(), [](Attribute part) {
      auto number = dyn_cast<FloatAttr>(part);
      return number && number.getValue().isFinite();
    });
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) && number &&
         number.getValue().isFinite();
}

Value ScalarMath::constant(Type type, double number) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Type part = complexType.getElementType();
    return complex::ConstantOp::create(
        builder, loc, type,
        builder.getArrayAttr({builder.getFloatAttr(part, number),
                              builder.getFloatAttr(part, 0.0)}));
  }
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, number));
}

Value ScalarMath::add(Value a, Value b) {
  if (isa<ComplexType>(a.getType()))
    return complex::AddOp::create(builder, loc, a, b);
  return arith::AddFOp::create(builder, loc, a, b);
}

Value ScalarMath::addTerm(Value sum, Value term) {
  constexpr auto anyOrder = arith::FastMathFlags::reassoc;
  if (isa<ComplexType>(sum.getType()))
    return complex::AddOp::create(builder, loc, sum, term, anyOrder);
  return arith::AddFOp::create(builder, loc, sum, term, anyOrder);
}

Value ScalarMath::sub(Value a, Value b) {
  if (isa<ComplexType>(a.getType()))
    return complex::SubOp::create(builder, loc, a, b);
  return arith::SubFOp::create(builder, loc, a, b);
}

Value ScalarMath::mul(Value a, Value b) {
  if (isConstantOne(a))
    return b;
  if (isConstantOne(b))
    return a;
  if (isa<ComplexType>(a.getType()))
    return complex::MulOp::create(builder, loc, a, b);
  return arith::MulFOp::create(builder, loc, a, b);
}

Value ScalarMath::div(Value a, Value b) {
  if (isConstantOne(b))
    return a;
  if (isa<ComplexType>(a.getType()))
    return complex::DivOp::create(builder, loc, a, b);
  return arith::DivFOp::create(builder, loc, a, b);
}

Value ScalarMath::neg(Value a) {
  if (isa<ComplexType>(a.getType()))
    return complex::NegOp::create(builder, loc, a);
  return arith::NegFOp::create(builder, loc, a);
}

Value ScalarMath::conj(Value a) {
  if (isa<ComplexType>(a.getType()) && !isConstantOne(a))
    return complex::ConjOp::create(builder, loc, a);
  return a;
}

Value ScalarMath::scale(double number, Value a) {
  return mul(constant(a.getType(), number), a);
}

Value ScalarMath::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value ScalarMath::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value ScalarMath::isZero(Value a) {
  Value zero = constant(a.getType(), 0.0);
  if (isa<ComplexType>(a.getType()))
    return complex::EqualOp::create(builder, loc, a, zero);
  return compare(arith::CmpFPredicate::OEQ, a, zero);
}

Value ScalarMath::isNaN(Value a) {
  if (isa<ComplexType>(a.getType()))
    return complex::NotEqualOp::create(builder, loc, a, a);
  return compare(arith::CmpFPredicate::UNO, a, a);
}
