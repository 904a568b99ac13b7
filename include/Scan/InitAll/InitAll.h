//===- InitAll.h - One registration for every tool --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_INITALL_INITALL_H
#define SCAN_INITALL_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

#pragma GCC visibility push(default)

namespace mlir::scan {

/// Adds to `registry` the scan dialect with its interface implementations, and
/// the upstream dialects that programs around scans are written in and that
/// the lowerings produce, with the interfaces that the pipelines need.
void registerAllDialects(DialectRegistry &registry);

/// Registers every pass and pipeline of the project for use by name. What is
/// registered already is left alone.
void registerScanPasses();

/// Registers every pass and pipeline of the project, and the upstream passes
/// that are useful beside them, for use by name.
void registerAllPasses();

} // namespace mlir::scan

#pragma GCC visibility pop

#endif // SCAN_INITALL_INITALL_H
