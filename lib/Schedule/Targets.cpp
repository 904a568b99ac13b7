//===- Targets.cpp - What GPU chips offer ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". Multiprocessors and bandwidth: data sheets of T4, A100 80 GB,
// GeForce RTX 3090, GeForce RTX 4090, H100 SXM, B200, GeForce RTX 5090.
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr int64_t kKiB = 1024;

// clang-format off
static constexpr Target kTargets[] = {
    // chip    warp block  SM   blocks regs  /thread static     most        per SM     SMs  B/ns
    {"sm_75",  32, 1024, 1024, 16, 65536, 255, 48 * kKiB,  64 * kKiB,  64 * kKiB,  40,  320},
    {"sm_80",  32, 1024, 2048, 32, 65536, 255, 48 * kKiB, 163 * kKiB, 164 * kKiB, 108, 2039},
    {"sm_86",  32, 1024, 1536, 16, 65536, 255, 48 * kKiB,  99 * kKiB, 100 * kKiB,  82,  936},
    {"sm_89",  32, 1024, 1536, 24, 65536, 255, 48 * kKiB,  99 * kKiB, 100 * kKiB, 128, 1008},
    {"sm_90",  32, 1024, 2048, 32, 65536, 255, 48 * kKiB, 227 * kKiB, 228 * kKiB, 132, 4800},
    {"sm_100", 32, 1024, 2048, 32, 65536, 255, 48 * kKiB, 227 * kKiB, 228 * kKiB, 148, 8000},
    {"sm_120", 32, 1024, 1536, 24, 65536, 255, 48 * kKiB,  99 * kKiB, 100 * kKiB, 170, 1792},
};
// clang-format on

const Target *mlir::scan::findTarget(llvm::StringRef chip) {
  if (chip.ends_with("a") || chip.ends_with("f"))
    chip = chip.drop_back();
  for (const Target &target : kTargets)
    if (target.chip == chip)
      return &target;
  return nullptr;
}

std::string mlir::scan::listTargets() {
  return llvm::join(
      llvm::map_range(kTargets,
                      [](const Target &target) { return target.chip.str(); }),
      ", ");
}
