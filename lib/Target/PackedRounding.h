//===- PackedRounding.h - Rounded to bf16, and extended again ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_PACKEDROUNDING_H
#define SCAN_LIB_TARGET_PACKEDROUNDING_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

struct Chip;

/// Rounds numbers to bf16 that are extended to f32 again, as states of bf16 are
/// between two steps, by the conversion of a pair to bf16x2 whose lower half is
/// zero: its bits are the extended number. That is one instruction in place of
/// two, and of a unit with a shorter latency than the one that converts a
/// single number where both halves of a register are needed. Chips before sm_80
/// do not have it, and nothing is changed for them.
void packRoundings(llvm::Module &module, const Chip &chip);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_PACKEDROUNDING_H
