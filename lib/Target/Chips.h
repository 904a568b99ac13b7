//===- Chips.h - The GPUs that PTX is made for ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_CHIPS_H
#define SCAN_LIB_TARGET_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scan {

/// A GPU generation, by the name that ptxas gives it.
struct Chip {
  /// "sm_90".
  llvm::StringLiteral name;
  /// The PTX ISA version written for it, major * 10 + minor: old enough for
  /// old drivers, new enough for every instruction that kernels use.
  unsigned ptxIsa;
};

/// Every chip that `--chip` accepts, oldest first.
llvm::ArrayRef<Chip> getKnownChips();

/// The chip called `name`; null if there is none.
const Chip *lookupChip(llvm::StringRef name);

/// "sm_75, sm_80, ...", for diagnostics.
std::string getKnownChipNames();

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_CHIPS_H
