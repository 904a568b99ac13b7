//===- Newton.h - Recurrences that are parallel in time ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_NEWTON_H
#define SCAN_TRANSFORMS_NEWTON_H

#include "mlir/Pass/Pass.h"

namespace mlir::scan {

#define GEN_PASS_DECL_SCANNEWTONRECURRENCE
#include "Scan/Transforms/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_NEWTON_H
