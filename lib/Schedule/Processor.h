//===- Processor.h - What was measured of a CPU -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_PROCESSOR_H
#define SCAN_LIB_SCHEDULE_PROCESSOR_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::scan {

/// A machine with one or several cores.
struct Processor {
  std::string name, date;
  int64_t vectorBits, cores;
  /// Bytes in plus bytes out that a copy moves, per nanosecond (GB/s): of one
  /// core and of all, in memory and in the last-level cache.
  double coreBandwidth, bandwidth, coreCacheBandwidth, cacheBandwidth;
  int64_t cacheBytes; ///< Of the last-level cache.
  /// Arithmetic instructions on vectors that a core executes per nanosecond.
  double vectorRate;

  /// The machine that times are predicted for if no other is named.
  static const Processor &getDefault();
  /// Reads a description as benchmark/cpu/machine.py writes it.
  static llvm::Expected<Processor> parseFile(StringRef path);
  /// Prints the attributes of such a description.
  void print(llvm::json::OStream &json) const;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_PROCESSOR_H
