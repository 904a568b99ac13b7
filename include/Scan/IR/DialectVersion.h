//===- DialectVersion.h - What bytecode says about the dialect --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_DIALECTVERSION_H
#define SCAN_IR_DIALECTVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/DialectImplementation.h"

namespace mlir::scan {

/// The version of the dialect that a bytecode file was written with. Bytecode
/// stores operands, properties and regions by position, so every change of an
/// op changes the format:
///
///   * a change that files of older versions can be read after (a new op, a new
///     value of an enumeration, an upgrade in `upgradeFromVersion`) raises
///     `kMinor`;
///   * any other raises `kMajor` and sets `kMinor` to 0.
///
/// Attributes of the dialect are stored as text, so that a new parameter with a
/// default is no change of the second kind.
///
/// Files of the same major and of no newer minor version can be read, and files
/// that say no version, which is what was written before there was one.
struct ScanDialectVersion : public DialectVersion {
  static constexpr uint64_t kMajor = 6;
  static constexpr uint64_t kMinor = 4;

  ScanDialectVersion() = default;
  ScanDialectVersion(uint64_t major, uint64_t minor)
      : major(major), minor(minor) {}

  uint64_t major = kMajor;
  uint64_t minor = kMinor;
};

} // namespace mlir::scan

#endif // SCAN_IR_DIALECTVERSION_H
