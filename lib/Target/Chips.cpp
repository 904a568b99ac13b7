//===- Chips.cpp - The GPUs that PTX is made for --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::scan;

// Each version is the first one that knows the chip, except for sm_75, which
// shares the version of CUDA 11.0 with sm_80.
static constexpr Chip knownChips[] = {
    {"sm_75", 70}, {"sm_80", 70},  {"sm_86", 71},  {"sm_89", 78},
    {"sm_90", 78}, {"sm_100", 86}, {"sm_120", 87},
};

llvm::ArrayRef<Chip> mlir::scan::getKnownChips() { return knownChips; }

const Chip *mlir::scan::lookupChip(llvm::StringRef name) {
  const auto *it = llvm::find_if(
      knownChips, [&](const Chip &chip) { return chip.name == name; });
  return it == std::end(knownChips) ? nullptr : it;
}

std::string mlir::scan::getKnownChipNames() {
  return llvm::join(
      llvm::map_range(knownChips, [](const Chip &chip) { return chip.name; }),
      ", ");
}
