//===- TuneDriver.h - Measures schedules ------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scan-tune does, as a library.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TUNE_TUNEDRIVER_H
#define SCAN_LIB_TUNE_TUNEDRIVER_H

#include "Driver/RemarkOptions.h"
#include "Scan/Pipelines/MaxStateBytes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::scan {

struct TuneOptions {
  /// The program; "-" is standard input.
  std::string program;
  /// The function to measure; empty: the only public one.
  std::string entry;
  /// Each "arg0_d0=8", or "arg0_d1=2048:65536": 2048, 4096, ..., 65536.
  std::vector<std::string> extents;
  /// The chip to compile for; "native": that of this machine's GPU.
  std::string chip = "native";
  /// The tuning cache that the winners are added to.
  std::string output;
  /// The seconds that measuring may take.
  unsigned budget = 60;
  /// List what would be measured instead; no GPU is needed.
  bool dryRun = false;
  /// Note what ptxas says of the schedules that are chosen instead (see
  /// `noteResources`); no GPU is needed.
  bool ptxas = false;
  /// FusionOptions::maxStateBytes.
  int64_t maxStateBytes = kDefaultMaxStateBytes;
  /// The remarks of passes that are written to `err`.
  RemarkFilters remarks;
};

/// Measures the schedules of the scans in a function on this machine's first
/// GPU, and writes which were the fastest. What is being measured, and errors,
/// are written to `err`, and what --dry-run lists to `out`.
LogicalResult runTune(const TuneOptions &options,
                      const DialectRegistry &registry, llvm::raw_ostream &out,
                      llvm::raw_ostream &err);

} // namespace mlir::scan

#endif // SCAN_LIB_TUNE_TUNEDRIVER_H
