//===- Emit.cpp - Small helpers to write kernels with ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::createConstant(ImplicitLocOpBuilder &b, TypedAttr value) {
  // To look further takes longer than to create one more.
  constexpr unsigned kNear = 32;
  Block::iterator op = b.getInsertionPoint(), begin = b.getBlock()->begin();
  for (unsigned i = 0; i < kNear && op != begin; ++i)
    if (auto constant = dyn_cast<arith::ConstantOp>(*--op))
      if (constant.getValueAttr() == value)
        return constant;
  return arith::ConstantOp::create(b, value);
}

Value mlir::scan::countRest(ImplicitLocOpBuilder &b, Value first, Value extent,
                            int64_t limit) {
  Value end = b.createOrFold<arith::MaxUIOp>(first, extent);
  Value rest = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::SubIOp>(end, first), indexConstant(b, limit));
  return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), rest);
}

Value mlir::scan::isBelow(ImplicitLocOpBuilder &b, int64_t number,
                          Value count) {
  return compare(b, arith::CmpIPredicate::sgt, count, i32Constant(b, number));
}

Value mlir::scan::createZero(ImplicitLocOpBuilder &b, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complexType.getElementType());
    return complex::ConstantOp::create(b, complexType,
                                       b.getArrayAttr({zero, zero}));
  }
  return createConstant(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

SmallVector<Value> mlir::scan::createZeros(ImplicitLocOpBuilder &b,
                                           TypeRange types) {
  return llvm::map_to_vector(types,
                             [&](Type type) { return createZero(b, type); });
}

SmallVector<Value> mlir::scan::createFor(
    ImplicitLocOpBuilder &b, Value lower, Value upper, Value step,
    ValueRange inits,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)>
        body) {
  auto loop = scf::ForOp::create(
      b, lower, upper, step, inits,
      [&](OpBuilder &builder, Location loc, Value index, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, body(inner, index, carried));
      });
  return SmallVector<Value>(loop.getResults());
}

void mlir::scan::createIf(ImplicitLocOpBuilder &b, Value condition,
                          function_ref<void(ImplicitLocOpBuilder &)> thenBody,
                          function_ref<void(ImplicitLocOpBuilder &)> elseBody) {
  if (!condition || matchPattern(condition, m_One()))
    return thenBody(b);
  if (matchPattern(condition, m_Zero()))
    return elseBody ? elseBody(b) : void();
  auto wrap = [](function_ref<void(ImplicitLocOpBuilder &)> body) {
    return [body](OpBuilder &builder, Location loc) {
      ImplicitLocOpBuilder inner(loc, builder);
      body(inner);
      scf::YieldOp::create(inner);
    };
  };
  auto thenBuilder = wrap(thenBody);
  if (!elseBody) {
    scf::IfOp::create(b, condition, thenBuilder);
    return;
  }
  auto elseBuilder = wrap(elseBody);
  scf::IfOp::create(b, condition, thenBuilder, elseBuilder);
}

SmallVector<Value> mlir::scan::createIfElse(
    ImplicitLocOpBuilder &b, Value condition,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> thenBody,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> elseBody) {
  if (!condition || matchPattern(condition, m_One()))
    return thenBody(b);
  if (matchPattern(condition, m_Zero()))
    return elseBody(b);
  auto wrap =
      [](function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> body) {
        return [body](OpBuilder &builder, Location loc) {
          ImplicitLocOpBuilder inner(loc, builder);
          scf::YieldOp::create(inner, body(inner));
        };
      };
  auto ifOp = scf::IfOp::create(b, condition, wrap(thenBody), wrap(elseBody));
  return SmallVector<Value>(ifOp.getResults());
}

SmallVector<Value> mlir::scan::createIfOrZeros(
    ImplicitLocOpBuilder &b, Value condition,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> body) {
  SmallVector<Type> types;
  return createIfElse(
      b, condition,
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> values = body(inner);
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) { return createZeros(inner, types); });
}
