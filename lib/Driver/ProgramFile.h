//===- ProgramFile.h - Files with programs, text or bytecode ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_PROGRAMFILE_H
#define SCAN_LIB_DRIVER_PROGRAMFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::scan {

/// Reads the file at `path`, where "-" is standard input, to be parsed. The
/// error is one line, with the path.
///
/// MLIR's reader of bytecode takes its input on trust: a damaged file may make
/// it read or write anywhere. Bytecode is therefore read once in a child
/// process before it is returned, and what ends that process is an error here.
/// To be called before the process has threads. That protects from accidents,
/// not from attacks.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readProgramFile(StringRef path, const DialectRegistry &registry);

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_PROGRAMFILE_H
