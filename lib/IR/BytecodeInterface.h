//===- BytecodeInterface.h - The dialect in bytecode ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_BYTECODEINTERFACE_H
#define SCAN_LIB_IR_BYTECODEINTERFACE_H

namespace mlir::scan {
class ScanDialect;
} // namespace mlir::scan

namespace mlir::scan::impl {

/// Gives bytecode files a version of the dialect (ScanDialectVersion), which is
/// compared when they are read.
void addBytecodeInterface(ScanDialect &dialect);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_BYTECODEINTERFACE_H
