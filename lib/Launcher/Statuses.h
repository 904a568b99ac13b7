//===- Statuses.h - What kernels found wrong --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels write what is wrong with segment offsets into words that are the
// host's memory as well, so that looking at them takes neither a copy nor
// waiting. docs/manifest.md says what the words mean.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_STATUSES_H
#define SCAN_LIB_LAUNCHER_STATUSES_H

#include "ManifestReader.h"
#include <mutex>

namespace mlir::scan::launcher {

/// The statuses of one function, which all of its calls share.
class Statuses {
public:
  Statuses() = default;
  Statuses(const Statuses &) = delete;
  Statuses &operator=(const Statuses &) = delete;

  /// Allocates the words, zero, where the function has statuses. The context of
  /// `device` has to be current.
  Status allocate(const Device &device, const FunctionDescription &function);
  /// With the context current.
  void free(const Device &device);

  /// The address of status number `number` for kernels.
  DevicePointer getAddress(size_t number) const;

  /// Fails with what the kernels that are done have found since the last time,
  /// which is then forgotten.
  Status check() { return words ? look() : Status::success(); }

private:
  Status look();

  const FunctionDescription *function = nullptr;
  uint64_t *words = nullptr;
  DevicePointer address = 0;
  std::mutex mutex;
  /// Whether the words of each were written in part when last looked at.
  std::vector<bool> wasPartial;
};

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_STATUSES_H
