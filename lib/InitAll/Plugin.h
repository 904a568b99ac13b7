//===- Plugin.h - Loading the library into another tool ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIRScanPlugin.so consists of, for plugins of other projects that carry
// this library with them. A tool that a plugin is loaded into was built by
// somebody else: whether the two fit is looked at before anything is
// registered, because MLIR ends the process when they do not.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_INITALL_PLUGIN_H
#define SCAN_LIB_INITALL_PLUGIN_H

#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

#pragma GCC visibility push(default)

namespace mlir::scan {

/// Why the dialect and the passes of this library must not be registered in
/// this process, with the way out; empty if nothing speaks against it. Looks at
/// whether the tool has an MLIR of its own, at the version of MLIR that runs,
/// and for other copies of this library. `caller` is an address in the code
/// that loads the plugin, `plugin` one in the plugin.
std::string findPluginConflict(const void *caller, const void *plugin);

/// Adds the dialect, its interfaces and what programs around scans need to
/// `registry`, and registers the passes and pipelines. What is there already is
/// left alone. Where `registry` has a dialect `scan` that is not of this
/// library, nothing is registered and the reason is printed to stderr.
void registerPlugin(DialectRegistry &registry);

/// Registers the passes and pipelines. A tool that loads passes from a plugin
/// does not show its dialects; if it is built as mlir-opt is, it is made to
/// load the dialects from `pluginFile` too, as `--load-dialect-plugin` would.
void registerPlugin(const std::string &pluginFile);

} // namespace mlir::scan

#pragma GCC visibility pop

#endif // SCAN_LIB_INITALL_PLUGIN_H
