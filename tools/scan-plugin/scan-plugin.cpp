//===- scan-plugin.cpp - The dialect and passes for mlir-opt --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two functions that mlir-opt looks for in a plugin. Each of
// --load-dialect- plugin and --load-pass-plugin calls one of them; either is
// enough.
//
//===----------------------------------------------------------------------===//

#include "InitAll/Plugin.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace mlir;

/// The version of the interface to announce. With zero the tool refuses the
/// plugin; it does not print why, so that is done here.
static uint32_t announce(const void *caller) {
  std::string conflict = scan::findPluginConflict(
      caller, reinterpret_cast<const void *>(&announce));
  if (conflict.empty())
    return MLIR_PLUGIN_API_VERSION;
  llvm::errs() << "error: mlir-scan plugin not used: " << conflict << "\n";
  return 0;
}

static void registerPasses() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(&registerPasses), &info))
    scan::registerPlugin(std::string(info.dli_fname));
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {announce(__builtin_return_address(0)), "MLIRScan",
          SCAN_VERSION_STRING,
          [](DialectRegistry *registry) { scan::registerPlugin(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {announce(__builtin_return_address(0)), "MLIRScan",
          SCAN_VERSION_STRING, registerPasses};
}
