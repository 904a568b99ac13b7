//===- Passes.h - Proving operators associative -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PROVE_PASSES_H
#define SCAN_PROVE_PASSES_H

#include "Scan/Prove/ProveMode.h"
#include "mlir/Pass/Pass.h"

namespace mlir::scan {

#define GEN_PASS_DECL
#include "Scan/Prove/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Scan/Prove/Passes.h.inc"

/// The discardable attribute of scan.associative that says what is known of its
/// combine region: a string, "proved", "proved_up_to_rounding", "refuted" or
/// "unknown".
constexpr llvm::StringLiteral kAssociativityAttrName = "scan.associativity";

} // namespace mlir::scan

#endif // SCAN_PROVE_PASSES_H
