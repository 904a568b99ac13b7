//===- Scan-c/Signature.h - Types of arrays and functions ---------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_SIGNATURE_H
#define SCAN_C_SIGNATURE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an array consists of, and how an element is held in memory: in the
/// machine's byte order, in as many bytes as its width says. One of the
/// constants below; anything else is refused.
typedef int32_t MlirScanElementType;
enum {
  /// None: no type, or one that has no place in an array.
  MlirScanElementTypeNone = 0,
  /// One byte, 0 or 1; any other value is an error.
  MlirScanElementTypeI1,
  MlirScanElementTypeI8,
  MlirScanElementTypeI16,
  MlirScanElementTypeI32,
  MlirScanElementTypeI64,
  /// Eight bytes.
  MlirScanElementTypeIndex,
  MlirScanElementTypeF16,
  /// The upper half of an f32.
  MlirScanElementTypeBF16,
  MlirScanElementTypeF32,
  MlirScanElementTypeF64,
  /// Two f32: real and imaginary part.
  MlirScanElementTypeComplexF32,
  /// Two f64: real and imaginary part.
  MlirScanElementTypeComplexF64
};

/// The bytes of an element; 0 for what is not in the list.
MLIR_CAPI_EXPORTED size_t
mlirScanElementTypeGetSize(MlirScanElementType elementType);

/// As MLIR writes it: "f32", "complex<f64>"; "none" for what is not in the
/// list. Terminated; lives as long as the library.
MLIR_CAPI_EXPORTED MlirStringRef
mlirScanElementTypeGetName(MlirScanElementType elementType);

/// The type of that name; none if there is no such type.
MLIR_CAPI_EXPORTED MlirScanElementType
mlirScanElementTypeFromName(MlirStringRef name);

/// Which strides the tensor arguments of a compiled function may have. One of
/// the constants below; anything else is refused.
typedef int32_t MlirScanStridedArguments;
enum {
  /// Dense and row-major.
  MlirScanStridedArgumentsNone = 0,
  /// Any but for the innermost dimension, which is contiguous: code for these
  /// can read several elements at a time, as for dense arguments.
  MlirScanStridedArgumentsOuter,
  /// Any.
  MlirScanStridedArgumentsAny
};

/// The extent of a dimension that is known only at run time: `?` in a type.
#define MLIR_SCAN_DYNAMIC INT64_MIN

/// The type of an argument or result.
typedef struct MlirScanArrayType {
  MlirScanElementType elementType;
  /// The number of dimensions; -1 if there is no such argument or result.
  int64_t rank;
  /// `rank` extents, each 0 or more, or MLIR_SCAN_DYNAMIC. Owned by the
  /// signature.
  const int64_t *shape;
  /// Whether the function takes or returns a number rather than a tensor: the
  /// rank is 0, and an array of rank 0 is passed.
  bool isScalar;
} MlirScanArrayType;

/// The types of the arguments and results of a function.
typedef struct MlirScanSignature {
  const void *ptr;
} MlirScanSignature;

/// The signature of the function of that name, which has a body and takes and
/// returns ranked tensors and scalars. It belongs to the caller
/// (mlirScanSignatureDestroy) and does not depend on the module any more. Null
/// after an error, which names the functions that there are.
MLIR_CAPI_EXPORTED MlirScanSignature
mlirScanSignatureGet(MlirModule module, MlirStringRef function);

/// Whether there was an error.
static inline bool mlirScanSignatureIsNull(MlirScanSignature signature) {
  return !signature.ptr;
}

/// Destroys what mlirScanSignatureGet returned. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanSignatureDestroy(MlirScanSignature signature);

/// How many arrays the function takes; -1 for null.
MLIR_CAPI_EXPORTED intptr_t
mlirScanSignatureGetNumInputs(MlirScanSignature signature);

/// How many arrays the function returns; -1 for null.
MLIR_CAPI_EXPORTED intptr_t
mlirScanSignatureGetNumOutputs(MlirScanSignature signature);

/// The type of an argument, counted from 0.
MLIR_CAPI_EXPORTED MlirScanArrayType
mlirScanSignatureGetInput(MlirScanSignature signature, intptr_t index);

/// The type of a result, counted from 0.
MLIR_CAPI_EXPORTED MlirScanArrayType
mlirScanSignatureGetOutput(MlirScanSignature signature, intptr_t index);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_SIGNATURE_H
