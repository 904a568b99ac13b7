//===- Emit.h - Small helpers to write kernels with -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_GPUCOMMON_EMIT_H
#define SCAN_LIB_CONVERSION_GPUCOMMON_EMIT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// A constant: one of those that were created just before in the same block, or
/// a new one. A third of what kernels consist of would be constants otherwise,
/// most of them a few numbers again and again.
Value createConstant(ImplicitLocOpBuilder &b, TypedAttr value);

inline Value indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return createConstant(b, b.getIndexAttr(value));
}
inline Value i32Constant(ImplicitLocOpBuilder &b, int32_t value) {
  return createConstant(b, b.getI32IntegerAttr(value));
}

/// `value + offset`, `value - offset` for a negative one.
inline Value addConstant(ImplicitLocOpBuilder &b, Value value, int64_t offset) {
  if (offset == 0)
    return value;
  if (offset < 0)
    // The least of all numbers is its own negative.
    return b.createOrFold<arith::SubIOp>(
        value, indexConstant(b, 0 - uint64_t(offset)));
  return b.createOrFold<arith::AddIOp>(value, indexConstant(b, offset));
}

inline Value mulConstant(ImplicitLocOpBuilder &b, Value value, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(value, indexConstant(b, factor));
}

inline Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}

inline Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, int64_t rhs) {
  return compare(b, predicate, lhs, indexConstant(b, rhs));
}

/// How many of the `limit` numbers from `first` on are below `extent`, all of
/// them unsigned: an i32, to be compared with constants by one instruction each
/// and kept in one register, other than 64-bit numbers.
Value countRest(ImplicitLocOpBuilder &b, Value first, Value extent,
                int64_t limit);
/// i1: whether `number` is below such a count.
Value isBelow(ImplicitLocOpBuilder &b, int64_t number, Value count);

/// i1 constants, and the opposite of an i1.
inline Value boolConstant(ImplicitLocOpBuilder &b, bool value) {
  return createConstant(b, b.getBoolAttr(value));
}
inline Value createNot(ImplicitLocOpBuilder &b, Value condition) {
  return arith::XOrIOp::create(b, condition, boolConstant(b, true));
}

/// Whether both hold, of which either may be null: it then always does.
inline Value createAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return b.createOrFold<arith::AndIOp>(lhs, rhs);
}

/// A zero of a supported element type or of a vector of numbers, and one of
/// each of `types`.
Value createZero(ImplicitLocOpBuilder &b, Type type);
SmallVector<Value> createZeros(ImplicitLocOpBuilder &b, TypeRange types);

/// An scf.for from `lower` to `upper` that carries `inits`; `body` gets the
/// induction variable and the carried values and returns the next ones.
SmallVector<Value> createFor(
    ImplicitLocOpBuilder &b, Value lower, Value upper, Value step,
    ValueRange inits,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)>
        body);

/// An scf.if without results; with a null condition, what `thenBody` creates,
/// and with a constant, only the body that it chooses.
void createIf(ImplicitLocOpBuilder &b, Value condition,
              function_ref<void(ImplicitLocOpBuilder &)> thenBody,
              function_ref<void(ImplicitLocOpBuilder &)> elseBody = {});

/// An scf.if with results: those of either body, which have the same types;
/// with a null condition, those of `thenBody`.
SmallVector<Value>
createIfElse(ImplicitLocOpBuilder &b, Value condition,
             function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> thenBody,
             function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> elseBody);

/// What `body` returns, or zeros where `condition` does not hold.
SmallVector<Value>
createIfOrZeros(ImplicitLocOpBuilder &b, Value condition,
                function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> body);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_GPUCOMMON_EMIT_H
