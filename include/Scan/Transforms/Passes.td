//===- Passes.td - Passes from scans to scans --------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file per family, in the order in which pipelines come to them.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_TD
#define SCAN_TRANSFORMS_PASSES_TD

include "Scan/Transforms/Passes/Import.td"
include "Scan/Transforms/Passes/Normalize.td"
include "Scan/Transforms/Passes/Split.td"
include "Scan/Transforms/Passes/Fusion.td"
include "Scan/Transforms/Passes/Shift.td"
include "Scan/Transforms/Passes/Differentiate.td"
include "Scan/Transforms/Passes/Scatter.td"
include "Scan/Transforms/Passes/Raise.td"
include "Scan/Transforms/Passes/Newton.td"

#endif // SCAN_TRANSFORMS_PASSES_TD
