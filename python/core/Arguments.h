//===- Arguments.h - Python objects as arrays -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_ARGUMENTS_H
#define MLIR_SCAN_PYTHON_ARGUMENTS_H

#include "Executable.h"

#include <array>

namespace mlir_scan {

/// What DLPack's exchange of tensors without Python objects needs of a library,
/// or null where `type` does not offer it.
struct ExchangeClass {
  PyTypeObject *type;
  const dlpack::DLPackExchangeAPI *api;
  /// Whether there are conjugates that are still to be computed (torch).
  bool hasLazyConjugates;
};
const ExchangeClass *findExchangeClass(PyTypeObject *type);

/// An array of the caller's, and what keeps it alive during a call.
class Argument {
public:
  Argument() = default;
  Argument(const Argument &) = delete;
  /// Needs the GIL.
  ~Argument();

  /// Where an array has to be.
  struct Memory {
    enum Kind { Host, Device, Any } kind;
    int ordinal;
    static Memory host() { return {Host, 0}; }
    /// A GPU.
    static Memory device(int ordinal) { return {Device, ordinal}; }
    static Memory any() { return {Any, 0}; }
  };

  /// Looks at `object`, which has to outlive this. Raises TypeError where it is
  /// no array, or not one in that memory. Whether type and shape are those of
  /// `expected` is for the library to check.
  void read(nb::handle object, const ArrayType &expected,
            const std::string &function, size_t index,
            Memory memory = Memory::host());

  const MlirScanBuffer &get() const { return buffer; }

private:
  struct Reader;

  MlirScanBuffer buffer = {};
  /// Extents and strides, where nobody else holds them.
  std::array<int64_t, 16> fewDims;
  std::vector<int64_t> manyDims;
  /// The bytes of a number.
  alignas(16) std::array<char, 16> scalar;
  PyObject *owner = nullptr;
  bool hasView = false;
  Py_buffer view;
};

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_ARGUMENTS_H
