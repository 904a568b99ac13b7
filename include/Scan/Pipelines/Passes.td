//===- Passes.td - Passes that only pipelines need ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file per group.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_TD
#define SCAN_PIPELINES_PASSES_TD

include "Scan/Pipelines/Passes/Buffers.td"
include "Scan/Pipelines/Passes/Checks.td"
include "Scan/Pipelines/Passes/Expand.td"
include "Scan/Pipelines/Passes/Fuse.td"
include "Scan/Pipelines/Passes/Legalize.td"
include "Scan/Pipelines/Passes/Reports.td"
include "Scan/Pipelines/Passes/Share.td"

#endif // SCAN_PIPELINES_PASSES_TD
