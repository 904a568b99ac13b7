//===- OutputFiles.h - Files that appear whole or not at all ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TARGET_OUTPUTFILES_H
#define SCAN_TARGET_OUTPUTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::scan {

struct OutputFile {
  /// "-" is standard output.
  llvm::StringRef path;
  llvm::StringRef contents;
};

/// Writes all files, or none: each goes to a temporary file beside its path
/// first, and they are renamed once all of them are complete. What is no
/// regular file (standard output, a pipe, a device) is written in place, last.
/// The error names the path and the reason.
llvm::Error writeOutputFiles(llvm::ArrayRef<OutputFile> files);

} // namespace mlir::scan

#endif // SCAN_TARGET_OUTPUTFILES_H
