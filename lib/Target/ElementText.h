//===- ElementText.h - Types and constants of a manifest --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_ELEMENTTEXT_H
#define SCAN_LIB_TARGET_ELEMENTTEXT_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::scan {

std::string getElementName(Type type);

/// What the type is called in C23 (with the compilers' __bf16).
std::string getCType(Type type);

/// Appends the bytes of a constant, little-endian, as hexadecimal digits. Fails
/// for attributes that are no number.
LogicalResult appendHex(Attribute value, std::string &hex);

/// The bytes of a constant buffer; fails for element types without numbers.
LogicalResult appendElementsHex(Attribute value, std::string &hex);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_ELEMENTTEXT_H
