//===- Kernels.cpp - Kernels that are still to be compiled ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace mlir_scan;

std::vector<std::string> Kernels::names() const {
  std::vector<std::string> names;
  for (intptr_t i = 0; i < mlirScanKernelsGetNum(handle); ++i)
    names.push_back(toString(mlirScanKernelsGetName(handle, i)));
  return names;
}

std::string Kernels::compile(std::string_view name) const {
  intptr_t number = mlirScanKernelsFind(handle, toRef(name));
  if (number < 0)
    raise("ScanError", "no kernel '" + std::string(name) + "'");
  std::string text, error;
  MlirScanPTX ptx;
  {
    ReleaseGil release;
    CompilerScope scope;
    ptx = mlirScanKernelsCompile(handle, number,
                                 {[](MlirStringRef message, void *error) {
                                    *static_cast<std::string *>(error) =
                                        toString(message);
                                  },
                                  &error});
    text = toString(mlirScanPTXGetText(ptx));
    mlirScanPTXDestroy(ptx);
  }
  if (mlirScanPTXIsNull(ptx))
    raise("CompileError", {}, error);
  return text;
}

nb::bytes Kernels::write() const {
  std::string bytes;
  (void)mlirScanKernelsWrite(
      handle,
      [](MlirStringRef piece, void *bytes) {
        static_cast<std::string *>(bytes)->append(piece.data, piece.length);
      },
      &bytes);
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<Kernels> Kernels::read(nb::bytes bytes) {
  MlirScanKernels kernels =
      mlirScanKernelsRead(toRef({bytes.c_str(), bytes.size()}));
  if (mlirScanKernelsIsNull(kernels))
    raise("CompileError", {}, "expected kernels of this version, found others");
  return std::make_unique<Kernels>(kernels);
}

void mlir_scan::addKernels(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Kernels>(module, "Kernels",
                      R"(The kernels of a program, to be compiled.

`Module.kernels` makes them. Any number of threads may compile at once.)")
      .def_prop_ro("manifest", &Kernels::manifest,
                   "That of Module.ptx, but without the hash of the PTX.")
      .def_prop_ro("names", &Kernels::names, "As the manifest has them.")
      .def("to_bytes", &Kernels::write,
           "For caches: what `from_bytes` of the same version reads.")
      .def_static("from_bytes", &Kernels::read, "data"_a,
                  "Raises mlir_scan.CompileError for what is no such.")
      .def("compile", &Kernels::compile, "name"_a,
           "PTX with the kernel of that name. Releases the GIL. Raises "
           "mlir_scan.CompileError.");
}
