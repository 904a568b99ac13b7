//===- Interpreter.h - The reference interpreter ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates tensor programs directly, scans as the left fold that their
// description defines. It shares no code with any lowering: what the lowerings
// compute is compared with it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_REFERENCE_INTERPRETER_H
#define SCAN_REFERENCE_INTERPRETER_H

#include "Scan/Reference/HostArray.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::scan {

/// Calls the function `entry` of `module` with `inputs`, one per parameter, and
/// returns its results.
///
/// Numbers: `f32` and `f64` arithmetic is done in that type, transcendental
/// functions of `f32` and narrower types in `f64` and then rounded once. The
/// result of each operation on `f16` or `bf16` is rounded to that type, except
/// in the combine region of a scan: there, and in the state that the scan
/// carries, values are held in the accumulator type, and each output is rounded
/// once. A `compensated` sum is exact, and each output is rounded once.
/// Integers wrap around.
///
/// Every failure is a diagnostic at the operation that could not be evaluated:
/// an unsupported operation or type, operands whose extents do not fit together
/// at run time, an index out of bounds, an integer division by zero, a shift by
/// the bit width or more, a conversion to an integer that cannot hold the
/// value, calls that nest too deeply, arrays that exceed `getMemoryLimit()`.
FailureOr<SmallVector<HostArray>> interpret(ModuleOp module, StringRef entry,
                                            ArrayRef<HostArray> inputs);

} // namespace mlir::scan

#endif // SCAN_REFERENCE_INTERPRETER_H
