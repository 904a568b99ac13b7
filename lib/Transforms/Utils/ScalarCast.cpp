//===- ScalarCast.cpp - Conversions between scalar types ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

Value scan::castScalar(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Type fromElement = cast<ComplexType>(from).getElementType();
    Value re = builder.createOrFold<complex::ReOp>(loc, fromElement, value);
    Value im = builder.createOrFold<complex::ImOp>(loc, fromElement, value);
    Type element = complexType.getElementType();
    return complex::CreateOp::create(builder, loc, type,
                                     castScalar(builder, loc, re, element),
                                     castScalar(builder, loc, im, element));
  }
  if (isa<FloatType>(type)) {
    unsigned fromWidth = from.getIntOrFloatBitWidth();
    unsigned width = type.getIntOrFloatBitWidth();
    if (fromWidth == width) // f16 and bf16: neither holds the other.
      return castScalar(builder, loc,
                        castScalar(builder, loc, value, builder.getF32Type()),
                        type);
    if (fromWidth < width)
      return builder.createOrFold<arith::ExtFOp>(loc, type, value);
    return builder.createOrFold<arith::TruncFOp>(loc, type, value);
  }
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
  return builder.createOrFold<arith::TruncIOp>(loc, type, value);
}

Value scan::createScalarConstant(OpBuilder &builder, Location loc, Type type,
                                 int64_t number) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Type element = complexType.getElementType();
    return complex::ConstantOp::create(
        builder, loc, type,
        builder.getArrayAttr(
            {builder.getFloatAttr(element, static_cast<double>(number)),
             builder.getFloatAttr(element, 0.0)}));
  }
  TypedAttr attr =
      isa<FloatType>(type)
          ? TypedAttr(builder.getFloatAttr(type, static_cast<double>(number)))
          : TypedAttr(builder.getIntegerAttr(type, number));
  return arith::ConstantOp::create(builder, loc, attr);
}
