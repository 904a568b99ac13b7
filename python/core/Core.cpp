//===- Core.cpp - The extension mlir_scan._core ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <nanobind/stl/string.h>

#include <dlfcn.h>

using namespace mlir_scan;

/// The file that the library was loaded from.
static std::string getLibraryPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&mlirScanGetVersion), &info) ||
      !info.dli_fname)
    return std::string();
  return info.dli_fname;
}

NB_MODULE(_core, module) {
  // Executables and results may live in globals until the end, where nobody
  // frees them; that is no leak.
  nb::set_leak_warnings(false);
  module.doc() = "The compiler of mlir-scan, over its C interface.";
  module.attr("version") = toString(mlirScanGetVersion()).c_str();
  module.attr("mlir_version") = toString(mlirScanGetMLIRVersion()).c_str();
  module.attr("library_path") = getLibraryPath().c_str();
  module.def(
      "processor", [] { return toString(mlirScanGetProcessor()); },
      "What executables for \"cpu\" are compiled for: triple, processor and "
      "its "
      "features.");
  module.def(
      "set_num_threads", mlirScanSetNumThreads, nb::arg("count"),
      "Sets how many threads a run on the CPU may use, in the whole "
      "process.\n\nIt divides independent scans among them where there "
      "is enough to do. 0: as many as OMP_NUM_THREADS says, or one for "
      "each processor that the process may run on. At first it is what "
      "SCAN_NUM_THREADS says, or 1; what is compiled while it is 1 stays "
      "on one thread. Results do not depend on it. The threads are those "
      "of libomp.so.5: without that there is one, and a CompileWarning. "
      "One run at a time has them; runs that overlap in time use their "
      "own thread alone.");
  module.def("get_num_threads", mlirScanGetNumThreads,
             "How many threads a run on the CPU may use; 1 without libomp.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    ReleaseGil release;
    CompilerScope::close();
  }));
  addArrays(module);
  addExecutables(module);
  addKernels(module);
  addModules(module);
  addLauncher(module);
#ifdef MLIR_SCAN_WITH_JAX
  addJax(module);
#endif
}
