//===- TuningCache.h - Schedules that were measured -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that scan-tune writes and everything that chooses schedules reads;
// docs/tuning.md is its reference.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_TUNINGCACHE_H
#define SCAN_LIB_SCHEDULE_TUNINGCACHE_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace mlir::scan {

/// The schedule that was the fastest one for a kernel at some extents.
struct TuningEntry {
  /// As in the table of chips: "sm_90".
  std::string chip;
  /// What `getKernelHash` says.
  std::string kernel;
  /// The extent of the scan dimension, and the product of the others.
  int64_t steps = 0, batch = 0;
  /// The attribute's text: "#scan.schedule<strategy = row>".
  std::string schedule;
  double nanoseconds = 0;
  /// The product, and the date as YYYY-MM-DD.
  std::string gpu, date;
};

/// What ptxas said of a kernel under a schedule.
struct ResourceEntry {
  /// As in a TuningEntry.
  std::string chip, kernel, schedule;
  /// 32-bit registers of a thread, and bytes that it keeps in memory for want
  /// of more.
  int64_t registers = 0, spilledBytes = 0;
  /// Instructions of its code; 0 if the file does not say.
  int64_t instructions = 0;
};

class TuningCache {
public:
  /// The environment variable with the path of the file that is read where no
  /// option names one.
  static constexpr StringLiteral kEnvironmentVariable = "SCAN_TUNING";
  /// Of the format. Files of any other version are not read.
  static constexpr int64_t kVersion = 1;

  /// Reads a file. The error is one line, with the path.
  static llvm::Expected<TuningCache> load(StringRef path);

  /// The file at `path`, or, if that is empty, the one that the environment
  /// names; none if neither names one. A file that cannot be read is none, too:
  /// a warning of one line says why.
  static std::optional<TuningCache> open(StringRef path, MLIRContext *context);

  /// Writes the file, whole or not at all. The error is one line.
  llvm::Error save(StringRef path) const;

  /// Adds an entry, in place of the one for the same kernel, chip and extents.
  void add(TuningEntry entry);

  /// The same for what ptxas said, of a kernel, chip and schedule.
  void add(ResourceEntry entry);

  ArrayRef<TuningEntry> getEntries() const { return entries; }
  ArrayRef<ResourceEntry> getResources() const { return resources; }

  /// What ptxas said alone.
  TuningCache getWithoutTimes() const {
    TuningCache cache;
    cache.resources = resources;
    return cache;
  }

private:
  static llvm::Expected<TuningCache> parse(StringRef text);

  std::vector<TuningEntry> entries;
  std::vector<ResourceEntry> resources;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_TUNINGCACHE_H
