//===- Kernels.h - Kernels that are still to be compiled ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_KERNELS_H
#define MLIR_SCAN_PYTHON_KERNELS_H

#include "Support.h"

namespace mlir_scan {

/// The kernels of a program, each of which is compiled when it is asked for.
class Kernels {
public:
  /// Takes over `handle`.
  explicit Kernels(MlirScanKernels handle) : handle(handle) {}
  ~Kernels() { mlirScanKernelsDestroy(handle); }
  Kernels(const Kernels &) = delete;

  std::string manifest() const {
    return toString(mlirScanKernelsGetManifest(handle));
  }
  std::vector<std::string> names() const;
  std::string compile(std::string_view name) const;

  /// For caches: what `read` makes the same of. Raises CompileError for others.
  nb::bytes write() const;
  static std::unique_ptr<Kernels> read(nb::bytes bytes);

private:
  MlirScanKernels handle;
};

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_KERNELS_H
