//===- Executable.h - Compiled functions ----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_EXECUTABLE_H
#define MLIR_SCAN_PYTHON_EXECUTABLE_H

#include "Results.h"
#include "Support.h"

namespace mlir_scan {

/// The type of an input or output.
struct ArrayType {
  explicit ArrayType(const MlirScanArrayType &type);

  std::string describe() const;

  MlirScanElementType element;
  /// MLIR_SCAN_DYNAMIC where the extent is known only at run time.
  std::vector<int64_t> shape;
  bool isScalar;
};

struct Signature {
  Signature() = default;
  explicit Signature(MlirScanSignature signature);

  std::vector<ArrayType> inputs, outputs;
};

class Executable {
public:
  /// Takes over `handle`.
  Executable(std::shared_ptr<Context> context, MlirScanExecutable handle,
             std::string function, std::string target);
  ~Executable();
  Executable(const Executable &) = delete;

  /// Runs over `count` Python objects. Called with the GIL, which is released
  /// while the function runs.
  std::shared_ptr<ResultSet> run(PyObject *const *arguments, size_t count);

  /// Machine code, which `read` takes.
  nb::bytes write();
  static std::unique_ptr<Executable> read(nb::bytes bytes);

  const std::string &getFunction() const { return function; }
  const std::string &getTarget() const { return target; }
  const Signature &getSignature() const { return signature; }
  uintptr_t getHandle() const {
    return reinterpret_cast<uintptr_t>(handle.ptr);
  }

private:
  std::shared_ptr<Context> context;
  MlirScanExecutable handle;
  std::string function, target;
  Signature signature;
};

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_EXECUTABLE_H
