//===- Chips.cpp - The GPUs that programs are compiled for ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". Multiprocessors, clocks and bandwidth: data sheets of the
// products. Each PTX version is the first one that knows the chip, except for
// sm_75, which shares the version of CUDA 11.0 with sm_80.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::scan;

static constexpr int64_t kKiB = 1024;

// clang-format off
static constexpr Chip knownChips[] = {
    //              PTX  of a multiprocessor  shared memory         product
    // name     CC  ISA  threads    blocks    block      all        name                  SMs    GHz  B/ns
    {"sm_75",   75,  70,    1024,       16,   64 * kKiB,  64 * kKiB, "Tesla T4",           40, 1.590,  320},
    {"sm_80",   80,  70,    2048,       32,  163 * kKiB, 164 * kKiB, "A100 SXM 80 GB",    108, 1.410, 2039},
    {"sm_86",   86,  71,    1536,       16,   99 * kKiB, 100 * kKiB, "GeForce RTX 3090",   82, 1.695,  936},
    {"sm_89",   89,  78,    1536,       24,   99 * kKiB, 100 * kKiB, "GeForce RTX 4090",  128, 2.520, 1008},
    {"sm_90",   90,  80,    2048,       32,  227 * kKiB, 228 * kKiB, "H200 SXM",          132, 1.980, 4800},
    {"sm_100", 100,  86,    2048,       32,  227 * kKiB, 228 * kKiB, "B200",              148, 1.965, 8000},
    {"sm_120", 120,  87,    1536,       24,   99 * kKiB, 100 * kKiB, "GeForce RTX 5090",  170, 2.407, 1792},
};
// clang-format on

llvm::ArrayRef<Chip> mlir::scan::getKnownChips() { return knownChips; }

const Chip *mlir::scan::lookupChip(llvm::StringRef name) {
  const auto *it = llvm::find_if(
      knownChips, [&](const Chip &chip) { return chip.name == name; });
  return it == std::end(knownChips) ? nullptr : it;
}

const Chip *mlir::scan::lookupChipWithFeatures(llvm::StringRef name) {
  if (name.ends_with("a") || name.ends_with("f"))
    name = name.drop_back();
  return lookupChip(name);
}

const Chip *mlir::scan::lookupNewestChip(unsigned computeCapability) {
  const Chip *newest = nullptr;
  for (const Chip &chip : knownChips)
    if (chip.computeCapability <= computeCapability)
      newest = &chip;
  return newest;
}

std::string mlir::scan::getKnownChipNames() {
  return llvm::join(
      llvm::map_range(knownChips, [](const Chip &chip) { return chip.name; }),
      ", ");
}
