//===- OffsetsCheck.h - Checks of segment offsets in kernels ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a GPU cannot stop the program where segment offsets are none. It
// writes what it has found into a *status*, three words of 64 bits that are
// zero as long as all is well, which the launcher looks at later. With i the
// number of the first offset that is wrong, the words are
//
//   (2^32 - 1 - min(i, 2^32 - 2)) * 2^32  +  the low 32 bits of a number,
//
// the numbers being offset i, offset i - 1 (0 for the first; 1 where there are
// no offsets at all) and the extent of the scan dimension, each brought into
// the range of i32. Threads write by atomic maxima, so that the least i remains
// in all three, whatever the order of the threads. docs/manifest.md has the
// same for launchers.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_OFFSETSCHECK_H
#define SCAN_LIB_IR_OFFSETSCHECK_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::scan {

/// The mark of a scan.head_flags, and of a scan.kernel that reads segment
/// offsets, whose offsets kernels are to check: the scanned dimension as the
/// user numbers it, an integer.
inline constexpr StringLiteral checkOffsetsAttrName = "scan.check_offsets";

/// The mark of a scan.head_flags whose offsets are those of a scan, as a unit:
/// they begin with 0, and end with the number of steps. Otherwise results are
/// unspecified, and no access is out of bounds.
inline constexpr StringLiteral coversStepsAttrName = "scan.covers_steps";

/// The mark of the memref.alloc that is a status: a dictionary of `dim`, as
/// above, and of `argument`, the number of the function's argument that the
/// offsets are, without which the function computes them.
inline constexpr StringLiteral statusAttrName = "scan.status";

/// The mark of the loop of createOffsetsCheck, of which one thread does what
/// concerns the offsets of its number.
inline constexpr StringLiteral offsetsLoopAttrName = "scan.offsets_loop";

/// What a program says that stops at offsets that are none, where dimension
/// `dim` is scanned.
std::string describeOffsetsError(int64_t dim);

/// How many words of 64 bits a status has.
inline constexpr int64_t kStatusWords = 3;

/// Makes the status of a check of `offsets`, a tensor or memref of the function
/// around; `dim` is what the mark says. Its contents are not set:
/// --convert-scan-to-gpu clears it.
memref::AllocOp createStatus(OpBuilder &builder, Location loc, Value offsets,
                             Attribute dim);

/// Whether `value` is a status.
bool isStatus(Value value);

/// What is checked. All numbers are indices.
struct OffsetsCheck {
  /// Offset number `number`; it is asked for no number that is out of bounds.
  function_ref<Value(OpBuilder &, Value number)> load;
  /// How many offsets there are, and how many steps.
  Value count, extent;
  /// Which offsets: number `first`, and every `stride`th from there on.
  Value first, stride;
  /// A memref of kStatusWords numbers of type i64.
  Value status;
};

/// Reports offsets that do not start with 0, decrease, do not end with the
/// extent, or are none at all. Each offset is read once for itself and once for
/// the next one.
scf::ForOp createOffsetsCheck(OpBuilder &builder, Location loc,
                              const OffsetsCheck &check);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_OFFSETSCHECK_H
