//===- ElementTypes.h - Names of element types elsewhere ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_ELEMENTTYPES_H
#define MLIR_SCAN_PYTHON_ELEMENTTYPES_H

#include "DLPack.h"
#include "Scan-c/Signature.h"

#include <string_view>

namespace mlir_scan {

inline const char *getName(MlirScanElementType type) {
  return mlirScanElementTypeGetName(type).data;
}

/// None where there is no such type. Integers have no sign here.
MlirScanElementType fromDLPack(dlpack::DLDataType type);
dlpack::DLDataType toDLPack(MlirScanElementType type);

/// Of a format of Python's buffer protocol (module struct, with numpy's "Zf",
/// "Zd" and "?"), which may be null for bytes.
MlirScanElementType fromFormat(const char *format, int64_t itemSize);
/// Null for bf16, which has no format.
const char *toFormat(MlirScanElementType type);

/// Of the name of a dtype of numpy or ml_dtypes.
MlirScanElementType fromName(std::string_view name);

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_ELEMENTTYPES_H
