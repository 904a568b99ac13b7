//===- Buffers.h - Arrays of the caller -------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CAPI_BUFFERS_H
#define SCAN_LIB_CAPI_BUFFERS_H

#include "Scan-c/Execution.h"
#include "Signature.h"

namespace mlir::scan::capi {

/// Arrays that were found to be what the inputs or outputs of a function are.
struct Buffers {
  SmallVector<ArrayView> views;
  /// First and last byte of each, the latter exclusive; equal if there are
  /// none.
  SmallVector<std::pair<uintptr_t, uintptr_t>> ranges;
};

/// Checks arrays of the caller against the inputs or outputs of a function, of
/// which errors, at `location`, speak.
class BufferChecker {
public:
  BufferChecker(Location location, const Signature &signature)
      : location(location), signature(signature) {}

  /// Number, element types, ranks, extents as far as they are known, addresses,
  /// strides, and the values of each i1.
  FailureOr<Buffers> checkInputs(intptr_t count, const MlirScanBuffer *buffers);
  /// The same without the values; no two elements may be the same memory, nor
  /// that of an input.
  FailureOr<Buffers> checkOutputs(intptr_t count, const MlirScanBuffer *buffers,
                                  const Buffers &inputs);
  /// Checks that outputs have the shapes of the results.
  LogicalResult checkResults(ArrayRef<ArrayView> results,
                             const Buffers &outputs);
  /// Starts an error about an input or output.
  InFlightDiagnostic emit(StringRef kind, size_t index);

private:
  LogicalResult emitTooLarge(StringRef kind, size_t index);
  FailureOr<Buffers> check(StringRef kind, ArrayRef<ArrayType> types,
                           intptr_t count, const MlirScanBuffer *buffers);
  LogicalResult checkType(StringRef kind, size_t index, const ArrayType &type,
                          const MlirScanBuffer &buffer);
  LogicalResult checkMemory(StringRef kind, size_t index, ArrayView &view,
                            std::pair<uintptr_t, uintptr_t> &range);
  LogicalResult checkFlags(size_t index, const ArrayView &view);
  LogicalResult checkDistinct(size_t index, const ArrayView &view);

  Location location;
  const Signature &signature;
};

/// Whether code that was compiled for these strides can read `view` where it
/// is.
bool isUsableInPlace(const ArrayView &view, StridedArguments stridedArguments);

} // namespace mlir::scan::capi

#endif // SCAN_LIB_CAPI_BUFFERS_H
