//===- ScalarCast.h - Conversions between scalar types ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_UTILS_SCALARCAST_H
#define SCAN_LIB_TRANSFORMS_UTILS_SCALARCAST_H

#include "mlir/IR/Builders.h"

namespace mlir::scan {

/// `value` as a `type` of the same kind (integer, floating-point, complex):
/// extended (integers by their sign) or truncated as the widths demand, itself
/// if the types are equal.
Value castScalar(OpBuilder &builder, Location loc, Value value, Type type);

/// The constant `number` of the scalar `type` (complex: with imaginary part 0).
Value createScalarConstant(OpBuilder &builder, Location loc, Type type,
                           int64_t number);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_UTILS_SCALARCAST_H
