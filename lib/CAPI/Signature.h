//===- Signature.h - Types of arrays and functions --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CAPI_SIGNATURE_H
#define SCAN_LIB_CAPI_SIGNATURE_H

#include "Scan-c/Signature.h"
#include "Scan/Execution/HostCall.h"
#include "Support.h"

namespace mlir::scan::capi {

/// The type of an argument or result, in the forms of both languages. Nothing
/// in it is looked up in the context later: runs may happen on any thread.
struct ArrayType {
  Type elementType;
  MlirScanElementType cElementType = MlirScanElementTypeNone;
  /// Dynamic extents are MLIR_SCAN_DYNAMIC.
  SmallVector<int64_t> shape;
  bool isScalar = false;

  MlirScanArrayType get() const;
};

/// A function's name and types.
struct Signature {
  std::string name;
  SmallVector<ArrayType> inputs, outputs;

  /// The signature of the function `name` of `module`. Emits an error if there
  /// is none or if a type has no counterpart in C.
  static FailureOr<Signature> get(ModuleOp module, StringRef name);
  static FailureOr<Signature> get(const HostCall &call);
};

/// "4x?xf32", or "f32" for a scalar: for messages.
std::string describe(MlirScanElementType elementType, ArrayRef<int64_t> shape);

} // namespace mlir::scan::capi

DEFINE_C_API_PTR_METHODS(MlirScanSignature, const mlir::scan::capi::Signature)

#endif // SCAN_LIB_CAPI_SIGNATURE_H
