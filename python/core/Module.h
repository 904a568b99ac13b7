//===- Module.h - Programs ------------------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_MODULE_H
#define MLIR_SCAN_PYTHON_MODULE_H

#include "Executable.h"
#include "Kernels.h"

namespace mlir_scan {

/// A module of MLIR in a context that it shares with its copies.
class Module {
public:
  static std::unique_ptr<Module> parse(std::string_view text,
                                       std::string_view name);
  ~Module();
  Module(const Module &) = delete;

  std::unique_ptr<Module> clone();
  std::string print(bool withLocations);
  nb::bytes bytecode();
  void verify();
  nb::list run(std::string_view pipeline);
  nb::list prove(bool solver, std::string_view z3, uint32_t timeout,
                 uint32_t triples);
  std::vector<std::string> functions();
  Signature signature(std::string_view function);
  std::unique_ptr<Executable> compile(std::string_view function,
                                      std::string_view target,
                                      std::string_view stridedArguments);
  std::pair<std::string, std::string>
  ptx(std::string_view chip, uint32_t optLevel, uint32_t ptxIsa,
      std::string_view libdevice, std::string_view stridedArguments,
      uint32_t maxVariants, uint32_t maxStateBytes, bool dispatch);
  std::unique_ptr<Kernels> kernels(std::string_view chip, uint32_t optLevel,
                                   uint32_t ptxIsa, std::string_view libdevice,
                                   std::string_view stridedArguments,
                                   uint32_t maxVariants, uint32_t maxStateBytes,
                                   bool dispatch);

private:
  Module() = default;
  template <typename Body>
  std::vector<Diagnostic> use(const char *what, Body body);

  std::shared_ptr<Context> context;
  MlirModule module = {nullptr};
};

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_MODULE_H
