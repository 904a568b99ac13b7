//===- WideMaxima.h - Maxima with zero, of 16 bits --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_WIDEMAXIMA_H
#define SCAN_LIB_TARGET_WIDEMAXIMA_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

struct Chip;

/// Takes the maximum of a number of 8 or 16 bits and zero in 32 bits, on chips
/// from sm_90 on. There, ptxas makes one instruction for two pairs of numbers
/// of max(max(a, b), 0) in 16 bits (VIMNMX.S16x2.RELU), and loses the maximum
/// with zero where its value is stored and compared further, as in a running
/// maximum that is clamped. Seen of ptxas 13.0 and of the driver 580, at all
/// levels of optimisation but the lowest.
void widenMaximaWithZero(llvm::Module &module, const Chip &chip);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_WIDEMAXIMA_H
