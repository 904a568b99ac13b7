//===- OutputFiles.h - Files that appear whole or not at all ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_OUTPUTFILES_H
#define SCAN_LIB_TARGET_OUTPUTFILES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::scan {

struct OutputFile {
  /// "-" is standard output.
  llvm::StringRef path;
  llvm::StringRef contents;
};

/// Fails if two of `outputs` are one file, or if one of them is one of
/// `inputs`: by what they are and not by their names (./k and k, links).
/// Standard output takes one of them; other pipes and devices take any number.
llvm::Error checkOutputPaths(llvm::ArrayRef<llvm::StringRef> outputs,
                             llvm::ArrayRef<llvm::StringRef> inputs);

/// Writes the report of a pass on a program, which is no output of it: fails
/// likewise if `output` is the file that `program` says it was read from.
llvm::Error writeReport(llvm::StringRef output, llvm::StringRef text,
                        Location program);

/// Writes all files, or none: each goes to a temporary file beside its path
/// first, and they are renamed once all of them are complete. What is no
/// regular file (standard output, a pipe, a device) is written in place, last.
/// The error names the path and the reason.
llvm::Error writeOutputFiles(llvm::ArrayRef<OutputFile> files);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_OUTPUTFILES_H
