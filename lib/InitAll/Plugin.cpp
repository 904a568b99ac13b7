//===- Plugin.cpp - Loading the library into another tool -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plugin.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <link.h>

using namespace mlir;
using namespace mlir::scan;

/// Something of this copy of the library and of no other.
static const char ownObject = 0;

namespace {
/// The file that is loaded at an address.
struct LoadedFile {
  explicit LoadedFile(const void *address) {
    Dl_info info;
    void *entry = nullptr;
    if (!address || !dladdr1(address, &info, &entry, RTLD_DL_LINKMAP))
      return;
    base = info.dli_fbase;
    name = info.dli_fname;
    map = static_cast<const link_map *>(entry);
  }

  /// Whether the linker was told that this file needs `library`.
  bool needs(StringRef library) const {
    const char *strings = nullptr;
    for (const ElfW(Dyn) *entry = map ? map->l_ld : nullptr;
         entry && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB)
        strings = reinterpret_cast<const char *>(entry->d_un.d_ptr);
    for (const ElfW(Dyn) *entry = strings ? map->l_ld : nullptr;
         entry && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && library == strings + entry->d_un.d_val)
        return true;
    return false;
  }

  const void *base = nullptr;
  std::string name = "a file that the loader does not know";
  const link_map *map = nullptr;
};
} // namespace

/// A tool that MLIR was linked into statically has registries of its own, and
/// reads what it is given as its own MLIR would.
static std::string findForeignMLIR(const void *caller) {
  LoadedFile tool(caller);
  LoadedFile mlir(reinterpret_cast<const void *>(&PassInfo::lookup));
  StringRef library = llvm::sys::path::filename(mlir.name);
  if (tool.base == mlir.base || tool.needs(library))
    return "";
  return "expected to be loaded by a tool that is linked to the shared " +
         library.str() + ", found " + tool.name +
         ", which is not: use such a tool (Debian's mlir-opt-22 is one), or "
         "link libMLIRScan.so and that library into yours";
}

static std::string findForeignVersion() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  if (major == LLVM_VERSION_MAJOR && minor == LLVM_VERSION_MINOR &&
      patch == LLVM_VERSION_PATCH)
    return "";
  std::string found = std::to_string(major) + "." + std::to_string(minor) +
                      "." + std::to_string(patch);
  return "built for MLIR " LLVM_VERSION_STRING ", found MLIR " + found +
         " in this process: build mlir-scan against MLIR " + found +
         ", or use a tool of MLIR " LLVM_VERSION_STRING;
}

/// The plugin may have been linked to another copy of this library: the loader
/// gives it the functions of the copy that it knew first.
static std::string findForeignLibrary(const void *plugin) {
  LoadedFile file(plugin), own(&ownObject);
  if (file.base == own.base || file.needs(llvm::sys::path::filename(own.name)))
    return "";
  return "another copy of its library is loaded already, " + own.name +
         ": use the plugin that belongs to it, or a tool that does not have "
         "the dialect";
}

/// `text` is a name that some copy of this library gave to MLIR.
static std::string findForeignCopy(StringRef what, StringRef text) {
  LoadedFile own(&ownObject), other(text.data());
  if (own.base == other.base)
    return "";
  return what.str() + " is registered already, by " + other.name +
         ", and this is " + own.name +
         ": use the plugin that belongs to the former, or a tool that does "
         "not have the dialect";
}

/// Passes are compared by where their names are in memory: the linker makes one
/// TypeID of those of two copies if it can.
static std::string findForeignPasses() {
  constexpr StringLiteral name = "scan-normalize";
  const PassInfo *info = PassInfo::lookup(name);
  if (!info)
    return "";
  OpPassManager manager;
  auto ignore = [](const Twine &) { return failure(); };
  if (failed(info->addToPipeline(manager, "", ignore)) || manager.empty())
    return "another pass has the name " + name.str() +
           ": use a tool that does not have it";
  return findForeignCopy("the pass " + name.str(),
                         manager.begin()->getArgument());
}

static std::string findForeignDialect(const DialectRegistry &registry) {
  StringRef name = ScanDialect::getDialectNamespace();
  DialectAllocatorFunctionRef allocate = registry.getDialectAllocator(name);
  if (!allocate)
    return "";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  return findForeignCopy("the dialect " + name.str(),
                         allocate(&context)->getNamespace());
}

std::string scan::findPluginConflict(const void *caller, const void *plugin) {
  std::string conflict = findForeignMLIR(caller);
  if (conflict.empty())
    conflict = findForeignVersion();
  if (conflict.empty())
    conflict = findForeignLibrary(plugin);
  if (conflict.empty())
    conflict = findForeignPasses();
  return conflict;
}

void scan::registerPlugin(DialectRegistry &registry) {
  std::string conflict = findForeignDialect(registry);
  if (!conflict.empty()) {
    llvm::errs() << "error: mlir-scan plugin not used: " << conflict << "\n";
    return;
  }
  scan::registerAllDialects(registry);
  registerScanPasses();
}

void scan::registerPlugin(const std::string &pluginFile) {
  // This registers the passes too, unless the tool's own dialect is in the way.
  constexpr StringLiteral name = "load-dialect-plugin";
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find(name);
  if (option != options.end())
    option->second->addOccurrence(/*pos=*/0, name, pluginFile);
  else
    registerScanPasses();
}
