//===- Manifest.h - How the kernels are launched ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest is a JSON text that tells any driver how to launch the kernels
// of a PTX file. docs/manifest.md is its reference.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_MANIFEST_H
#define SCAN_LIB_TARGET_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::scan {

/// The version that manifests state where no kernel writes a status, where one
/// does, and where launches are repeated. It changes when a reader of the old
/// one could misunderstand the new one; docs/manifest.md has the older ones.
inline constexpr int64_t manifestVersion = 4, manifestVersionWithStatus = 5,
                         manifestVersionWithRepeat = 6;

/// Writes the manifest of `module`, which holds bufferized host functions with
/// gpu.launch_func and the kernels that they launch, after --scan-to-gpu and
/// before the kernels are lowered further. `ptxIsa` is major * 10 + minor.
/// Emits an error where a host function does what a manifest cannot say.
FailureOr<std::string> buildManifest(ModuleOp module, StringRef chip,
                                     unsigned ptxIsa);

/// Adds the hash of `ptx`, so that launchers refuse another one, to `manifest`,
/// which is what `buildManifest` has returned: PTX is made after it.
void addPTXHash(std::string &manifest, StringRef ptx);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_MANIFEST_H
