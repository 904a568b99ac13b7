//===- Requirements.h - What has to hold of extents -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_REQUIREMENTS_H
#define SCAN_LIB_LAUNCHER_REQUIREMENTS_H

#include "ManifestReader.h"

namespace mlir::scan::launcher {

/// Fails unless all of the function's requirements hold of `names`, the numbers
/// of a call. The failure names the arguments, their dimensions and the extents
/// that were found.
Status checkRequirements(const FunctionDescription &function,
                         const Names &names);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_REQUIREMENTS_H
