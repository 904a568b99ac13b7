//===- PackedArithmetic.h - Two f32 operations at once ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_PACKEDARITHMETIC_H
#define SCAN_LIB_TARGET_PACKEDARITHMETIC_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringSet.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

struct Chip;

/// The attribute of a kernel that is planned to have few registers to spare:
/// none are bound in pairs there.
inline constexpr StringLiteral scarceRegistersAttrName =
    "scan.scarce_registers";

/// Makes one operation on a vector of two f32 of sums, differences, products
/// and fused multiply-adds that do the same for two items or states, with the
/// same bits: sm_100 has instructions for these (`fma.f32x2`), of which each
/// takes one issue slot. Nothing is changed for others, nor in functions whose
/// names are among `scarce`.
void packArithmetic(llvm::Module &module, const Chip &chip,
                    const llvm::StringSet<> &scarce);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_PACKEDARITHMETIC_H
