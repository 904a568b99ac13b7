//===- Passes.h - Passes from scans to scans --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All passes of this folder. Each header that is included here declares the
// passes of one group and the functions that do the same for one operation. The
// reference for each pass is its text in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_H
#define SCAN_TRANSFORMS_PASSES_H

#include "Scan/Transforms/Differentiate.h"
#include "Scan/Transforms/Fusion.h"
#include "Scan/Transforms/Newton.h"
#include "Scan/Transforms/Normalize.h"
#include "Scan/Transforms/Raise.h"
#include "Scan/Transforms/Scatter.h"

namespace mlir::scan {

#define GEN_PASS_REGISTRATION
#include "Scan/Transforms/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_PASSES_H
