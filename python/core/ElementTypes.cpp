//===- ElementTypes.cpp - Names of element types elsewhere ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

using namespace mlir_scan;
using namespace mlir_scan::dlpack;

static MlirScanElementType getInteger(int64_t bits) {
  switch (bits) {
  case 8:
    return MlirScanElementTypeI8;
  case 16:
    return MlirScanElementTypeI16;
  case 32:
    return MlirScanElementTypeI32;
  case 64:
    return MlirScanElementTypeI64;
  default:
    return MlirScanElementTypeNone;
  }
}

static MlirScanElementType getFloat(int64_t bits) {
  switch (bits) {
  case 16:
    return MlirScanElementTypeF16;
  case 32:
    return MlirScanElementTypeF32;
  case 64:
    return MlirScanElementTypeF64;
  default:
    return MlirScanElementTypeNone;
  }
}

static MlirScanElementType getComplex(int64_t bits) {
  switch (bits) {
  case 64:
    return MlirScanElementTypeComplexF32;
  case 128:
    return MlirScanElementTypeComplexF64;
  default:
    return MlirScanElementTypeNone;
  }
}

MlirScanElementType mlir_scan::fromDLPack(DLDataType type) {
  if (type.lanes != 1)
    return MlirScanElementTypeNone;
  switch (type.code) {
  case kDLInt:
  case kDLUInt:
    return getInteger(type.bits);
  case kDLFloat:
    return getFloat(type.bits);
  case kDLBfloat:
    return type.bits == 16 ? MlirScanElementTypeBF16 : MlirScanElementTypeNone;
  case kDLComplex:
    return getComplex(type.bits);
  case kDLBool:
    return type.bits == 8 ? MlirScanElementTypeI1 : MlirScanElementTypeNone;
  default:
    return MlirScanElementTypeNone;
  }
}

DLDataType mlir_scan::toDLPack(MlirScanElementType type) {
  uint8_t bits = 8 * mlirScanElementTypeGetSize(type);
  switch (type) {
  case MlirScanElementTypeI1:
    return {kDLBool, bits, 1};
  case MlirScanElementTypeF16:
  case MlirScanElementTypeF32:
  case MlirScanElementTypeF64:
    return {kDLFloat, bits, 1};
  case MlirScanElementTypeBF16:
    return {kDLBfloat, bits, 1};
  case MlirScanElementTypeComplexF32:
  case MlirScanElementTypeComplexF64:
    return {kDLComplex, bits, 1};
  default:
    return {kDLInt, bits, 1};
  }
}

MlirScanElementType mlir_scan::fromFormat(const char *format,
                                          int64_t itemSize) {
  std::string_view code = format ? format : "B";
  // Sizes in the machine's order; all that matters is what `itemSize` says.
  if (!code.empty() && (code[0] == '@' || code[0] == '=' || code[0] == '<'))
    code.remove_prefix(1);
  if (code.size() == 2 && code[0] == 'Z')
    return getComplex(8 * itemSize);
  if (code.size() != 1)
    return MlirScanElementTypeNone;
  switch (code[0]) {
  case '?':
    return itemSize == 1 ? MlirScanElementTypeI1 : MlirScanElementTypeNone;
  case 'b':
  case 'B':
  case 'h':
  case 'H':
  case 'i':
  case 'I':
  case 'l':
  case 'L':
  case 'q':
  case 'Q':
  case 'n':
  case 'N':
    return getInteger(8 * itemSize);
  case 'e':
  case 'f':
  case 'd':
    return getFloat(8 * itemSize);
  default:
    return MlirScanElementTypeNone;
  }
}

const char *mlir_scan::toFormat(MlirScanElementType type) {
  switch (type) {
  case MlirScanElementTypeI1:
    return "?";
  case MlirScanElementTypeI8:
    return "b";
  case MlirScanElementTypeI16:
    return "h";
  case MlirScanElementTypeI32:
    return "i";
  case MlirScanElementTypeI64:
  case MlirScanElementTypeIndex:
    return "l";
  case MlirScanElementTypeF16:
    return "e";
  case MlirScanElementTypeF32:
    return "f";
  case MlirScanElementTypeF64:
    return "d";
  case MlirScanElementTypeComplexF32:
    return "Zf";
  case MlirScanElementTypeComplexF64:
    return "Zd";
  default:
    return nullptr;
  }
}

MlirScanElementType mlir_scan::fromName(std::string_view name) {
  if (name == "bfloat16")
    return MlirScanElementTypeBF16;
  return MlirScanElementTypeNone;
}
