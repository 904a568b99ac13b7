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
///
/// Files of a former minor version are written where that is asked for
/// (`BytecodeWriterConfig::setDialectVersion<ScanDialect>`). What it does not
/// know may be left out only where the file means a special case of the
/// program: before version 6.3 recurrences are `sequential`, as every order
/// allows. verifyBytecodeVersion looks for all else.
struct ScanDialectVersion : public DialectVersion {
  static constexpr uint64_t kMajor = 6;
  static constexpr uint64_t kMinor = 4;

  ScanDialectVersion() = default;
  ScanDialectVersion(uint64_t major, uint64_t minor)
      : major(major), minor(minor) {}

  uint64_t major = kMajor;
  uint64_t minor = kMinor;
};

/// Fails with an error at each operation in `top` that has an attribute which
/// `version` does not know, and which it cannot do without: `gathers` of
/// scan.kernel before 6.4.
///
/// MLIR's bytecode writer gives dialects no way to fail. So whoever has it
/// write a former version is to call this first. Otherwise the errors come from
/// the writer, twice, which writes a file that no version reads. (MLIR's
/// formats before 5 have attributes by name, without asking dialects: there it
/// writes a file that former versions take for another program.)
LogicalResult verifyBytecodeVersion(Operation *top,
                                    const ScanDialectVersion &version);

} // namespace mlir::scan

#endif // SCAN_IR_DIALECTVERSION_H
