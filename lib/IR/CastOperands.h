//===- CastOperands.h - Operands behind casts -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_CASTOPERANDS_H
#define SCAN_LIB_IR_CASTOPERANDS_H

#include "IndexedScan.h"

namespace mlir::scan::impl {

/// What `value` casts, if it is a cast of a tensor or of a memref that hides
/// static extents (or strides); null otherwise. A cast that adds some cannot be
/// read through: what it adds may be what the verifier asks for.
Value getHiddenBehindCast(Value value);

/// Replaces entries of `operands`, the operands of `scan`, that are casts by
/// what these cast, where that says more static extents. Casts stay that hide
/// what the program stops at when it runs: extents that contradict each other,
/// and extents of 1 where 1 would stand for a broadcast. Returns whether
/// anything was replaced.
bool readThroughCasts(const IndexedScan &scan, MutableArrayRef<Value> operands);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_CASTOPERANDS_H
