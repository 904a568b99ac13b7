//===- UnrollLimits.h - What an unrolled kernel may hold --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An unrolled kernel holds the states of all unrolled points, and what it reads
// for them, at a time. Where that is more than the registers of a thread, each
// step stores and loads again what does not fit: more bytes than fusion saves.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_UNROLLLIMITS_H
#define SCAN_LIB_TRANSFORMS_FUSION_UNROLLLIMITS_H

#include "Scan/IR/ScanDialect.h"
#include "Scan/Transforms/Fusion.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::scan {

struct PlacedOperand;

/// 32-bit registers for the elements of `operand` at one point of the domain.
int64_t countRegisters(const PlacedOperand &operand);

/// Whether `kernel` may be unrolled over the dimensions `dims` of its domain
/// under `options`, when what is fused then holds `registers` more at a time:
/// if not, says why.
LogicalResult checkUnrollLimits(KernelOp kernel,
                                const llvm::SmallBitVector &dims,
                                int64_t registers, const FusionOptions &options,
                                std::string &why);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_UNROLLLIMITS_H
